"""Conditions as people write them, turned into Python: `n >= 1`, "n is negative", "the list is empty"."""

import ast
import re
from collections.abc import Mapping

from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import free_names, parse_expression
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS
from refute.adversary.property.unions import either_side, kinds_of_values

_NUMBER_WORDS = {"zero": "0", "one": "1", "two": "2", "three": "3", "ten": "10"}
_SYMBOLS = str.maketrans({"≤": "<=", "≥": ">=", "≠": "!=", "“": '"', "”": '"'})

_PREDICATES: tuple[tuple[str, str], ...] = (
    (r"(?:strictly )?negative|less than (?:zero|0)|below (?:zero|0)", "{x} < 0"),
    (
        r"(?:strictly |a )?positive(?: (?:int|integer|number|float))?|greater than (?:zero|0)|above (?:zero|0)",
        "{x} > 0",
    ),
    (r"(?:a )?non-?\s?negative(?: (?:int|integer|number|float))?|not negative", "{x} >= 0"),
    (r"not positive|non-?positive|(?:zero|0) or (?:negative|less)|negative or (?:zero|0)", "{x} <= 0"),
    (r"zero|0|equal to (?:zero|0)", "{x} == 0"),
    (r"non-?zero|not (?:zero|0|equal to (?:zero|0))", "{x} != 0"),
    (r"even", "{x} % 2 == 0"),
    (r"odd", "{x} % 2 == 1"),
    (r"(?:an )?empty(?: (?:list|string|array|dict|sequence|set))?|has no (?:elements|items)", "len({x}) == 0"),
    (r"non-?\s?empty|not empty|(?:contains?|has|have) at least one (?:element|item|character)", "len({x}) > 0"),
    (r"None|null", "{x} is None"),
    (r"not None|not null", "{x} is not None"),
    (r"(?:already )?sorted(?: in)?(?: ascending| increasing| non-?decreasing)?(?: order)?", "list({x}) == sorted({x})"),
    (r"in (?:ascending|sorted|increasing) order", "list({x}) == sorted({x})"),
    (
        (
            r"unique|distinct|(?:all )?different|(?:has|have|contains?|with) (?:no|unique|distinct) "
            r"(?:duplicates?|duplicate (?:elements|items|values)|elements|items|values)"
            r"|duplicate[- ]free|without duplicates"
        ),
        "len(set({x})) == len({x})",
    ),
    (r"not sorted in (?:reverse|descending) order", "list({x}) != sorted({x}, reverse=True)"),
    (r"(?:strictly )?(?:less|smaller|lower) than (?P<a>.+)|below (?P<a2>.+)", "{x} < {a}"),
    (r"(?:strictly )?(?:greater|larger|more|higher) than (?P<a>.+)|above (?P<a2>.+)", "{x} > {a}"),
    (r"(?:at least|no less than|not less than|greater than or equal to|>=) (?P<a>.+)", "{x} >= {a}"),
    (r"(?:at most|no more than|not more than|less than or equal to|<=) (?P<a>.+)", "{x} <= {a}"),
    (r"(?:in the range |in |within |between )\[(?P<a>[^,\]]+), ?(?P<b>[^,\]]+)\]", "{a} <= {x} <= {b}"),
    (r"between (?P<a>.+?) and (?P<b>.+?)(?:,? \(?(?:both )?inclusive(?:ly)?\)?)?", "{a} <= {x} <= {b}"),
    (
        (
            r"(?:not (?:in|within|between) |outside (?:of )?)(?:the (?:closed )?(?:range|interval) )?"
            r"\[?(?P<a>[^,\].]+?)(?:, ?|\.\.\.?| and | to |[-–])(?P<b>[^,\].]+?)\]?(?:,? \(?inclusive(?:ly)?\)?)?"
        ),
        "not {a} <= {x} <= {b}",
    ),
    (r"(?:an? )?(?:multiple of|divisible by) (?P<a>.+)", "{x} % {a} == 0"),
    (r"equal to (?P<a>.+)", "{x} == {a}"),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), template) for pattern, template in _PREDICATES)
