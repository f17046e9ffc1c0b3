"""Reading a stopped container back: never an extraction, no process asked.

Nothing in the container runs, so nothing races the reader. Everything but the framing is hostile: names, kinds, sizes
and contents are looked at, never acted upon.
"""

import io
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from refute.sandbox.canary_files import CANARY_FILES
from refute.sandbox.files import Content, Files, TooLargeError
from refute.sandbox.job import MEBIBYTE, Limits
from refute.sandbox.profile import HOMES, HOMES_BYTES
from refute.sandbox.surroundings import FIRST
from refute.sandbox.tree import PERMISSIONS, Original, bounded

MAX_COLLECTED_BYTES: Final = 16 * MEBIBYTE
FRAMING_BYTES: Final = 16 * MEBIBYTE
"""Tar headers on top of contents: 1.5 KiB for each of 8,192 entries, rounded up."""
MAX_ENTRIES: Final = 10_000
"""On top of what was there: more files than that are a flood, and each costs 0.1 ms."""
MAX_LINKED: Final = 20
"""Original files with a second name that are asked for one by one; each costs an archive."""
BLOCK: Final = 4_096
"""tmpfs accounts whole pages."""


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

    def look(self, name: str, member: tarfile.TarInfo, content: Content | None) -> None:
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
    files: Files, originals: Mapping[str, Original], limits: Limits, workspace: str = FIRST.workspace
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
        for name, member, content in files.members(workspace, budget):
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
        if found := _read_alone(files, f"{workspace}/{name}"):
            comparison.look(name, *found)
        else:
            comparison.changed.add(name)
    return WorkspaceState(
        changed=comparison.finish(complete=complete),
        used_bytes=comparison.used_bytes,
        largest_file_bytes=comparison.largest_file_bytes,
        complete=complete,
    )


def read_touched_canary_files(files: Files) -> tuple[str, ...]:
    """The canary files that are not as they were: removed, another kind, other content or other permissions.

    Raises:
        EngineDied, SandboxFailed: they could not be read.
    """
    untouched: set[str] = set()
    unclear: set[str] = set()
    try:
        for name, member, content in files.members(HOMES, HOMES_BYTES + FRAMING_BYTES):
            path = f"{HOMES}/{name}"
            if _is_canary_file(path, member, content):
                untouched.add(path)
                if len(untouched) == len(CANARY_FILES):
                    break
            elif member.islnk() and path in CANARY_FILES:
                unclear.add(path)  # a second name for it came first: no change of its own
    except TooLargeError:  # something sparse lies before a canary file
        unclear = CANARY_FILES.keys() - untouched
    untouched |= {path for path in unclear if (found := _read_alone(files, path)) and _is_canary_file(path, *found)}
    return tuple(sorted(CANARY_FILES.keys() - untouched))


def read_collected(files: Files, names: Iterable[str], folder: str = FIRST.tests) -> dict[str, bytes]:
    """The named files directly in a folder; those that are missing, no regular file or too large stay out.

    Raises:
        EngineDied, SandboxFailed: the engine failed.
    """
    collected: dict[str, bytes] = {}
    for name in names:
        found = _read_alone(files, f"{folder}/{name}")
        if found is not None and found[1] is not None:
            collected[name] = found[1].read()
    return collected


def check_collect(names: Iterable[str]) -> None:
    """Raises ValueError where a name to collect is a path: hostile code can turn folders into symlinks."""
    for name in names:
        if "/" in name or name in {"", ".", ".."} or not name.isprintable():
            raise ValueError(f"collect: got {name!r}, expected the name of a file, without its folder")


def _differs(original: Original, member: tarfile.TarInfo, content: Content | None) -> bool:
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


def _is_canary_file(path: str, member: tarfile.TarInfo, content: Content | None) -> bool:
    canary = CANARY_FILES.get(path)
    if canary is None or content is None or not member.isreg():
        return False
    expected, mode = canary
    same = member.size == len(expected) and content.read() == expected
    return same and member.mode & PERMISSIONS == mode


def _read_alone(files: Files, path: str) -> tuple[tarfile.TarInfo, Content | None] | None:
    """A file asked for by itself, as which one of several names is a file; None where it is missing or too large."""
    try:
        for below, member, content in files.members(path, MAX_COLLECTED_BYTES + FRAMING_BYTES):
            # A folder of that name comes as what lies in it: never the file that was asked for.
            if not below and member.size <= MAX_COLLECTED_BYTES:
                return member, None if content is None else io.BytesIO(content.read())
            break
    except TooLargeError:
        pass
    return None


def _ancestors(name: str) -> Iterator[str]:
    return (name[:position] for position, char in enumerate(name) if char == "/")


def _folders(names: Iterable[str]) -> set[str]:
    """The folders that the names lie in directly: hostile trees are deep, and all ancestors would be too many."""
    return {name.rpartition("/")[0] for name in names}
