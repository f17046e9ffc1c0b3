"""Docstrings and claims taken apart by their headings: Google, NumPy, Sphinx and plain ones.

Own code rather than a docstring library: claims mix the styles, use headings that no style knows ("Precondition:",
"Input:"), and every part must stay verbatim so that a test can quote it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_KINDS = {
    "parameters": (
        "args arguments parameters params inputs input keyword_args keyword_arguments "
        "other_parameters parameter argument"
    ),
    "preconditions": "precondition preconditions requires require assumptions assumption constraints assumes",
    "returns": "returns return output outputs yields yield result results",
    "raises": "raises raise exceptions throws errors",
    "examples": "example examples usage sample samples doctest doctests",
    "other": "note notes warning warnings see_also references reference side_effect side_effects complexity explanation"
    " attributes time_complexity space_complexity algorithm todo postcondition postconditions",
}
_KIND_OF = {word.replace("_", " "): kind for kind, words in _KINDS.items() for word in words.split()}
_HEADING = re.compile(
    r"^(?P<indent>[ \t]*)(?:\*\*)?(?P<word>[A-Za-z][A-Za-z ]{1,24}?)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(?P<inline>.*)$"
)
_BARE_HEADING = re.compile(r"^(?P<indent>[ \t]*)(?P<word>Examples?|Usage)[ \t]*$")
_UNDERLINE = re.compile(r"^[ \t]*[-=~]{3,}[ \t]*$")
_FIELD = re.compile(
    r"^[ \t]*[:@](?P<tag>param|parameter|arg|type|returns?|rtype|raises?|throws)\b[ "
    r"\t]*(?P<name>[^:\n]*):[ \t]*(?P<text>.*)$"
)
_ENTRY = re.compile(
    r"^[ \t]*[-*]?[ \t]*`{0,2}(?P<name>\*{0,2}[^\W\d]\w*)`{0,2}[ "
    r"\t]*(?:\((?P<type>[^)\n]*)\))?[ \t]*(?::|--|–| - )[ \t]*(?P<text>.*)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One documented name: a parameter, or an exception."""

    name: str
    type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """A text by its parts; every string is verbatim, lines joined as they stand."""

    prose: str
    """What stands under no heading."""
    parameters: tuple[Entry, ...] = ()
    preconditions: tuple[str, ...] = ()
    returns: str = ""
    raises: tuple[Entry, ...] = ()
    unread_parameters: tuple[str, ...] = field(default=())
    """Lines of a parameter section that name no parameter."""


def read_sections(text: str) -> Sections:
    """Take a docstring or claim apart; a text without headings is all prose."""
    parts: dict[str, list[list[str]]] = {}
    for kind, lines in _split(text):
        parts.setdefault(kind, []).append(lines)
    entries, unread = _entries(_flat(parts, "parameters"))
    fields = _fields(_flat(parts, "fields"))
    raised, _ = _entries(_flat(parts, "raises"))
    returned = "\n".join("\n".join(block) for block in parts.get("returns", [])).strip()
    return Sections(
        prose="\n".join("\n".join(block) for block in parts.get("prose", [])).strip("\n"),
        parameters=(*entries, *fields["param"]),
        preconditions=tuple(_paragraphs(_flat(parts, "preconditions"))),
        returns=returned or "\n".join(entry.text for entry in fields["return"]),
        raises=(*raised, *fields["raise"]),
        unread_parameters=tuple(unread),
    )


def _flat(parts: dict[str, list[list[str]]], kind: str) -> list[str]:
    return [line for block in parts.get(kind, []) for line in block]


def _split(text: str) -> Iterator[tuple[str, list[str]]]:
    """(kind, lines) in order; a section ends at the next heading, or where its indentation ends."""
    kind, indent, lines = "prose", -1, list[str]()
    source = text.expandtabs(4).splitlines()
    for number, line in enumerate(source):
        following = source[number + 1] if number + 1 < len(source) else ""
        heading = _heading(line, following)
        if heading is not None:
            yield kind, lines
            kind, indent, lines = heading[0], heading[1], [heading[2]] if heading[2] else []
            continue
        if _UNDERLINE.match(line) and not lines:
            indent = -1  # underlined headings: the block is not indented
            continue
        if _FIELD.match(line):
            yield kind, lines
            kind, indent, lines = "fields", 0, [line]
            continue
        depth = len(line) - len(line.lstrip())
        if line.strip() and kind not in {"prose", "fields"} and indent >= 0 and depth <= indent and any(lines):
            yield kind, lines
            kind, indent, lines = "prose", -1, []
        if not line.strip() and kind == "fields":
            yield kind, lines
            kind, indent, lines = "prose", -1, []
        lines.append(line)
    yield kind, lines


