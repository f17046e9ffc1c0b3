"""Reading a stopped container back: bounded streams out of the engine, never an extraction, no process asked.

The container is paused, so nothing in it races the engine. Everything in the tar but its framing is hostile: names,
kinds, sizes and contents are looked at, never acted upon.
"""

import io
import tarfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Final

import requests
from docker.errors import NotFound
from typing_extensions import Buffer

from refute.errors import SandboxFailed
from refute.sandbox.connection import EngineClient, engine_errors
from refute.sandbox.decoys import DECOYS
from refute.sandbox.job import MEBIBYTE, Limits
from refute.sandbox.profile import ATTACK, HOMES, HOMES_BYTES, WORKSPACE
from refute.sandbox.tree import PERMISSIONS, Original, bounded, plain_name

MAX_COLLECTED_BYTES: Final = 16 * MEBIBYTE
READ_TIMEOUT_S: Final = 60.0
"""For one archive; the engine reads from memory, so this is reached only when it is in trouble."""
FRAMING_BYTES: Final = 16 * MEBIBYTE
"""Tar headers on top of contents: 1.5 KiB for each of 8,192 entries, rounded up."""
MAX_ENTRIES: Final = 10_000
"""On top of what was there: more files than that are a flood, and each costs 0.1 ms."""
MAX_LINKED: Final = 20
"""Original files with a second name that are asked for one by one; each costs an archive."""
BLOCK: Final = 4_096
"""tmpfs accounts whole pages."""


