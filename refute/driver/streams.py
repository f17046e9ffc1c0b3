"""The subject's standard streams: what it prints reaches the test's own, what it reads comes from there."""

import io
from collections.abc import Callable
from typing import Any


class RawOutput(io.RawIOBase):
    """Takes bytes, for the next message; 1 is output, 2 errors."""

    def __init__(self, number: int, write: Callable[[int, bytes], None]) -> None:
        self._number = number
        self._write = write
        self.name = "<stdout>" if number == 1 else "<stderr>"

    def write(self, data: Any) -> int:
        """Write bytes."""
        content = bytes(data)
        self._write(self._number, content)
        return len(content)

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor, for programs that are started with it."""
        return self._number


class Input(io.TextIOBase):
    """Reads from the test's standard input, never more than is asked for."""

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, read: Callable[[str, int], Any]) -> None:
        self._read = read
        self.buffer = InputBuffer(self)
        self.name = "<stdin>"
        self.mode = "r"

    def read(self, size: int | None = -1) -> str:
        """Read text."""
        return str(self._read("read", -1 if size is None else size))

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        """Read a line."""
        return str(self._read("readline", size))

    def readable(self) -> bool:
        """It is."""
        return True

    def isatty(self) -> bool:
        """It is none."""
        return False

    def fileno(self) -> int:
        """The descriptor; nothing is there."""
        return 0


class InputBuffer(io.BufferedIOBase):
    """The bytes below an Input."""

    def __init__(self, text: Input) -> None:
        self._text = text

    def read(self, size: int | None = -1) -> bytes:
        """Read bytes."""
        return self._text.read(size).encode()

    def readline(self, size: int | None = -1) -> bytes:
        """Read a line."""
        return self._text.readline(-1 if size is None else size).encode()

    def readable(self) -> bool:
        """It is."""
        return True


def output(number: int, write: Callable[[int, bytes], None]) -> io.TextIOWrapper:
    """Standard output or errors; what is written waits nowhere here."""
    raw: Any = RawOutput(number, write)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="strict", newline="\n", write_through=True)
