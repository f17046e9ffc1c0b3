"""What a docstring or claim says under its headings (Google, NumPy, Sphinx, plain ones), and which values that allows.

A description must be understood in full: an input that breaks a precondition refutes nothing.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.property.bounds import number
from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.type_expressions import domain_of_type

_KINDS: Final = {
    "parameters": "args arguments parameters params input inputs parameter argument",
    "preconditions": "precondition preconditions requires constraints assumes assumptions",
    "returns": "returns return output outputs yields result",
    "raises": "raises raise exceptions throws",
    "other": "example examples usage note notes warning warnings references attributes complexity todo",
}
_KIND_OF: Final = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_HEADING: Final = re.compile(r"^(?P<indent>\s*)\**(?P<word>[A-Za-z]+)\**\s*:\**\s*(?P<inline>.*)$")
_UNDERLINE: Final = re.compile(r"^\s*[-=~]{3,}\s*$")
_FIELD: Final = re.compile(r"^\s*[:@](?P<tag>param|arg|returns?|raises?)\b\s*(?P<name>[^:\n]*):\s*(?P<text>.*)$")
_ENTRY: Final = re.compile(
    r"^\s*[-*]?\s*`{0,2}(?P<name>\*{0,2}[^\W\d]\w*)`{0,2}\s*(?:\((?P<type>[^)\n]*)\))?\s*(?::|--|–)\s*(?P<text>.*)$"
)
_TAGS: Final = {"param": "parameters", "arg": "parameters", "return": "returns", "raise": "raises"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One documented name: a parameter, or an exception."""

    name: str
    type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """A text by its parts; every string is verbatim."""

    prose: str
    """What stands under no heading."""
    parameters: tuple[Entry, ...]
    preconditions: tuple[str, ...]
    returns: str
    raises: tuple[Entry, ...]


def read_sections(text: str) -> Sections:
    """Take a docstring or claim apart; a text without headings is all prose."""
    parts: dict[str, list[str]] = {kind: [] for kind in (*_KINDS, "prose")}
    for kind, line in _by_kind(text.expandtabs(4).splitlines()):
        parts[kind].append(line)
    return Sections(
        prose="\n".join(parts["prose"]).strip("\n"),
        parameters=tuple(_entries(parts["parameters"])),
        preconditions=tuple(_whole_expressions(parts["preconditions"])),
        returns="\n".join(parts["returns"]).strip(),
        raises=tuple(_entries(parts["raises"])),
    )


