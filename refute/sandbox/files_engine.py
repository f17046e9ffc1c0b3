"""A stopped container's files as the engine's archives: bounded streams, never an extraction."""

import io
import tarfile
import time
from collections.abc import Iterator
from typing import Final

import requests
from docker.errors import NotFound
from typing_extensions import Buffer

from refute.errors import SandboxFailed
from refute.sandbox.connection import EngineClient, engine_errors
from refute.sandbox.files import Member, TooLargeError
from refute.sandbox.tree import plain_name

READ_TIMEOUT_S: Final = 60.0
"""For one archive; the engine reads from memory, so this is reached only when it is in trouble."""


class EngineFiles:
    """Each path that is asked for is one request, some 30 to 90 ms."""

    def __init__(self, client: EngineClient, container: str) -> None:
        self._client = client
        self._container = container

    def members(self, path: str, budget_bytes: int) -> Iterator[Member]:
        """See `Files.members`; of a file with several names the later ones come as links without content."""
        with engine_errors(f"read {path} back"):
            try:
                response = self._client.open_archive(self._container, path)
            except NotFound as error:
                # Nothing in a container can remove a mount point: then the container itself is gone.
                if path.count("/") == 1 or "no such container" in str(error).lower():
                    raise SandboxFailed(f"the container was gone before {path} was read back") from error
                return
            try:
                yield from _entries(response, budget_bytes)
            except tarfile.TarError as error:
                raise SandboxFailed(f"the engine's tar of {path} cannot be read: {error}") from error
            finally:
                response.close()


def _entries(response: requests.Response, budget_bytes: int) -> Iterator[Member]:
    with tarfile.open(fileobj=_Bounded(response, budget_bytes), mode="r|", bufsize=2**18, errorlevel=2) as tar:
        for member in tar:
            tar.members = []  # type: ignore[attr-defined]  # a stream is read once; the list would only grow
            _, _, name = plain_name(member.name).partition("/")
            if name or not member.isdir():
                yield name, member, tar.extractfile(member) if member.isreg() else None


class _Bounded(io.RawIOBase):
    """Reads a response up to a number of bytes and a moment in time."""

    def __init__(self, response: requests.Response, budget_bytes: int) -> None:
        super().__init__()
        self._response = response
        self._left = budget_bytes
        self._deadline = time.monotonic() + READ_TIMEOUT_S

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        if self._left <= 0 or time.monotonic() > self._deadline:
            raise TooLargeError
        view = memoryview(buffer)
        data: bytes = self._response.raw.read(len(view))
        self._left -= len(data)
        view[: len(data)] = data
        return len(data)
