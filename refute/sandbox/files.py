"""What a stopped container holds, member by member: the one view that everything which is read back goes through.

There are two of them, with the same answers: `LocalFiles` looks through the kernel where the container runs on this
machine and this process may, `EngineFiles` asks the engine for archives, which any engine can.
"""

import tarfile
from collections.abc import Iterator
from typing import Protocol


class TooLargeError(Exception):
    """There is more than its reader wanted; sparse files make it so at no cost to the job."""


class Content(Protocol):
    """A regular file's bytes, there until the next member is asked for."""

    def read(self) -> bytes:
        """All of them."""
        ...


Member = tuple[str, tarfile.TarInfo, Content | None]
"""Name below the path that was asked for (empty: the path itself), what it is, content of regular files."""


class Files(Protocol):
    """The files of a container in which nothing runs."""

    def members(self, path: str, budget_bytes: int) -> Iterator[Member]:
        """Everything below a path, or the path itself where it is no folder; nothing where it is missing.

        Sockets are left out.

        Args:
            path: absolute, beginning with a mount point of the job's.
            budget_bytes: at most so much is read.

        Raises:
            TooLargeError: the budget does not suffice.
            EngineDied, SandboxFailed, OSError: it could not be read.
        """
        ...
