"""The subject's standard streams: what it prints reaches the test's own, what it reads comes from there."""

import io
from collections.abc import Callable
from typing import Any


class Output(io.TextIOBase):
    """Text written here goes along with the next message."""

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, number: int, write: Callable[[int, str | bytes], None]) -> None:
        self._number = number
        self._write = write
        self.buffer = OutputBuffer(number, write)
        self.name = "<stdout>" if number == 1 else "<stderr>"
        self.mode = "w"

    def write(self, text: str) -> int:
        """Write text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._write(self._number, text)
        return len(text)

    def writable(self) -> bool:
        """It is."""
        return True

    def isatty(self) -> bool:
        """It is none."""
        return False

    def fileno(self) -> int:
        """The descriptor, for programs that are started with it."""
        return self._number

    def reconfigure(self, **_: Any) -> None:
        """Nothing to change."""


class OutputBuffer(io.BufferedIOBase):
    """The bytes below an Output."""

    def __init__(self, number: int, write: Callable[[int, str | bytes], None]) -> None:
        self._number = number
        self._write = write

    def write(self, data: Any) -> int:
        """Write bytes."""
        content = bytes(data)
        self._write(self._number, content)
        return len(content)

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor."""
        return self._number


class Input(io.TextIOBase):
    """Reads from the test's standard input."""

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
