"""A stopped container's files through `/proc/<pid>/root`, where it runs on this machine and this process may look.

A tenth of what the engine's archives cost, each of which makes the engine start a program of its own. Nothing in the
container runs meanwhile, so nothing changes under the reader; all the same no link is ever followed, no folder is
opened but through the one that holds it, and nothing is read but regular files. What this walk is not made for (trees
too deep for it) is an OSError: then the engine is asked.
"""

import errno
import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refute.sandbox.files import Member, TooLargeError

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAX_DEPTH: Final = 40
"""Of folders; each costs two open descriptors."""
KINDS: Final = {
    stat.S_IFREG: tarfile.REGTYPE,
    stat.S_IFDIR: tarfile.DIRTYPE,
    stat.S_IFLNK: tarfile.SYMTYPE,
    stat.S_IFIFO: tarfile.FIFOTYPE,
    stat.S_IFCHR: tarfile.CHRTYPE,
    stat.S_IFBLK: tarfile.BLKTYPE,
}


class LocalFiles:
    """The files of a container by the number of its PID 1 on this machine.

    Args:
        pid: which the caller knows to be the container's.
        proc: where the kernel shows processes.
    """

    def __init__(self, pid: int, *, proc: Path = Path("/proc")) -> None:
        self._root = proc / str(pid) / "root"

    def can_be_read(self) -> bool:
        """Whether this process may look (it needs the rights of root over the container), and PID 1 is alive."""
        try:
            os.close(os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        except OSError:
            return False
        return True

    def members(self, path: str, budget_bytes: int) -> Iterator[Member]:
        """See `Files.members`. Holes cost nothing: what is not asked for is not read."""
        mount, *rest = path.strip("/").split("/")
        left = _Budget(left_bytes=budget_bytes)
        with ExitStack() as stack:
            folder = _opened(stack, str(self._root / mount))  # nothing in a container can remove a mount point
            try:
                for name in rest[:-1]:
                    folder = _opened(stack, name, folder)
                kind = stat.S_IFMT(os.lstat(rest[-1], dir_fd=folder).st_mode) if rest else stat.S_IFDIR
                if kind == stat.S_IFDIR:
                    folder = _opened(stack, rest[-1], folder) if rest else folder
            except OSError as error:
                if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
                    return
                raise
            if kind == stat.S_IFDIR:
                yield from _walk(folder, "", left, 0)
            elif member := _member(folder, rest[-1], ""):
                yield member


@dataclass(slots=True, kw_only=True)
class _Budget:
    left_bytes: int

    def spend(self, size: int) -> None:
        self.left_bytes -= size
        if self.left_bytes < 0:
            raise TooLargeError


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    folder: int
    name: str
    size: int

    def read(self) -> bytes:
        descriptor = os.open(self.name, FILE, dir_fd=self.folder)
        with open(descriptor, "rb") as file:  # noqa: PTH123 (by descriptor)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.ESTALE, "no regular file any more", self.name)
            return file.read(self.size)


def _walk(folder: int, prefix: str, budget: _Budget, depth: int) -> Iterator[Member]:
    if depth > MAX_DEPTH:
        raise OSError(errno.ENAMETOOLONG, "folders too deep", prefix[:100])
    with os.scandir(folder) as entries:
        for entry in entries:
            name = f"{prefix}{entry.name}"
            member = _member(folder, entry.name, name)
            if member is None:
                continue
            budget.spend(tarfile.BLOCKSIZE)
            yield member
            if member[1].isdir():
                with ExitStack() as stack:
                    yield from _walk(_opened(stack, entry.name, folder), f"{name}/", budget, depth + 1)


def _member(folder: int, name: str, shown: str) -> Member | None:
    """A file as an archive's header would describe it; None for a socket."""
    state = os.lstat(name, dir_fd=folder)
    kind = KINDS.get(stat.S_IFMT(state.st_mode))
    if kind is None:
        return None
    info = tarfile.TarInfo(shown)
    info.type = kind
    info.mode = stat.S_IMODE(state.st_mode)
    if kind == tarfile.SYMTYPE:
        info.linkname = os.readlink(name, dir_fd=folder)
    if kind != tarfile.REGTYPE:
        return shown, info, None
    info.size = state.st_size
    return shown, info, _File(folder=folder, name=name, size=state.st_size)


def _opened(stack: ExitStack, path: str, folder: int | None = None) -> int:
    descriptor = os.open(path, FOLDER, dir_fd=folder)
    stack.callback(os.close, descriptor)
    return descriptor
