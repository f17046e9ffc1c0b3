r"""Untrusted text made safe to show: on a terminal, in Markdown and HTML, in XML.

What a ticket, a test or a container printed may hold escape sequences, characters that reorder or hide text, and
markup. Everything that is not visible text is shown as a Python escape (`\x1b`, `\u202e`), never passed on. A
backslash of the text itself stays single, so an escape that a text spells out looks like one that was made here.
"""

import re
import unicodedata
from typing import Final

INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Characters that draw nothing although their category is letter, mark or symbol: those of the Unicode property
Default_Ignorable_Code_Point (DerivedCoreProperties.txt, https://www.unicode.org/reports/tr44/, as of 2026-11) whose
category does not tell, and the blank Braille pattern."""

_NOT_PLAIN: Final = re.compile(r"[^\x20-\x7e\n\t]")
_MARKS: Final = re.compile(r"[^\x00-\u02ff]{5,}")
_MARKS_SHOWN: Final = 4
LINE_CHARS: Final = 300
"""Of one line of an output; longer are data that somebody printed, or a list in a test's source."""
_MARKDOWN_ACTIVE: Final = re.compile(r"[\\`*_\[\]!~#|$]")
_AUTOLINK: Final = re.compile(r":(?=//)|@|(?<=www)\.", re.IGNORECASE)
"""What makes a bare address a link (GitHub Flavored Markdown 0.29, 6.9 Autolinks): escaped, it is text."""
_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def printable(text: str, *, max_chars: int | None = None, keep_newlines: bool = True) -> str:
    """Show every control, invisible, reordering, unassigned or surrogate character as an escape.

    What is left may also stand in XML 1.0 (https://www.w3.org/TR/xml/#charsets) and be written as UTF-8.

    Args:
        text: anything.
        max_chars: the longest result; what is cut off is counted in a marker that comes on top.
        keep_newlines: keep newlines and tabs, and read CR LF as a newline; else they are escaped too.
    """
    if not text.isascii() or not text.isprintable():
        # Cut before escaping: ten megabytes of control characters would cost seconds and then be thrown away.
        kept = text if max_chars is None else text[:max_chars]
        shown = _escaped(kept.replace("\r\n", "\n") if keep_newlines else kept, keep_newlines=keep_newlines)
    else:
        kept = shown = text
    if max_chars is None or (len(shown) <= max_chars and len(kept) == len(text)):
        return shown
    return f"{shown[:max_chars]}… [{len(text)} chars]"


def tail(text: str, *, max_lines: int, max_chars: int = 4_000) -> str:
    """The printable end of an output, long lines cut, with a marker where something was left off before it."""
    lines = text.rstrip().split("\n")
    end = "\n".join(f"{line[:LINE_CHARS]}…" if len(line) > LINE_CHARS else line for line in lines[-max_lines:])
    shown = printable(end[-max_chars:])
    return f"[… earlier output left off]\n{shown}" if len(end) > max_chars or len(lines) > max_lines else shown


def on_one_line(prose: str) -> str:
    """Several lines of prose as one, for a table's cell or a line of a log, where breaks would be shown escaped."""
    joined = ""
    for line in filter(None, map(str.strip, prose.split("\n"))):
        # Where a sentence begins that the one before does not end, only the break stood between them.
        stop = "." if joined[-1:].isalnum() and line[0].isupper() else ""
        joined = f"{joined}{stop} {line}" if joined else line
    return joined


def encodable(text: str) -> bool:
    """Whether a text can be written as UTF-8: JSON and names of files may hold halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def markdown_text(text: str, *, max_chars: int | None = None) -> str:
    """One line of Markdown prose, also inside a table cell, that renders as the text: no markup, HTML or link."""
    line = printable(text, max_chars=max_chars, keep_newlines=False)
    line = _AUTOLINK.sub(r"\\\g<0>", _MARKDOWN_ACTIVE.sub(r"\\\g<0>", line))
    return re.sub("[&<>]", lambda match: _HTML[match.group()], line)


def markdown_block(text: str, *, info: str = "text", max_chars: int | None = None) -> str:
    """A fenced code block that the text cannot close.

    Args:
        text: anything.
        info: the fence's language; never untrusted text.
        max_chars: the longest content.
    """
    content = printable(text, max_chars=max_chars).rstrip("\n")
    longest = max((len(run) for run in re.findall("`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{info}\n{content}\n{fence}"


def _escaped(text: str, *, keep_newlines: bool) -> str:
    if not keep_newlines:
        text = text.replace("\n", r"\n").replace("\t", r"\t")
    text = _NOT_PLAIN.sub(lambda match: _shown(match.group()), text)
    return _MARKS.sub(_without_piles, text)


def _shown(char: str) -> str:
    visible = char.isprintable() and char not in INVISIBLE
    return char if visible else char.encode("unicode_escape").decode("ascii")


def _without_piles(match: re.Match[str]) -> str:
    """Escape the combining marks that would climb over the lines above (more than four on one character)."""
    shown: list[str] = []
    pile = 0
    for char in match.group():
        pile = pile + 1 if unicodedata.combining(char) or unicodedata.category(char) == "Me" else 0
        shown.append(char if pile <= _MARKS_SHOWN else char.encode("unicode_escape").decode("ascii"))
    return "".join(shown)
