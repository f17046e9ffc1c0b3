"""Console sessions in a text: `$ command` with its output below, in fences, indented or plain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)^[ \t]*(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL
)
_PROMPT: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[\w.-]+@[\w.-]+:[^\s$#]*)?[$%] (?P<command>\S.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One command and what is shown below it."""

    command: str
    shown: tuple[str, ...]
    """Lines, without the prompt's indentation and empty ones at the end."""
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
        shown: list[str] = []
        while index < len(lines) and _PROMPT.match(lines[index]) is None:
            shown.append(_without(lines[index], len(hit["indent"])))
            index += 1
        while shown and not shown[-1].strip():
            shown.pop()
        yield Exchange(
            command=command,
            shown=tuple(line.rstrip() for line in shown),
            open_ended=not fenced and index >= len(lines),
        )


def _without(line: str, indent: int) -> str:
    return line[indent:] if not line[:indent].strip() else line.lstrip()


def _continued(command: str, lines: list[str], index: int) -> tuple[str, int]:
    while command.endswith("\\") and index < len(lines):
        command = command[:-1] + re.sub(r"^\s*(?:> )?", " ", lines[index])
        index += 1
    return command, index