_SUBJECT = re.compile(
    r"^(?:all |every |each )?(?:of )?(?:the |an? |any |its )?(?:input |given |argument |parameter "
    r")?(?P<what>`?\w+`?(?: (?:in|of) `?\w+`?)?)"
    r"(?: (?:argument|parameter|value|list|string|array|number|integer))?"
    r" ?(?:is|are|be\b|must be|should be|has to be|have to be|must|should|needs to be|is always|are "
    r"always|=)? ?(?P<what_of_it>.+)$",
    re.IGNORECASE,
)
_NOUNS = {
    **dict.fromkeys(("list", "array", "sequence"), "list"),
    **dict.fromkeys(("string", "text"), "str"),
    **dict.fromkeys(("number", "integer", "int"), "int"),
    **dict.fromkeys(("dict", "dictionary", "mapping"), "dict"),
    "float": "float",
    "set": "set",
}
_EMPTY = re.compile(r"(?:an? |any |the )?empty `?(?P<noun>\w+)`?", re.IGNORECASE)
"""What raises "for an empty list" or "on empty input"."""
_DESCRIBED = re.compile(
    r"(?:an? |any |all |the )?(?P<adjective>(?:non-?)?(?:positive|negative|zero)|even|odd) `?(?P<noun>\w+)`?",
    re.IGNORECASE,
)
"""What is refused "for negative prices"."""
_ANYTHING = frozenset({"input", "argument", "it", "value", "parameter"})