def _by_kind(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with the kind of its section, which ends at the next heading or where its indentation ends."""
    kind, indent, filled = "prose", -1, False
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        depth = len(line) - len(line.lstrip())
        heading, field = _HEADING.match(line), _FIELD.match(line)
        if _UNDERLINE.match(following) and line.strip().lower() in _KIND_OF:
            kind, indent, filled = _KIND_OF[line.strip().lower()], -1, False
        elif heading is not None and heading["word"].lower() in _KIND_OF:
            kind, indent, filled = _KIND_OF[heading["word"].lower()], len(heading["indent"]), bool(heading["inline"])
            yield kind, heading["inline"]
        elif field is not None:
            words = field["name"].split()
            yield _TAGS[field["tag"].removesuffix("s")], _as_entry(words, field["text"])
        elif not _UNDERLINE.match(line):
            if line.strip() and filled and 0 <= depth <= indent:
                kind, indent = "prose", -1
            filled = filled or bool(line.strip())
            yield kind, line


def _as_entry(words: list[str], text: str) -> str:
    return f"{words[-1]} ({' '.join(words[:-1])}): {text}" if words else text


def _entries(lines: list[str]) -> Iterator[Entry]:
    """`name (type): text` or NumPy's `name : type`; deeper lines continue an entry."""
    base = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    found: list[Entry] = []
    for line in lines:
        hit = _ENTRY.match(line) if len(line) - len(line.lstrip()) <= base + 1 else None
        if hit is not None:
            found.append(Entry(name=hit["name"].lstrip("*"), type=hit["type"] or "", text=hit["text"]))
        elif re.fullmatch(r"\s*\w+(?:Error|Exception)\s*", line):
            found.append(Entry(name=line.strip(), type="", text=""))
        elif line.strip() and found:
            found[-1] = replace(found[-1], text=f"{found[-1].text}\n{line.strip()}".strip())
    yield from found


def _whole_expressions(lines: list[str]) -> Iterator[str]:
    """One text per precondition: bracketed expressions stay together."""
    held = ""
    for line in filter(str.strip, lines):
        held = f"{held}\n{line}" if held else line.strip()
        if held.count("(") + held.count("[") <= held.count(")") + held.count("]"):
            yield re.sub(r"^[-*]\s+", "", held.strip())
            held = ""
    if held:
        yield held.strip()


_ADJECTIVES: Final = (
    r"(?:(?:an?|the|any|some|single|given|input|small|plain|first|second|other|starting|original|source|target|whole"
    r"|long|short|possibly empty|unsorted|sorted|ordered|non-?empty|unique|distinct|positive|negative"
    r"|non-?negative|natural)\s+)*"
)
_NOUNS: Final = {
    "int": r"ints?|integers?|whole numbers?|numbers?",
    "float": r"floats?|reals?|real numbers?|floating[- ]point numbers?",
    "str": r"str|strings?|texts?|words?",
    "bool": r"bools?|booleans?",
}
_NOUN: Final = "|".join(f"(?P<{kind}>{words})" for kind, words in _NOUNS.items())
_LIST: Final = re.compile(
    rf"(?P<of>{_ADJECTIVES}(?:list|array|sequence|iterable) of {_ADJECTIVES})(?:{_NOUN})\b", re.IGNORECASE
)
_ALONE: Final = re.compile(rf"(?P<of>{_ADJECTIVES})(?:{_NOUN})\b(?! of\b)", re.IGNORECASE)
_COUNT: Final = re.compile(
    rf"{_ADJECTIVES}(?:maximum )?(?:number|count|column width|width|length|size)\b.*", re.IGNORECASE
)
_RESTRICTING: Final = re.compile(
    r"\b(?:valid|well[- ]formed|format\w*|iso|must|should|only|cannot|sorted|ordered|unique|distinct|duplicates?"
    r"|positive|negative|non-?\w+|at least|at most|between|range|less|greater|larger|smaller|than|not?|without"
    r"|each|every|all|where|such that|whose|with(?!\.?$)|which|nodes?|graph|tree|acyclic|connected|lowercase|uppercase"
    r"|digits?|letters?|balanced|encod\w+|roman|hex\w*|binary|email"
    r"|url|path|file\w*|date\w*|time\w*|json|xml|csv|pairs?|mapping"
    r"|matrix|grid|even|odd|prime|multiple|divisible|power|up to|from|in\s+\[|permutation|palindrom\w+|version|name"
    r"|indicating|percent\w*|probabilit\w+|fraction)\b|[<>=≤≥{}\[\]()'\"]",
    re.IGNORECASE,
)
_SOUGHT: Final = re.compile(
    r"(?:the |an? )?(?:value|element|item|key)(?: to (?:find|search for|look (?:for|up)))\.?", re.IGNORECASE
)


def read_parameter(annotated: Domain | None, entry: Entry) -> Domain | None:
    """The values of a documented parameter; None where its description is not understood in full."""
    domain = annotated
    if entry.type:
        written = parse_expression(entry.type)
        domain = (domain_of_type(written) if written is not None else None) or _described(entry.type)
    for clause in filter(str.strip, re.split(r"[,;]\s|\.\s|\n|\.$", entry.text)):
        said = _described(clause.strip())
        domain = domain or said
        if said is None and _RESTRICTING.search(clause):
            return None
    return domain


def _described(clause: str) -> Domain | None:
    for pattern in (_LIST, _ALONE):
        if (hit := pattern.match(clause)) is not None and not _RESTRICTING.search(clause[hit.end() :]):
            kind = next(kind for kind in _NOUNS if hit[kind])
            return _narrowed(Domain(kind=kind), hit["of"].lower(), listed=pattern is _LIST)
    counted = _COUNT.fullmatch(clause) is not None and not _RESTRICTING.search(clause)
    return Domain(kind="int", minimum=0) if counted else None


def _narrowed(domain: Domain, words: str, *, listed: bool) -> Domain | None:
    """Obey the adjectives before a noun."""
    if re.search(r"non-?negative|natural", words):
        domain = replace(domain, minimum=0)
    elif "positive" in words:
        domain = replace(domain, minimum=1)
    elif "negative" in words:
        domain = replace(domain, maximum=-1)
    if not listed:
        return domain
    size, ordered = int("empty" in words and "possibly" not in words), bool(re.search(r"\b(?:sorted|ordered)\b", words))
    unique = bool(re.search(r"unique|distinct", words))
    return Domain(kind="list", items=(domain,), ordered=ordered, min_size=size, unique=unique)


def sought(entry: Entry) -> bool:
    """Whether a parameter is said to be an item of the list that is searched: "x: a value to find"."""
    return _SOUGHT.fullmatch(entry.text.strip()) is not None


def implied_domains(conditions: tuple[str, ...]) -> dict[str, Domain]:
    """What preconditions written as code imply: `n >= 1` speaks of a number, `all(c in '()' for c in s)` of a text."""
    found: dict[str, Domain] = {}
    for tree in filter(None, map(parse_expression, conditions)):
        loops = {source_of(n.target): source_of(n.iter) for n in ast.walk(tree) if isinstance(n, ast.comprehension)}
        for compare in [n for n in ast.walk(tree) if isinstance(n, ast.Compare)]:
            sides = [compare.left, *compare.comparators]
            if isinstance(compare.ops[0], ast.In) and isinstance(getattr(sides[1], "value", None), str):
                found |= {loops[name]: Domain(kind="str") for name in {source_of(sides[0])} & loops.keys()}
            elif any(number(side) is not None or source_of(side).startswith("len(") for side in sides):
                names = {side.id for side in sides if isinstance(side, ast.Name)} - loops.keys()
                found |= {name: Domain(kind="int") for name in names}
    return found
