"""Commands with what is shown for them, as texts hold them: `$ command` sessions, and `COMMAND -> OUTPUT`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_PROMPT: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[\w.-]+@[\w.-]+:[^\s$#]*)?[$%] (?P<command>\S.*)$")
_LINK: Final = re.compile(r"`?\s*(?:->|=>|→|⇒)\s*|`?\s+prints\s+|(?=`?,?\s+(?:and\s+)?exits\s)")
_EXITS: Final = re.compile(
    r"(?P<end>`?),?\s*(?:and )?exits (?:with )?(?:status |code |exit code )?(?P<code>\d{1,3})\.?$"
)
_IN_CODE: Final = re.compile(r"`([^`\n]+? (?:->|=>|→|⇒) [^`\n]+)`")
_SENTENCE: Final = 4
"""Words of a last line that may be prose again, where nothing shows where the output ends."""


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One command and what is shown for it."""

    command: str
    lines: list[str] = field(default_factory=list)
    """Without the prompt's indentation."""
    exit_code: int | None = None
    indent: int = 0
    open_ended: bool = False
    """Whether the output may go on where the text speaks of something else."""
    in_line: str = ""
    """All of it, where both stand in one line."""
    trusted: bool = True
    """Whether all that follows is output, and no prose."""

    @property
    def shown(self) -> str:
        """The output that is written down; empty where it may be prose."""
        text = "\n".join(self.lines).rstrip()
        words = text.rpartition("\n")[2].split()
        return "" if self.open_ended and text.endswith((".", ":")) and len(words) >= _SENTENCE else text


def read_sessions(text: str) -> tuple[list[list[Exchange]], str]:
    """Every session of a text in order, and the text without them and without fences.

    In plain text an output ends at a blank line, as in doctest; one that has blank lines stands in a fence.
    """
    sessions, rest = list[list[Exchange]](), list[str]()
    current, fence = list[Exchange](), ""
    for line in text.expandtabs(4).splitlines():
        mark, prompt = _FENCE.match(line), _PROMPT.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            current, fence = [], "" if fence else mark[1]
            continue
        if not prompt and not fence and not line.strip():
            current = []
        if current and current[-1].command.endswith("\\") and not current[-1].lines:
            current[-1].command = current[-1].command[:-1] + re.sub(r"^\s*(?:> )?", " ", line)
        elif prompt is not None:
            if current:
                current[-1].open_ended = False
            else:
                sessions.append(current)
            current.append(Exchange(command=prompt["command"], indent=len(prompt["indent"]), open_ended=not fence))
        elif current:
            current[-1].lines.append(line[min(current[-1].indent, len(line) - len(line.lstrip())) :])
        elif not fence:
            rest.append(line)
    return sessions, "\n".join(rest)


def read_lines(text: str, *, is_example: bool) -> Iterator[list[Exchange]]:
    """For each text that may be `COMMAND -> OUTPUT` or `COMMAND exits 2` the ways to read it; in a claim it is code.

    Args:
        text: without sessions.
        is_example: whether the whole text is one.
    """
    written = [(text.strip(), True)] if is_example else [(code, True) for code in _IN_CODE.findall(text)]
    if not is_example:
        written += [(one, False) for one in re.split(r"(?<=[.;])\s+|\n", text) if one.startswith("`")]
    for one, trusted in written:
        links = _LINK.finditer(one.partition("\n")[0])
        yield [_exchange(one, link.start(), link.end(), trusted=trusted) for link in links]


def _exchange(text: str, start: int, end: int, *, trusted: bool) -> Exchange:
    value, command = text[end:].strip(), text[:start].strip("` ").removeprefix("$ ")
    if (hit := _EXITS.search(value)) is not None:
        value = value[: hit.start()] + (hit["end"] if hit.start() else "")
    code = int(hit["code"]) if hit else None
    return Exchange(command=command, lines=[value], exit_code=code, in_line=text, trusted=trusted)
