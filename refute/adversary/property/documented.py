"""What a docstring or claim says of values under its headings: `Args:`, `Input:`, `Precondition:`, `Output:`."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.kinds import Kind

_KINDS: Final = {
    "parameters": "args arguments parameters params input inputs",
    "preconditions": "precondition preconditions requires",
    "returns": "returns return output outputs yields",
    "other": "raises example examples usage note notes warning warnings references attributes",
}
_KIND_OF: Final = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_HEADING: Final = re.compile(r"^(?P<indent>\s*)(?P<word>[A-Za-z]+):\s*(?P<inline>.*)$")
_ENTRY: Final = re.compile(r"^\s*[-*]?\s*`?(?P<name>[^\W\d]\w*)`?\s*(?:\((?P<type>[^)\n]*)\))?\s*:\s*(?P<text>.*)$")
_ADJECTIVES: Final = (
    r"(?:(?:an?|the|small|given|input|starting|target|source|sorted|non-?empty|positive|negative|non-?negative)\s+)*"
)
_NOUNS: Final = {"int": "ints?|integers?|numbers?", "float": "floats?", "str": "strings?|texts?|words?"}
_DESCRIBED: Final = re.compile(
    rf"(?P<list>{_ADJECTIVES}(?:list|array|sequence) of )?(?P<of>{_ADJECTIVES})"
    rf"(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _NOUNS.items())})\b(?! of\b)(?P<rest>.*)",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """A text by its parts; every string is verbatim."""

    prose: str
    """What stands under no heading."""
    parameters: Mapping[str, tuple[str, str]]
    """Name → type as written, and description."""
    preconditions: tuple[str, ...]
    returns: str


def read_sections(text: str) -> Sections:
    """Take a docstring or claim apart; a text without headings is all prose."""
    parts: dict[str, list[str]] = {kind: [] for kind in (*_KINDS, "prose")}
    for kind, line in _by_kind(text.expandtabs(4).splitlines()):
        parts[kind].append(line)
    entries = [hit for line in parts["parameters"] if (hit := _ENTRY.match(line))]
    return Sections(
        prose="\n".join(parts["prose"]).strip("\n"),
        parameters={hit["name"]: (hit["type"] or "", hit["text"].strip()) for hit in entries},
        preconditions=tuple(line.strip() for line in parts["preconditions"] if line.strip()),
        returns="\n".join(parts["returns"]).strip(),
    )


def _by_kind(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with the kind of its section, which ends at the next heading or where its indentation ends."""
    kind, indent, filled = "prose", -1, False
    for line in lines:
        heading = _HEADING.match(line)
        if heading is not None and heading["word"].lower() in _KIND_OF:
            kind, indent, filled = _KIND_OF[heading["word"].lower()], len(heading["indent"]), bool(heading["inline"])
            yield kind, heading["inline"]
            continue
        if line.strip() and filled and len(line) - len(line.lstrip()) <= indent:
            kind, indent = "prose", -1
        filled = filled or bool(line.strip())
        yield kind, line


def described(name: str, text: str, known: Kind | None, lists: list[Kind]) -> tuple[Kind | None, list[str]]:
    """The values of a described parameter and what holds of them; None where its description may restrict them further.

    Args:
        name: of the parameter.
        text: e.g. "a sorted list of ints", "a value to find".
        known: what its type says of them.
        lists: those that other parameters take, one of which may be searched.
    """
    if _SOUGHT.fullmatch(text) and len(lists) == 1:
        return known or lists[0].items[0], []
    hit = _DESCRIBED.match(text)
    if hit is None or _RESTRICTING.search(hit["rest"]):
        return (known if known is not None and not _RESTRICTING.search(text) else None), []
    noun = next(kind for kind in _NOUNS if hit[kind])
    kind, listed, words = Kind(name=noun), (hit["list"] or "").lower(), hit["of"].lower()
    holds = next((told for word, told in _CONDITIONS.items() if re.search(word, words)), "")
    conditions = [holds.format(name)] if holds else []
    if listed:
        kind = Kind(name="list", items=(kind,))
        conditions = [f"all({holds.format('item')} for item in {name})"] if holds else []
        conditions += [told.format(name) for word, told in _OF_LISTS.items() if word in listed]
    elif hit[noun].lower().endswith("s") or "sorted" in words:
        return known, []  # several: their container is not named
    return (kind, conditions) if known is None or known.name == kind.name else (known, [])


def implied(conditions: Iterable[str]) -> dict[str, Kind]:
    """What preconditions written as code imply: `n >= 1` speaks of a number, `all(c in '()' for c in s)` of a text."""
    found: dict[str, Kind] = {}
    for tree in filter(None, map(parse_expression, conditions)):
        loops = {source_of(n.target): source_of(n.iter) for n in ast.walk(tree) if isinstance(n, ast.comprehension)}
        for compare in [n for n in ast.walk(tree) if isinstance(n, ast.Compare)]:
            sides = [compare.left, *compare.comparators]
            if isinstance(compare.ops[0], ast.In) and isinstance(getattr(sides[1], "value", None), str):
                found |= {loops[name]: Kind(name="str") for name in {source_of(sides[0])} & loops.keys()}
            elif any(_is_number(side) or source_of(side).startswith("len(") for side in sides):
                names = {side.id for side in sides if isinstance(side, ast.Name)} - loops.keys()
                found |= {name: Kind(name="int") for name in names}
    return found


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}
