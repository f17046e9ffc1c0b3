"""A line for a shell taken apart, without a shell: words, operators, a comment. What needs a real shell is named."""

import re
import shlex
from dataclasses import dataclass
from typing import Final

from refute.guardrails.plain_text import encodable

MAX_LINE: Final = 4_000
"""Characters; what is longer is no example that a person wrote."""
_OPERATOR: Final = r"&&|\|\||\|&|;;|<<<|<<-?|2>&1|&>>?|[12]?>>|[12]?>(?!&)|<|\||&|;|\(|\)"
_TOKEN: Final = re.compile(
    rf"(?P<space>[ \t\n]+)|(?P<operator>{_OPERATOR})|(?P<ansi>\$'(?:\\.|[^'\\])*')|(?P<single>'[^']*')"
    r"|(?P<double>\"(?:\\.|[^\"\\])*\")|(?P<escaped>\\.)|(?P<plain>[^\s|&;<>()'\"\\]+?(?=\$'|[\s|&;<>()'\"\\]|\Z))",
    re.DOTALL,
)
_EXPANDED: Final = re.compile(r"\$[\w({?!@*#-]|`")
_GLOB: Final = re.compile(r"[*?]|\[[^\]]+\]|^~|\{[^{}]*(?:,|\.\.)[^{}]*\}")
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<octal>0[0-7]{0,3}|[1-7][0-7]{0,2})|x(?P<hex>[0-9a-fA-F]{1,2})|(?P<one>.))", re.DOTALL
)
_MEANT: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word as a program would get it."""

    text: str
    quoted: bool = False
    """Whether any of it stands in quotes."""
    shell: str = ""
    """What of it only a shell could work out; empty where there is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A sign that means something to a shell."""

    text: str


Token = Word | Operator


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line."""

    tokens: tuple[Token, ...]
    comment: str = ""
    """What stands behind `#`."""


def read_line(text: str) -> Line | None:
    """Take a line apart; None where quotes do not close, or it is no text that a program could get."""
    if len(text) > MAX_LINE or "\0" in text or not encodable(text):
        return None
    tokens: list[Token] = []
    pieces: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        hit = _TOKEN.match(text, position)
        if hit is None:
            return None
        kind = hit.lastgroup or ""
        if kind == "plain" and not pieces and hit[0].startswith("#") and tokens:
            return Line(tokens=tuple(tokens), comment=text[position + 1 :].strip())
        if kind in {"space", "operator"} and pieces:
            tokens.append(_word(pieces))
            pieces = []
        if kind == "operator":
            tokens.append(Operator(text=hit[0]))
        elif kind != "space":
            pieces.append((kind, hit[0]))
        position = hit.end()
    return Line(tokens=(*tokens, *([_word(pieces)] if pieces else [])))


def _word(pieces: list[tuple[str, str]]) -> Word:
    shell = ""
    for kind, piece in pieces:
        if kind in {"plain", "double"} and (hit := _EXPANDED.search(piece.replace("\\$", "").replace("\\`", ""))):
            shell = shell or hit[0]
        if kind == "plain" and (hit := _GLOB.search(piece)):
            shell = shell or hit[0]
    text = "".join(
        unescaped(piece[2:-1]) if kind == "ansi" else "".join(shlex.split(piece, posix=True)) for kind, piece in pieces
    )
    return Word(text=text, quoted=any(kind in {"single", "double", "ansi"} for kind, _ in pieces), shell=shell)


def unescaped(text: str) -> str:
    r"""The text with `\n`, `\t`, `\x41` and the like as what they stand for; an unknown escape stays as it is."""
    return _ESCAPE.sub(_character, text)


def _character(hit: re.Match[str]) -> str:
    if hit["octal"] is not None:
        return chr(int(hit["octal"], 8))
    if hit["hex"] is not None:
        return chr(int(hit["hex"], 16))
    return _MEANT.get(hit["one"], hit["one"] if hit["one"] in "\\'\"?" else hit[0])
