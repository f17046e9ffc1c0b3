"""An engine that only hands out archives of made-up containers."""

import io
from collections.abc import Mapping
from typing import Any

from docker.errors import NotFound


class FakeResponse:
    """As much of a streamed HTTP response as the read-back uses; remembers whether it was closed."""

    def __init__(self, stream: Any) -> None:
        self.raw = stream
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Zeros(io.RawIOBase):
    """A stream that never ends; counts what was taken from it."""

    def __init__(self, start: bytes = b"") -> None:
        self._start = io.BytesIO(start)
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        self.taken += size
        return (self._start.read(size) + bytes(size))[:size]


class ArchiveEngine:
    """Path → tar, or a stream; any other path is not found."""

    def __init__(self, archives: Mapping[str, Any]) -> None:
        self._archives = archives
        self.responses: list[FakeResponse] = []

    def open_archive(self, container: str, path: str) -> FakeResponse:
        if path not in self._archives:
            raise NotFound("no such path")
        stream = self._archives[path]
        self.responses.append(FakeResponse(io.BytesIO(stream) if isinstance(stream, bytes) else stream))
        return self.responses[-1]

    def as_client(self) -> Any:
        """Itself, where a real client is expected."""
        return self