def _heading(line: str, following: str) -> tuple[str, int, str] | None:
    """(kind, indent, text on the same line) where the line is a heading."""
    if _UNDERLINE.match(following) and line.strip().lower() in _KIND_OF:
        return _KIND_OF[line.strip().lower()], len(line) - len(line.lstrip()), ""
    hit = _HEADING.match(line) or _BARE_HEADING.match(line)
    if hit is None or hit["word"].lower() not in _KIND_OF:
        return None
    inline = hit.groupdict().get("inline") or ""
    return _KIND_OF[hit["word"].lower()], len(hit["indent"]), inline


def _entries(lines: list[str]) -> tuple[list[Entry], list[str]]:
    """`name (type): text` or NumPy's `name : type` with the text indented below; deeper lines continue an entry."""
    found: list[Entry] = []
    unread: list[str] = []
    base = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    for line in lines:
        depth = len(line) - len(line.lstrip())
        hit = _ENTRY.match(line) if depth <= base + 1 else None
        if hit is not None:
            found.append(Entry(name=hit["name"].lstrip("*"), type=hit["type"] or "", text=hit["text"]))
        elif re.fullmatch(r"[ \t]*\w+(?:Error|Exception)[ \t]*", line):
            found.append(Entry(name=line.strip(), type="", text=""))
        elif line.strip() and found and depth > base:
            last = found[-1]
            found[-1] = Entry(name=last.name, type=last.type, text=f"{last.text}\n{line.strip()}".strip())
        elif line.strip():
            unread.append(line.strip())
    return found, unread


def _fields(lines: list[str]) -> dict[str, list[Entry]]:
    """Sphinx fields: `:param int x: text`, `:type x: int`, `:returns: text`, `:raises E: text`."""
    found: dict[str, list[Entry]] = {"param": [], "return": [], "raise": []}
    types: dict[str, str] = {}
    current: list[Entry] | None = None
    for line in lines:
        hit = _FIELD.match(line)
        if hit is None:
            if current:
                current[-1] = Entry(
                    name=current[-1].name, type=current[-1].type, text=f"{current[-1].text}\n{line.strip()}"
                )
            continue
        words, tag = hit["name"].split(), hit["tag"]
        if tag == "type" and words:
            types[words[-1]] = hit["text"]
        elif tag in {"param", "parameter", "arg", "raises", "raise", "throws"} and words:
            current = found["param" if tag.startswith(("param", "arg")) else "raise"]
            current.append(Entry(name=words[-1], type=" ".join(words[:-1]), text=hit["text"]))
        elif tag in {"return", "returns"}:
            current = found["return"]
            current.append(Entry(name="", type="", text=hit["text"]))
    found["param"] = [Entry(name=e.name, type=e.type or types.get(e.name, ""), text=e.text) for e in found["param"]]
    return found


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """One text per precondition: bracketed expressions stay together, other lines stand for themselves."""
    held = ""
    for line in lines:
        if not line.strip():
            continue
        held = f"{held}\n{line}" if held else line.strip()
        if held.count("(") + held.count("[") <= held.count(")") + held.count("]"):
            yield re.sub(r"^[-*]\s+", "", held.strip())
            held = ""
    if held:
        yield held.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a text."""

    verbatim: str
    plain: str
    """Whitespace collapsed, for matching."""


_MAX_SENTENCE = 1_000
"""Characters; what is longer is no sentence that a pattern was made for."""


def sentences(text: str) -> list[Sentence]:
    """Sentences, list items and paragraphs; a full stop inside backticks, brackets or numbers ends nothing."""
    found: list[Sentence] = []
    for paragraph in re.split(r"\n[ \t]*\n|\n(?=[ \t]*[-*•][ \t])", text):
        start = 0
        for end in [*_stops(paragraph), len(paragraph)]:
            verbatim = paragraph[start:end].strip()
            start = end
            if verbatim and len(verbatim) <= _MAX_SENTENCE:
                found.append(Sentence(verbatim=verbatim, plain=" ".join(verbatim.split())))
    return found


def _stops(text: str) -> Iterator[int]:
    depth, code = 0, False
    for hit in re.finditer(r"[`()\[\]{}]|[.;!?](?=\s|$)", text):
        match hit[0]:
            case "`":
                code = not code
            case "(" | "[" | "{":
                depth += 1
            case ")" | "]" | "}":
                depth = max(0, depth - 1)
            case _:
                abbreviated = re.search(r"\b(?:e\.g|i\.e|etc|vs|cf)$", text[: hit.start()])
                if not code and not depth and not abbreviated:
                    yield hit.end()
