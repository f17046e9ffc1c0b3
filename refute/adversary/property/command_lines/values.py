"""What a person writes as the output of a program, as the lines that may be meant."""

import json
import re
from typing import Final

from refute.adversary.property.command_lines.shell_words import unescaped

_SHORTENING: Final = re.compile(r"truncat|shorten|abbreviat|ellips|cut off|cuts? |\bdots\b", re.IGNORECASE)
_LAYOUT: Final = re.compile(r"indent|compact|pretty|minif|sort|order|one line|single line|separator", re.IGNORECASE)
_QUOTED: Final = re.compile(r"""(?P<quote>["'])(?P<inner>.*)(?P=quote)""", re.DOTALL)
_USAGE: Final = re.compile(
    r"^usage: |^(?:options|optional arguments|positional arguments):|invalid choice", re.IGNORECASE
)
_DATED: Final = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d(?::\d\d)\b|\b\d+(?:\.\d+)? ?(?:ms|sec(?:ond)?s?)\b")
_PLACED: Final = re.compile(r"(?<![\w.])/(?:home|Users|tmp|private|var|root)/|\b[A-Z]:\\")
_PYTHON_VERSION: Final = re.compile(r"\bPython [23]\.\d+|\bpid\b|0x[0-9a-f]{6,}", re.IGNORECASE)


def readings(text: str) -> list[list[str]]:
    r"""The lines that a value may mean: `\n` may stand for a line break, quotes may only surround it."""
    texts = [text]
    if (hit := _QUOTED.fullmatch(text.strip())) is not None and hit["quote"] not in hit["inner"]:
        texts = [hit["inner"], text]
    found = [_lines(reading) for one in texts for reading in dict.fromkeys((unescaped(one), one))]
    return [lines for index, lines in enumerate(found) if lines not in found[:index]]


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def equals(stream: str, text: str, claim_text: str) -> str:
    """A condition, as an expression: a stream holds just this.

    Args:
        stream: expression of the text.
        text: as the person wrote it.
        claim_text: may speak of what else would be forgiven: of shortening by dots, of the layout of JSON.
    """
    meant = readings(text)
    one_line = all(len(lines) <= 1 and not (lines and lines[0][:1].isspace()) for lines in meant)
    lines = f"lines_of({stream}.strip())" if one_line else f"lines_of({stream})"
    loose = ("..." in text and not _SHORTENING.search(claim_text)) or (
        _is_json(text) and not _LAYOUT.search(claim_text)
    )
    if loose:
        return " or ".join(f"meant_by({lines}, {one!r}) == {one!r}" for one in meant)
    return f"{lines} == {meant[0]!r}" if len(meant) == 1 else f"{lines} in {meant!r}"


def holds(stream: str, text: str) -> str:
    """A condition, as an expression: this stands somewhere in a stream."""
    texts = list(dict.fromkeys("\n".join(lines).strip() for lines in readings(text)))
    parts = [
        f"all(part in {stream} for part in {_parts(one)!r})" if "..." in one else f"{one!r} in {stream}"
        for one in texts
    ]
    return " or ".join(parts)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("...") if part.strip()]


def is_usage(lines: list[str]) -> bool:
    """Whether argparse writes these: their words differ between versions of Python."""
    return any(_USAGE.search(line) for line in lines)


def changing(text: str, given: str) -> str:
    """What of an output depends on where and when a program runs, and not on what it is given; empty for nothing.

    Args:
        text: the output.
        given: arguments and input, as one text.
    """
    if (hit := _DATED.search(text)) and not _DATED.search(given):
        return f"the time {hit[0]!r}"
    if (hit := _PLACED.search(text)) and hit[0] not in given:
        return f"the path {hit[0]!r}"
    return f"{hit[0]!r}" if (hit := _PYTHON_VERSION.search(text)) else ""


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False
