"""Console sessions in a text: `$ command` with its output below, in fences, indented or plain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)^[ \t]*(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL
)
_PROMPT: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[\w.-]+@[\w.-]+:[^\s$#]*)?[$%] (?P<command>\S.*)$")
_HERE: Final = re.compile(r"<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One command and what is shown below it."""

    command: str
    shown: tuple[str, ...]
    """Lines, without the prompt's indentation and empty ones at the end."""
    given: str | None = None
    """A here-document."""
    open_ended: bool = False
    """Whether the output may go on where the text speaks of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """Commands that were typed one after the other."""

    exchanges: tuple[Exchange, ...]
    start: int
    end: int
    """Where it stands in the text, in characters."""


def read_transcripts(text: str) -> list[Transcript]:
    """Every session of a text, in order."""
    text = text.expandtabs(4) if "\t" in text and "$" in text else text
    found: list[Transcript] = []
    fenced: list[tuple[int, int]] = []
    for fence in _FENCE.finditer(text):
        fenced.append(fence.span())
        exchanges = tuple(_exchanges(fence["body"].splitlines(), fenced=True))
        if exchanges:
            found.append(Transcript(exchanges=exchanges, start=fence.start(), end=fence.end()))
    for start, end in _plain_blocks(text):
        if not any(first <= start < last for first, last in fenced):
            exchanges = tuple(_exchanges(text[start:end].splitlines(), fenced=False))
            found.append(Transcript(exchanges=exchanges, start=start, end=end))
    return sorted(found, key=lambda one: one.start)


def fenced_bodies(text: str) -> list[str]:
    """What stands in fences that hold no prompt."""
    return [hit["body"] for hit in _FENCE.finditer(text) if not any(map(_PROMPT.match, hit["body"].splitlines()))]


def blank_out(text: str) -> str:
    """The text without sessions and fences, positions kept."""
    spans = [hit.span() for hit in _FENCE.finditer(text)] + [(one.start, one.end) for one in read_transcripts(text)]
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _plain_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans from a first prompt to where its indentation, or the text, ends."""
    position, start, indent, around = 0, -1, 0, 0
    last = 0
    for line in text.splitlines(keepends=True):
        depth = len(line) - len(line.lstrip())
        prompt = _PROMPT.match(line.rstrip("\n"))
        if start >= 0 and line.strip() and prompt is None:
            gap = text[last:position].strip() == "" and position > last
            if depth < indent or (gap and indent <= around):
                yield start, last
                start = -1
        if prompt is not None and start < 0:
            start, indent = position, len(prompt["indent"])
        elif start < 0 and line.strip():
            around = depth
        position += len(line)
        last = position if line.strip() else last
    if start >= 0:
        yield start, last


def _exchanges(lines: list[str], *, fenced: bool) -> Iterator[Exchange]:
    index = 0
    while index < len(lines):
        hit = _PROMPT.match(lines[index])
        index += 1
        if hit is None:
            continue
        command, index = _continued(hit["command"], lines, index)
        given, index = _here_document(command, lines, index)
        shown: list[str] = []
        while index < len(lines) and _PROMPT.match(lines[index]) is None:
            shown.append(_without(lines[index], len(hit["indent"])))
            index += 1
        while shown and not shown[-1].strip():
            shown.pop()
        yield Exchange(
            command=_HERE.sub("", command) if given is not None else command,
            shown=tuple(line.rstrip() for line in shown),
            given=given,
            open_ended=not fenced and index >= len(lines),
        )


def _without(line: str, indent: int) -> str:
    return line[indent:] if not line[:indent].strip() else line.lstrip()


def _continued(command: str, lines: list[str], index: int) -> tuple[str, int]:
    while command.endswith("\\") and index < len(lines):
        command = command[:-1] + re.sub(r"^\s*(?:> )?", " ", lines[index])
        index += 1
    return command, index


def _here_document(command: str, lines: list[str], index: int) -> tuple[str | None, int]:
    hit = _HERE.search(command)
    if hit is None:
        return None, index
    held: list[str] = []
    while index < len(lines):
        line = re.sub(r"^\s*> ?", "", lines[index]) if lines[index].lstrip().startswith(">") else lines[index]
        index += 1
        if line.strip() == hit["end"]:
            return "".join(f"{one}\n" for one in _dedented(held)), index
        held.append(line)
    return None, index


def _dedented(lines: list[str]) -> list[str]:
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[depth:] for line in lines]
