"""Standard streams that end no run: ones that are closed, whose reader has gone, that are full or know few characters.

What a run says on its way is for a person who may have gone away (`2>&1 | head`, a closed terminal, a full disk); the
outcome does not hang on it. Results on stdout are another matter: `flows.commands.output`.
"""

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STDERR: Final = 2


class _Talk(io.FileIO):
    """Takes what is written also where nobody can have it any more."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write, or drop."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Make the process's own streams such; what a test or a caller put in their place stays."""
    _open_closed()
    if sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A name that is no UTF-8, or a locale without `→`, is shown escaped.
        sys.stdout.reconfigure(errors="backslashreplace")
    old = sys.stderr
    if old is sys.__stderr__ and isinstance(old, io.TextIOWrapper) and _is(old, STDERR):
        old.flush()
        buffer = io.BufferedWriter(_Talk(STDERR, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(buffer, encoding=old.encoding, errors=old.errors, line_buffering=True)


def _open_closed() -> None:
    """Somebody may start us with standard streams closed (`<&-`): Python leaves None, on which every use would fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  # open until the process ends


def _is(stream: io.TextIOWrapper, descriptor: int) -> bool:
    try:
        return stream.fileno() == descriptor
    except (OSError, ValueError):
        return False


def say(line: str) -> None:
    """Tell the person at the terminal how things are; stdout carries data."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # what a person reads
