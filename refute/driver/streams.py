"""The subject's standard streams: what it prints reaches the test's own, what it reads comes from there."""

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

CHUNK = 65_536


class Outlets:
    """The driver's ends of the pipes for what the subject prints.

    `print` of its code is the test's own `print` and goes to whatever the test has put in the place of `sys.stdout`;
    what is written to a descriptor, as by programs, goes to the test's descriptor of that number.
    """

    def __init__(self) -> None:
        self._texts: dict[int, tuple[str, Any]] = {}
        self._bytes: dict[int, int] = {}

    def open(self) -> tuple[int, int, int, int]:
        """The subject's ends: its descriptors 1 and 2, and what its `sys.stdout` and `sys.stderr` write to."""
        (out, err, texts, errors), theirs = zip(*(os.pipe() for _ in range(4)), strict=True)
        self._bytes = {out: 1, err: 2}
        decoder = codecs.getincrementaldecoder("utf-8")
        self._texts = {texts: ("stdout", decoder("replace")), errors: ("stderr", decoder("replace"))}
        for end in self.ends:
            os.set_blocking(end, False)
        return theirs

    @property
    def ends(self) -> list[int]:
        """What may become readable."""
        return [*self._bytes, *self._texts]

    def pass_on(self) -> None:
        """Pass on what has come; whatever the subject printed before a message has come before it."""
        for end in list(self._bytes):
            for data in self._read(end, self._bytes):
                stream = sys.stdout if self._bytes[end] == 1 else sys.stderr
                with contextlib.suppress(Exception):
                    stream.flush()
                os.write(self._bytes[end], data)
        for end in list(self._texts):
            for data in self._read(end, self._texts):
                name, decoder = self._texts[end]
                _write(getattr(sys, name), data, decoder)

    @staticmethod
    def _read(end: int, open_ends: dict[int, Any]) -> Iterator[bytes]:
        with contextlib.suppress(OSError):
            while data := os.read(end, CHUNK):
                yield data
            open_ends.pop(end, None)  # closed


def _write(stream: Any, data: bytes, decoder: Any) -> None:
    with contextlib.suppress(ValueError, UnicodeError):  # a closed stream, or one that cannot show it
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        stream.write(decoder.decode(data)) if buffer is None else buffer.write(data)
        stream.flush()


class Input(io.TextIOBase):
    """The test's standard input, of which no more than the line that is asked for is read ahead."""

    name = "<stdin>"

    def __init__(self, ask: Callable[[str, int], str]) -> None:
        self._ask = ask

    def read(self, size: int | None = -1) -> str:
        """Read so much, or all."""
        return self._ask("read", -1 if size is None else size)

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]  # as `read`
        """Read a line."""
        return self._ask("readline", -1 if size is None else size)

    def readable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor; nothing is there."""
        return 0


def output(end: int, name: str) -> io.TextIOWrapper:
    """Standard output or errors, written to a pipe of `Outlets`; what is written waits nowhere here."""
    raw = io.FileIO(end, "w")
    raw.name = name
    return io.TextIOWrapper(raw, encoding="utf-8", newline="\n", write_through=True)