class TooLargeError(Exception):
    """An archive is longer than its reader wanted; sparse files make it so at no cost to the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceState:
    """What a job left of its workspace."""

    changed: tuple[str, ...]
    """Added, changed or removed, printable, bounded."""
    used_bytes: int
    """Whole pages of all regular files; an upper bound where files are sparse."""
    largest_file_bytes: int
    complete: bool


@dataclass(slots=True, kw_only=True)
class _Comparison:
    """Goes through a workspace member by member."""

    originals: Mapping[str, Original]
    seen: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    added_folders: set[str] = field(default_factory=set)
    used_bytes: int = 0
    largest_file_bytes: int = 0

    def look(self, name: str, member: tarfile.TarInfo, content: IO[bytes] | None) -> None:
        self.seen.add(name)
        if member.isreg():
            self.used_bytes += -(-member.size // BLOCK) * BLOCK
            self.largest_file_bytes = max(self.largest_file_bytes, member.size)
        original = self.originals.get(name)
        if original is None and member.isdir():
            self.added_folders.add(name)
        elif original is None or _differs(original, member, content):
            self.changed.add(name)

    def finish(self, *, complete: bool) -> tuple[str, ...]:
        implied = {ancestor for name in self.originals for ancestor in _ancestors(name)}
        empty = {f"{folder}/" for folder in self.added_folders - implied - _folders(self.seen)}
        removed = (set(self.originals) - self.seen) if complete else set()
        return bounded(self.changed | empty | (removed - _folders(removed)), unread=not complete)


def read_workspace(
    client: EngineClient, container: str, originals: Mapping[str, Original], limits: Limits
) -> WorkspaceState:
    """Compare the workspace with what filled it.

    Raises:
        EngineDied, SandboxFailed: it could not be read.
    """
    comparison = _Comparison(originals=originals)
    complete = True
    linked: list[str] = []
    budget = limits.workspace_bytes + 2_048 * limits.workspace_inodes
    try:
        for name, member, content in _members(client, container, WORKSPACE, budget):
            if member.islnk() and name in originals and len(linked) < MAX_LINKED:
                linked.append(name)  # the first of several names has the content
                comparison.seen.add(name)
                continue
            comparison.look(name, member, content)
            if len(comparison.seen) > MAX_ENTRIES + 2 * len(originals):
                raise TooLargeError  # noqa: TRY301 (the same end as a stream that is too long)
    except TooLargeError:
        complete = False
    for name in linked:
        _look_alone(client, container, name, comparison)
    return WorkspaceState(
        changed=comparison.finish(complete=complete),
        used_bytes=comparison.used_bytes,
        largest_file_bytes=comparison.largest_file_bytes,
        complete=complete,
    )


def read_touched_decoys(client: EngineClient, container: str) -> tuple[str, ...]:
    """The decoys that are not as they were: removed, another kind, other content or other permissions.

    Raises:
        EngineDied, SandboxFailed: they could not be read.
    """
    untouched: set[str] = set()
    unclear: set[str] = set()
    try:
        for name, member, content in _members(client, container, HOMES, HOMES_BYTES + FRAMING_BYTES):
            path = f"{HOMES}/{name}"
            if _is_decoy(path, member, content):
                untouched.add(path)
                if len(untouched) == len(DECOYS):
                    break
            elif member.islnk() and path in DECOYS:
                unclear.add(path)  # a second name for it came first: no change of its own
    except TooLargeError:  # something sparse lies before a decoy
        unclear = DECOYS.keys() - untouched
    untouched |= {path for path in unclear if _stands_alone(client, container, path)}
    return tuple(sorted(DECOYS.keys() - untouched))


def read_collected(client: EngineClient, container: str, names: Iterable[str]) -> dict[str, bytes]:
    """The named files directly under `/attack`; those that are missing, no regular file or too large stay out.

    Raises:
        EngineDied, SandboxFailed: the engine failed.
    """
    collected: dict[str, bytes] = {}
    for name in names:
        try:
            for below, member, content in _members(
                client, container, f"{ATTACK}/{name}", MAX_COLLECTED_BYTES + FRAMING_BYTES
            ):
                # A folder of that name comes as what lies in it: never the file that was asked for.
                if not below and content is not None and member.size <= MAX_COLLECTED_BYTES:
                    collected[name] = content.read()
                break
        except TooLargeError:
            continue
    return collected


def check_collect(names: Iterable[str]) -> None:
    """Raises ValueError where a name to collect is a path: hostile code can turn folders into symlinks."""
    for name in names:
        if "/" in name or name in {"", ".", ".."} or not name.isprintable():
            raise ValueError(f"collect: got {name!r}, expected the name of a file directly under {ATTACK}")


def _differs(original: Original, member: tarfile.TarInfo, content: IO[bytes] | None) -> bool:
    kind = tarfile.REGTYPE if member.isreg() else member.type
    if kind != original.kind:
        return True
    if member.issym():
        return member.linkname != original.link
    if member.mode & PERMISSIONS != original.mode:
        return True
    if content is None:
        return False
    if member.size != len(original.content):
        return True
    return content.read() != bytes(original.content)  # comparing with a view is many times slower


def _is_decoy(path: str, member: tarfile.TarInfo, content: IO[bytes] | None) -> bool:
    decoy = DECOYS.get(path)
    if decoy is None or content is None or not member.isreg():
        return False
    expected, mode = decoy
    same = member.size == len(expected) and content.read() == expected
    return same and member.mode & PERMISSIONS == mode


def _stands_alone(client: EngineClient, container: str, path: str) -> bool:
    try:
        for _, member, content in _members(client, container, path, FRAMING_BYTES):
            return _is_decoy(path, member, content)
    except TooLargeError:
        return False
    return False


def _look_alone(client: EngineClient, container: str, name: str, comparison: _Comparison) -> None:
    """Compare a file that has several names, which an archive of its own shows as a file again."""
    try:
        for below, member, content in _members(client, container, f"{WORKSPACE}/{name}", MAX_COLLECTED_BYTES):
            if not below:
                comparison.look(name, member, content)
                return
    except TooLargeError:
        pass
    comparison.changed.add(name)


def _ancestors(name: str) -> Iterator[str]:
    return (name[:position] for position, char in enumerate(name) if char == "/")


def _folders(names: Iterable[str]) -> set[str]:
    """The folders that the names lie in directly: hostile trees are deep, and all ancestors would be too many."""
    return {name.rpartition("/")[0] for name in names}


def _members(
    client: EngineClient, container: str, path: str, budget_bytes: int
) -> Iterator[tuple[str, tarfile.TarInfo, IO[bytes] | None]]:
    """Go through a path's tar: name below the path, member, content of regular files. A missing path has none.

    Raises:
        TooLargeError: the stream went over `budget_bytes`.
        EngineDied, SandboxFailed: it could not be read.
    """
    with engine_errors(f"read {path} back"):
        try:
            response = client.open_archive(container, path)
        except NotFound:
            return
        try:
            with tarfile.open(fileobj=_Bounded(response, budget_bytes), mode="r|", bufsize=2**18, errorlevel=2) as tar:
                for member in tar:
                    tar.members = []  # type: ignore[attr-defined]  # a stream is read once; the list would only grow
                    _, _, name = plain_name(member.name).partition("/")
                    if name or not member.isdir():
                        yield name, member, tar.extractfile(member) if member.isreg() else None
        except tarfile.TarError as error:
            raise SandboxFailed(f"the engine's tar of {path} cannot be read: {error}") from error
        finally:
            response.close()


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
