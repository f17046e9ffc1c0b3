"""Conditions as people write them, turned into Python: `n >= 1`, "n is negative", "the list is empty"."""

import ast
import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, Final

from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import free_names, parse_expression
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS

_SYMBOLS: Final = str.maketrans({"≤": "<=", "≥": ">=", "≠": "!=", "“": '"', "”": '"'})
_NUMBER_WORDS: Final = {"zero": "0", "one": "1", "two": "2", "three": "3", "ten": "10"}
_KIND_OF_NOUN: Final = {
    **dict.fromkeys(("list", "array", "sequence"), "list"),
    **dict.fromkeys(("string", "text"), "str"),
    **dict.fromkeys(("number", "integer", "int"), "int"),
    **dict.fromkeys(("dict", "dictionary", "mapping"), "dict"),
}
_ANYTHING: Final = frozenset({"input", "argument", "it", "value", "parameter"})
_SUBJECT: Final = re.compile(
    r"(?:all |every |each )?(?:the |an? |any |its )?(?:input |given )?`?(?P<what>\w+)`?"
    r" (?:is|are|must be|should be|has|have|=) ?(?P<predicate>.+)",
    re.IGNORECASE,
)
_DESCRIBED: Final = re.compile(
    r"(?:an? |any |all |the )?(?P<predicate>empty|(?:non-?)?(?:positive|negative|zero)|even|odd) `?(?P<what>\w+)`?",
    re.IGNORECASE,
)
"""What raises "for an empty list" or "on negative n"."""
_IMPURE: Final = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda
_SIZED: Final = frozenset({"list", "str", "dict", "set", "bytes", "frozenset"})


@functools.cache
def table() -> Mapping[str, Any]:
    """The table of words, phrases, concepts and conditions: phrases.toml."""
    text = resources.files("refute.adversary.property").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def read_condition(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    """The condition as Python over the variables, or None where it is not understood in full.

    Args:
        text: one condition or several joined by commas, "and" or "or".
        domains: the variables; a noun like "the list" stands for the only list among them.
    """
    text = " ".join(text.translate(_SYMBOLS).split()).strip().rstrip(".;,").strip()
    text = re.sub(r"\b(?:must|should|may|can) ?not be\b", "is not", text, flags=re.IGNORECASE)
    text = re.sub(r"^(?:assumes?|requires?|expects?)(?: that)? ", "", text, flags=re.IGNORECASE)
    read = _as_code(text, domains) or _as_words(text, domains)
    if read is not None:
        return read
    for joiner, operation in ((r",? or ", ast.Or()), (r", and | and |, ", ast.And())):
        parts = re.split(joiner, text)
        if len(parts) > 1:
            whole = [read_condition(part, domains) for part in _with_subject(parts)]
            known = [part for part in whole if part is not None]
            return ast.BoolOp(op=operation, values=known) if len(known) == len(parts) else None
    return None


def _with_subject(parts: list[str]) -> Iterator[str]:
    """From "n is zero or negative": "n is zero", "n is negative"."""
    lead = re.match(r"(?:the |an? )?`?\w+`? (?:is|are|must be) ", parts[0])
    for part in parts:
        bare = lead is None or re.search(r"[<>=]| (?:is|are) ", part)
        yield part if bare or lead is None else f"{lead[0]}{part}"


def _as_code(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    node = parse_expression(text.replace("`", ""))
    if node is None or not is_pure(node, set(domains)) or not free_names([node]) & set(domains):
        return None
    match node:
        case ast.Compare(ops=ops, comparators=[*_, last]):
            # `xs is sorted` and `n not in [1, 3999]` are Python too, but mean something else to who writes them.
            words = any(isinstance(op, ast.Is | ast.IsNot) for op in ops) and not isinstance(last, ast.Constant)
            ends = len(last.elts) if isinstance(last, ast.List | ast.Tuple) else 0
            interval = ends == 2 and isinstance(ops[-1], ast.In | ast.NotIn)  # noqa: PLR2004  # its two ends
            return None if words or interval else node
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return node
        case ast.Call(func=ast.Name(id="all" | "any" | "isinstance")):
            return node
        case _:
            return None


def _as_words(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    hit = _DESCRIBED.fullmatch(text) or _SUBJECT.fullmatch(text)
    name = subject_of(hit["what"], domains) if hit is not None else None
    if hit is None or name is None:
        return None
    if "empty" in hit["predicate"] and domains[name].kind not in _SIZED:
        return None
    if hit.re is _DESCRIBED and "empty" not in hit["predicate"] and len(domains) > 1 and name not in hit["what"]:
        return None  # "negative numbers" may be the items of a list, or a count
    for row in table()["condition"]:
        said = re.fullmatch(row["pattern"], hit["predicate"].replace("`", "").strip(), re.IGNORECASE)
        operands = {group: operand(value, domains) for group, value in groups(said).items()} if said else {}
        if said is not None and None not in operands.values():
            return parse_expression(row["code"].format(x=name, **operands))
    return None


def groups(match: re.Match[str]) -> dict[str, str]:
    """Group → words; `cond2` is another place of `cond`."""
    return {name.rstrip("23"): value for name, value in match.groupdict().items() if value is not None}


def is_pure(node: ast.expr, variables: set[str]) -> bool:
    """Whether an expression reads only the variables and harmless builtins and calls nothing private."""
    if free_names([node]) - variables - ONLY_SAFE_BUILTINS:
        return False
    return not any(
        isinstance(inner, _IMPURE) or (isinstance(inner, ast.Attribute) and inner.attr.startswith("_"))
        for inner in ast.walk(node)
    )


def subject_of(words: str, domains: Mapping[str, Domain]) -> str | None:
    """The variable that "n", "the list", "items" or "input" stands for, where only one can be meant."""
    words = re.sub(r"^(?:the |an? |its )", "", words.strip().strip("`"), flags=re.IGNORECASE)
    for word in (words, words.removesuffix("s")):
        if word in domains:
            return word
        kinds = [name for name, domain in domains.items() if domain.kind == _KIND_OF_NOUN.get(word.lower())]
        if len(kinds) == 1:
            return kinds[0]
        if word.lower() in _ANYTHING and len(domains) == 1:
            return next(iter(domains))
    return None


def operand(text: str, domains: Mapping[str, Domain]) -> str | None:
    """A number, a variable, or a pure expression of them, as Python; None for anything else."""
    text = _NUMBER_WORDS.get(text.strip().lower(), text.strip().replace("`", ""))
    node = parse_expression(re.sub(r"^the (?:length|size) of (?:the )?(\w+)$", r"len(\1)", text))
    if node is None or not is_pure(node, set(domains)):
        return None
    match node:
        case ast.Constant(value=value):
            return text if isinstance(value, int | float) else None
        case ast.Name(id=name):
            return text if name in domains else None  # a builtin's name alone is no number
        case ast.BinOp() | ast.UnaryOp() | ast.Call() | ast.Subscript():
            return f"({ast.unparse(node)})"
        case _:
            return None
