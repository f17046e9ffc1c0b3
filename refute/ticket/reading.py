"""Reading a workspace's files so that nothing outside it can be read, even while someone swaps its files."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from refute.errors import SnapshotRefused

_ATTEMPTS: Final = 3
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO that took the file's place would wait for ever.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file as it was at one moment."""

    data: bytes
    executable: bool


def read_beneath(workspace: Path, path: str, *, max_bytes: int) -> Content:
    """Read a regular file below a directory; no symlink is followed on the way.

    Args:
        workspace: absolute directory without symlinks.
        path: POSIX, relative to it, itself without symlinks.
        max_bytes: no more than this is read.

    Raises:
        SnapshotRefused: the file vanished, is no regular file any more, is too large, or keeps changing.
    """
    for _ in range(_ATTEMPTS):
        content = _read_once(workspace, path, max_bytes=max_bytes)
        if content is not None:
            return content
    raise SnapshotRefused(
        f"{workspace / path}: changed while it was read, {_ATTEMPTS} times", hint="Stop what writes it, then try again."
    )


def _read_once(workspace: Path, path: str, *, max_bytes: int) -> Content | None:
    """The content, or None where it changed meanwhile."""
    try:
        with _opened(workspace, path) as descriptor:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise SnapshotRefused(f"{workspace / path}: is no regular file any more")
            if before.st_size > max_bytes:
                raise SnapshotRefused(
                    f"{workspace / path}: got {before.st_size:,} bytes, expected at most {max_bytes:,}"
                )
            with os.fdopen(descriptor, "rb", closefd=False) as stream:
                data = stream.read(before.st_size + 1)
            after = os.fstat(descriptor)
    except OSError as error:
        raise SnapshotRefused(
            f"{workspace / path}: cannot be read: {error.strerror}", hint="Is something changing the workspace?"
        ) from error
    unchanged = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if not unchanged or len(data) != before.st_size:
        return None
    return Content(data=data, executable=bool(before.st_mode & stat.S_IXUSR))


@contextmanager
def _opened(workspace: Path, path: str) -> Iterator[int]:
    """A descriptor of the file, reached directory by directory."""
    *directories, name = PurePosixPath(path).parts
    parent = os.open(workspace, _DIRECTORY)
    try:
        for directory in directories:
            child = os.open(directory, _DIRECTORY, dir_fd=parent)
            os.close(parent)
            parent = child
        descriptor = os.open(name, _FILE, dir_fd=parent)
    finally:
        os.close(parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
