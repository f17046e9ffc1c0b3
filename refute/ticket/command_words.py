"""A command as it is typed, taken apart without a shell: words, and the signs that only a shell would act on."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_COMMAND_CHARS: Final = 4_000
_TOKEN: Final = re.compile(
    r"(?P<space>\s+)|(?P<sign>2>&1|&&|\|\||<<<|<<-?|[12]?>>?|<|\||&|;|\(|\))|(?P<single>'[^']*')"
    r"|(?P<double>\"(?:\\.|[^\"\\])*\")|(?P<plain>(?:\\.|(?![12]>)[^\s|&;<>()'\"\\])(?:\\.|[^\s|&;<>()'\"\\])*)",
    re.DOTALL,
)
_EXPANDED: Final = re.compile(r"(?<!\\)(?:\$[\w({?!@*#-]|`)")
_PATTERN: Final = re.compile(r"(?<!\\)(?:[*?]|\[[^\]]+\]|^~|\{[^{}]*(?:,|\.\.)[^{}]*\})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word as a program would get it."""

    text: str
    quoted: bool = False
    shell: str = ""
    """What of it only a shell could work out (`$HOME`, `*`); empty where there is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A sign that means something to a shell: `|`, `>`, `&&`."""

    text: str


Token = Word | Sign


def read_tokens(command: str) -> tuple[Token, ...]:
    """The words and signs of a command; a comment behind ` #` is left out.

    Raises:
        ValueError: a quote that is not closed, a NUL, or more than 4,000 characters.
    """
    if len(command) > MAX_COMMAND_CHARS or "\0" in command:
        raise ValueError(f"expected a command of at most {MAX_COMMAND_CHARS:,} characters, without NUL")
    return tuple(_tokens(command))


def _tokens(command: str) -> Iterator[Token]:
    pieces: list[re.Match[str]] = []
    position = 0
    while position < len(command):
        hit = _TOKEN.match(command, position)
        if hit is None:
            raise ValueError(f"the quote at {command[position : position + 20]!r} is not closed")
        if hit.lastgroup == "plain" and not pieces and hit[0].startswith("#"):
            return
        position = hit.end()
        if hit.lastgroup in {"space", "sign"}:
            yield from _word(pieces)
            pieces = []
        if hit.lastgroup == "sign":
            yield Sign(text=hit[0])
        elif hit.lastgroup != "space":
            pieces.append(hit)
    yield from _word(pieces)


def _word(pieces: list[re.Match[str]]) -> Iterator[Word]:
    if not pieces:
        return
    expanded = [_EXPANDED.search(one[0]) for one in pieces if one.lastgroup != "single"]
    patterns = [_PATTERN.search(one[0]) for one in pieces if one.lastgroup == "plain"]
    needs = [hit[0] for hit in (*expanded, *patterns) if hit]
    yield Word(
        text="".join(shlex.split("".join(one[0] for one in pieces))) if pieces else "",
        quoted=any(one.lastgroup != "plain" for one in pieces),
        shell=needs[0] if needs else "",
    )


def words_of(command: str) -> tuple[str, ...]:
    """The words that start a program, where the command is nothing but that.

    Raises:
        ValueError: what of it needs a shell, and what to write instead.
    """
    tokens = read_tokens(command)
    for token in tokens:
        needs = token.text if isinstance(token, Sign) else token.shell
        if needs:
            raise ValueError(f"{needs!r} needs a shell, and none is used: quote it, or give `stdin` and `files`")
    return tuple(token.text for token in tokens)
