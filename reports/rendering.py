"""Rich's tables and texts as a string: for a terminal, or plain for a pipe and a file."""

import io
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table

_LONGEST: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """How wide a kind of output gets, in columns."""

    most: int
    """However wide the terminal is: longer lines are hard to read."""
    plain: int
    """Where the output is no terminal."""


OUTCOME: Final = Width(most=120, plain=100)
"""Prose and claims."""
REPORT: Final = Width(most=140, plain=110)
"""Tables of numbers."""


def rendered(parts: Iterable[RenderableType], kind: Width, *, color: bool, width: int | None) -> str:
    """The parts below each other, without trailing blanks.

    Args:
        parts: what to show.
        kind: how wide it may get.
        color: whether it goes to a terminal; NO_COLOR is obeyed all the same.
        width: columns; None for those of the terminal.
    """
    if width is None:
        known = color or "COLUMNS" in os.environ
        width = min(shutil.get_terminal_size().columns, kind.most) if known else kind.plain
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=_LONGEST,
        force_terminal=color,
        color_system="standard" if color else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    for part in parts:
        # Rich cuts what must not wrap: `$0.0` of $0.02. A line that is too long is the lesser evil.
        rigid = isinstance(part, Table) and all(column.no_wrap for column in part.columns)
        needed = Measurement.get(console, console.options, part).maximum if rigid else 0
        console.print(part, crop=False, width=max(width, needed))
    # Padding to the full width would wrap in a narrower window and litter diffs.
    return "\n".join(line.rstrip() for line in buffer.getvalue().strip("\n").split("\n")) + "\n"
