"""What a function can be called with: by annotations, and by what texts say under `Args:`, `Input:`, `Requires:`."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import dotted, free_names, parse_expression
from refute.adversary.property.kinds import Kind, kind_of
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS
from refute.adversary.property.surface import Function

_HEADINGS: Final = {
    "arguments": "args|arguments|parameters|params|inputs?",
    "conditions": "preconditions?|requires",
    "result": "returns?|outputs?|yields?",
    "other": "raises|examples?|usage|notes?|warnings?|references|attributes",
}
_SECTION: Final = re.compile(
    rf"^(?P<indent>[ \t]*)(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _HEADINGS.items())}):"
    r"[ \t]*(?P<body>.*(?:\n(?:(?P=indent)[ \t]+\S.*|[ \t]*$))*)",
    re.IGNORECASE | re.MULTILINE,
)
"""A heading with what stands behind it or is indented below."""
_FIELD_LIST: Final = re.compile(r"^[ \t]*:(?:param|arg|key)\w* ", re.MULTILINE)
_ENTRY: Final = re.compile(
    r"^\s*[-*]?\s*`?(?P<name>[^\W\d]\w*)`?\s*(?:\((?P<type>[^)\n]*)\))?\s*:\s*(?P<text>.*)$", re.MULTILINE
)
_ADJECTIVES: Final = (
    r"(?:(?:an?|the|small|given|input|starting|target|source|sorted|non-?empty|positive|negative|non-?negative|upper"
    r"|lower)\s+)*"
)
_NOUNS: Final = {"int": "ints?|integers?|numbers?|bound", "float": "floats?", "str": "strings?|texts?|words?"}
_DESCRIBED: Final = re.compile(
    rf"(?P<list>{_ADJECTIVES}(?:list|array|sequence) of )?(?P<of>{_ADJECTIVES})"
    rf"(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _NOUNS.items())})\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_RESTRICTING: Final = re.compile(
    r"\b(?:valid|format\w*|must|should|only|cannot|sorted|unique|distinct|positive|negative|at (?:least|most)|between"
    r"|range|less|greater|than|not?|without|each|every|all|where|such that|which|of|nodes?|digits?|letters?|path|date"
    r"|even|odd|indicating)\b|[<>=≤≥{}\[\]()'\"]",
    re.IGNORECASE,
)
_CONDITIONS: Final = {"non-?negative": "{} >= 0", r"\bpositive": "{} > 0", r"\bnegative": "{} < 0"}
_OF_LISTS: Final = {"sorted": "{0} == sorted({0})", "empty": "len({}) > 0"}
_SOUGHT: Final = re.compile(r"(?:the |an? )?(?:value|element|item) to (?:find|search for|look for)\.?", re.IGNORECASE)
_IMPURE: Final = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """Values that are drawn, for each parameter that is needed."""

    function: Function
    kinds: Mapping[str, Kind]
    conditions: tuple[ast.expr, ...] = ()
    """What must hold of the values."""

    def call(self, values: Mapping[str, str]) -> str:
        """The call; every mutable value is passed as a copy, so that checks see the original.

        Args:
            values: parameter → Python, where something else than the drawn value is passed.
        """
        passed = []
        for parameter in (one for one in self.function.parameters if one.name in self.kinds):
            name = parameter.name
            value = values.get(name, f"copy.deepcopy({name})" if self.kinds[name].mutable else name)
            passed.append(f"{name}={value}" if parameter.keyword_only else value)
        code = f"{self.function.qualified}({', '.join(passed)})"
        return f"asyncio.run({code})" if self.function.is_async else code


def parts_of(text: str) -> dict[str, str]:
    """What stands under each kind of heading, and as `prose` the rest."""
    text = text.expandtabs(4)
    found = {**dict.fromkeys(_HEADINGS, ""), "prose": _SECTION.sub("\n\n", text)}
    for hit in _SECTION.finditer(text):
        found[next(kind for kind in _HEADINGS if hit[kind])] += f"{hit['body']}\n"
    return found


def arguments_of(function: Function, texts: Iterable[str]) -> Arguments:
    """How to call a function with every value that its documentation allows.

    Raises:
        NotTested: the values are not known well enough: an input outside of a precondition refutes nothing.
    """
    if function.needs_instance:
        raise NotTested(f"`{function.qualified}` needs an instance, and only examples say how to make one")
    texts = list(texts)
    if any(map(_FIELD_LIST.search, texts)):
        raise NotTested("what `:param …:` says of its arguments is not read; give an example")
    parts = [parts_of(text) for text in texts]
    entries = {hit["name"]: hit for part in parts for hit in _ENTRY.finditer(part["arguments"])}
    needed = [one for one in function.parameters if not one.variadic and one.default is None]
    conditions = list[ast.expr]()
    for line in (line for part in parts for line in part["conditions"].splitlines() if line.strip()):
        if (read := read_condition(line, (one.name for one in needed))) is None:
            raise NotTested(f"the precondition {line.strip()!r} is not understood")
        conditions.append(read)
    bounded, kinds = free_names(conditions), dict[str, Kind]()
    for parameter in needed:
        name, entry = parameter.name, entries.get(parameter.name)
        known = kind_of(parameter.annotation or parse_expression((entry and entry["type"]) or ""))
        text = entry["text"].strip() if entry else ""
        kind, holds = described(name, text, known, [*kinds.values()], bounded=name in bounded)
        if kind is None:
            raise NotTested(f"no values can be made for `{name}`; annotate it, or give an example")
        kinds[name] = kind
        conditions += [node for one in holds if (node := parse_expression(one))]
    return Arguments(function=function, kinds=kinds, conditions=tuple(conditions))


def described(
    name: str, text: str, known: Kind | None, others: Sequence[Kind], *, bounded: bool = False
) -> tuple[Kind | None, list[str]]:
    """The values of a described parameter and what holds of them; None where its description may restrict them further.

    Args:
        name: of the parameter.
        text: e.g. "a sorted list of ints", "a value to find".
        known: what its type says of them.
        others: the kinds of other parameters; one of them may be a list that is searched.
        bounded: whether a precondition says what the values are.
    """
    lists = [one for one in others if one.name == "list"]
    if _SOUGHT.fullmatch(text) and len(lists) == 1:
        return known or lists[0].items[0], []
    hit = _DESCRIBED.match(text)
    if not bounded and _RESTRICTING.search(hit["rest"] if hit else text):
        return None, []
    if hit is None:
        return known, []
    kind, words = Kind(name=next(one for one in _NOUNS if hit[one])), hit["of"].lower()
    holds = next((told for word, told in _CONDITIONS.items() if re.search(word, words)), "")
    conditions = [holds.format(name)] if holds else []
    if listed := (hit["list"] or "").lower():
        kind = Kind(name="list", items=(kind,))
        conditions = [f"all({holds.format('item')} for item in {name})"] if holds else []
        conditions += [told.format(name) for word, told in _OF_LISTS.items() if word in listed]
    elif hit[kind.name].lower().endswith("s") or "sorted" in words:
        return known, []  # several: their container is not named
    return (kind, conditions) if known is None or known.name == kind.name else (known, [])


def read_condition(text: str, variables: Iterable[str]) -> ast.expr | None:
    """A condition that is written as Python over the variables; else None."""
    text, names = text.strip().rstrip(".;,").replace("`", ""), set(variables)
    node = parse_expression(text)
    if node is None or not is_pure(node, names) or not free_names([node]) & names:
        return None
    truth = isinstance(node, ast.Compare | ast.BoolOp) or (
        isinstance(node, ast.Call) and dotted(node.func) in {"all", "any", "isinstance"}
    )
    words_only = any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in getattr(node, "ops", ()))
    return node if truth and not words_only else None  # `xs is sorted` is English


def is_pure(node: ast.expr, variables: Iterable[str]) -> bool:
    """Whether an expression reads only the variables and harmless builtins and calls nothing private."""
    if free_names([node]) - set(variables) - ONLY_SAFE_BUILTINS:
        return False
    return not any(
        isinstance(inner, _IMPURE) or (isinstance(inner, ast.Attribute) and inner.attr.startswith("_"))
        for inner in ast.walk(node)
    )
