"""Whether a text is small and shallow enough for a parser in this very process, told from its bytes alone."""

import re
from itertools import accumulate
from typing import Final

_SMALL_BYTES: Final = 200_000
_SHALLOW: Final = 40
_SHORT_LINE: Final = 8_000
_UNARY_RUN: Final = re.compile(
    rb"(?:[~!+]|not\s|lambda\s*:|await\s|else\s){30}|-{2000}|(?:-\s){30}|(?:[.\w]{1,8}\*\*){30}"
)
_DEEP_INDENT: Final = re.compile(rb"^(?:\t{40}|[ ]{400})", re.MULTILINE)
_FEW: Final = 40
"""So few brackets cannot nest deeply."""
_STEPS: Final = {**dict.fromkeys(b"([{", 1), **dict.fromkeys(b")]}", -1)}


def is_plain(data: bytes, most: int = _SMALL_BYTES) -> bool:
    """Whether a text has no more bytes than that, no endless line, and nothing that nests deeply."""
    return (
        len(data) <= most
        and max(map(len, data.split(b"\n"))) <= _SHORT_LINE
        and depth_of(data) <= _SHALLOW
        # Operators and keywords nest without brackets.
        and not _UNARY_RUN.search(data)
        and not _DEEP_INDENT.search(data)
    )


def depth_of(source: bytes) -> int:
    """How deeply brackets nest, counted on the bytes alone: an upper bound that needs no parser."""
    if sum(source.count(bracket) for bracket in (b"(", b"[", b"{", b"`")) <= _FEW:
        return 0
    depths = accumulate(source, lambda depth, byte: max(0, depth + _STEPS.get(byte, 0)), initial=0)
    return max(depths) + source.count(b"\\`") + 1  # only escaped backticks nest
