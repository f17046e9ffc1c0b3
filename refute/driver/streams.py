"""The subject's standard streams: what it prints reaches the test's own, what it reads comes from there."""

import io
from collections.abc import Callable
from typing import Any


class Output(io.RawIOBase):
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


class Input(io.BufferedIOBase):
    """The test's standard input, of which no more than the line that is asked for is read ahead."""

    name = "<stdin>"

    def __init__(self, read: Callable[[str, int], str]) -> None:
        self._read = read

    def read1(self, size: int = -1) -> bytes:
        """Read a line, or a part of one."""
        return self._read("readline", size).encode()

    def read(self, size: int | None = -1) -> bytes:
        """Read so much, or all."""
        return self._read("read", -1 if size is None else size).encode()

    def readline(self, size: int | None = -1) -> bytes:
        """Read a line."""
        return self.read1(-1 if size is None else size)

    def readable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor; nothing is there."""
        return 0


def output(number: int, write: Callable[[int, bytes], None]) -> io.TextIOWrapper:
    """Standard output or errors; what is written waits nowhere here."""
    raw: Any = Output(number, write)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="strict", newline="\n", write_through=True)


def standard_input(read: Callable[[str, int], str]) -> io.TextIOWrapper:
    """Standard input, as text."""
    raw: Any = Input(read)
    return io.TextIOWrapper(raw, encoding="utf-8")