def read_condition(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    """The condition as Python over the variables, or None where it is not understood in full.

    Args:
        text: one condition or several joined by commas or "and".
        domains: the variables; a noun like "the list" stands for the only list among them.
    """
    text = " ".join(text.translate(_SYMBOLS).split()).strip().rstrip(".;,").strip()
    text = re.sub(r"\b(?:must|should|may|can) ?not be\b", "is not", text, flags=re.IGNORECASE)
    text = re.sub(r"^(?:assumes?|requires?|expects?|provided|given|assuming)(?: that)? ", "", text, flags=re.IGNORECASE)
    code = _as_code(text, domains) or kinds_of_values(text, domains)
    if code is not None:
        return either_side(code)
    said = _as_words(text, domains)
    if said is not None:
        return said
    for joiner, operation in ((r",? or ", ast.Or()), (r", and | and |, ", ast.And())):
        parts = re.split(joiner, text)
        if len(parts) > 1:
            read = [read_condition(part, domains) for part in _with_subject(parts, domains)]
            known = [part for part in read if part is not None]
            return either_side(ast.BoolOp(op=operation, values=known)) if len(known) == len(read) else None
    return None


def _with_subject(parts: list[str], domains: Mapping[str, Domain]) -> list[str]:
    """From "n is zero or negative": "n is zero", "n is negative"."""
    lead = re.match(r"^((?:the |an? )?`?\w+`? (?:is|are|must be|has|have) )", parts[0])
    if lead is None:
        return parts
    rest = [part if _starts_with_subject(part, domains) else lead[1] + part for part in parts[1:]]
    return [parts[0], *rest]


def _starts_with_subject(part: str, domains: Mapping[str, Domain]) -> bool:
    first = re.match(r"(?:the |an? )?`?(\w+)`?\b", part)
    return first is not None and (first[1] in domains or first[1] in _NOUNS or first[1] in _ANYTHING)


def _as_code(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    node = parse_expression(text.replace("`", ""))
    if node is None or not is_pure(node, set(domains)) or any(_reads_as_words(n, domains) for n in ast.walk(node)):
        return None
    boolean = isinstance(node, ast.Compare | ast.BoolOp) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )
    if isinstance(node, ast.Call):
        boolean = isinstance(node.func, ast.Name) and node.func.id in {"all", "any", "isinstance"}
    return node if boolean and free_names([node]) & set(domains) else None


def _reads_as_words(node: ast.AST, domains: Mapping[str, Domain]) -> bool:
    """`xs is sorted` is Python, too, but nobody means identity with a function."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    functions = any(isinstance(side, ast.Name) and side.id in ONLY_SAFE_BUILTINS - set(domains) for side in sides)
    identity = any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
    # "n not in [1, 3999]" is an interval to most who write it; what is outside of it is meant either way.
    interval = isinstance(node.ops[0], ast.NotIn) and isinstance(sides[-1], ast.List | ast.Tuple)
    if interval and len(getattr(sides[-1], "elts", ())) == 2:  # noqa: PLR2004  # two ends
        return True
    return functions or (identity and not isinstance(sides[-1], ast.Constant))


def is_pure(node: ast.expr, variables: set[str]) -> bool:
    """Whether an expression reads only the variables and harmless builtins and calls nothing private."""
    if free_names([node]) - variables - ONLY_SAFE_BUILTINS:
        return False
    risky = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda
    return not any(
        isinstance(inner, risky) or (isinstance(inner, ast.Attribute) and inner.attr.startswith("_"))
        for inner in ast.walk(node)
    )


def _as_words(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    if empty := _EMPTY.fullmatch(text):
        noun = empty["noun"] if empty["noun"] in domains else empty["noun"].removesuffix("s")
        name = subject_of(noun, domains)
        sized = name is not None and domains[name].kind in {"list", "str", "dict", "set", "bytes", "frozenset"}
        return parse_expression(f"len({name}) == 0") if sized else None
    if described := _DESCRIBED.fullmatch(text):
        noun = described["noun"].removesuffix("s")
        name = next((n for n in (described["noun"], noun) if n in domains), None)
        if name is None and len(domains) == 1:  # of several values, or of items, "negative numbers" may be any
            name = subject_of(noun, domains)
        numeric = name is not None and domains[name].kind in {"int", "float"}
        return read_condition(f"{name} is {described['adjective']}", domains) if numeric else None
    hit = _SUBJECT.match(text)
    if hit is None:
        return None
    subject = subject_of(hit["what"].replace("`", ""), domains)
    if subject is None:
        return None
    for pattern, template in _COMPILED:
        said = pattern.fullmatch(hit["what_of_it"].replace("`", "").strip())
        if said is not None:
            values = {name.rstrip("2"): value for name, value in said.groupdict().items() if value}
            operands = {name: operand(value, domains) for name, value in values.items()}
            if all(operands.values()):
                return parse_expression(template.format(x=subject, **operands))
    return None


def subject_of(words: str, domains: Mapping[str, Domain]) -> str | None:
    """The variable that "n", "the list", "elements of arr" or "input" stands for, where only one can be meant."""
    words = re.sub(r"^(?:the |an? |its )", "", words.strip(), flags=re.IGNORECASE)
    of = re.fullmatch(r"(?:elements?|items?|values?|ints|integers|numbers|entries) (?:in|of) (\w+)", words)
    if of is not None:
        words = of[1]
    if words in domains:
        return words
    if words in {"length", "size"}:
        return None
    kinds = [name for name, domain in domains.items() if domain.kind == _NOUNS.get(words)]
    if len(kinds) == 1 and words in _NOUNS:
        return kinds[0]
    return next(iter(domains)) if words in _ANYTHING and len(domains) == 1 else None


def operand(text: str, domains: Mapping[str, Domain]) -> str | None:
    """A number, a variable, or a pure expression of them, as Python; None for anything else."""
    text = _NUMBER_WORDS.get(text.strip().lower(), text.strip().replace("`", ""))
    text = re.sub(r"^the (?:length|size) of (?:the )?(\w+)$", r"len(\1)", text)
    node = parse_expression(text)
    if node is None or not is_pure(node, set(domains)):
        return None
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | float):
        return None
    if isinstance(node, ast.Name) and node.id not in domains:
        return None  # a builtin's name alone is no number
    if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.Compare | ast.BoolOp | ast.IfExp):
        return None
    return f"({text})" if not isinstance(node, ast.Constant | ast.Name | ast.Call) else text
