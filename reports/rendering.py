"""Rich's tables and texts as a string: for a terminal, or plain for a pipe and a file."""

import io
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.console import Console, RenderableType
from rich.table import Table


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
GAP: Final = 2
"""Between columns of a table of numbers."""
_NAMES: Final = 20
"""What names before numbers always get; longer ones are folded."""
_LONGEST: Final = 1_000


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
        # Rich cuts what does not fit: `$0.0` of $0.02. Lines that are too long are the lesser evil for figures.
        columns = part.columns if isinstance(part, Table) else []
        figures = [column.min_width + GAP for column in columns if column.min_width]
        console.print(part, crop=False, width=max(width, sum(figures) + _NAMES if figures else 0))
    # Padding to the full width would wrap in a narrower window and litter diffs.
    return "\n".join(line.rstrip() for line in buffer.getvalue().strip("\n").split("\n")) + "\n"
