"""Deterministic packing: the same files give the same bytes, so the same inputs give the same image ID.

A layer is written with sorted entries, no times, no names of users, no extended headers, and without setuid bits.
Not covered: extended attributes and file capabilities are dropped, device nodes too (the engine brings /dev).
"""

import hashlib
import io
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

_SPECIAL_BITS = 0o6000
"""setuid and setgid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A directory, file or symlink of ours, added to a layer."""

    path: str
    """Relative to the root, without a leading slash."""
    content: bytes | None = None
    """None for a directory or a symlink."""
    link: str = ""
    """Target of a symlink."""
    mode: int = 0o755
    owner: int = 0
    """User and group id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A packed layer."""

    path: Path | None
    """None where the engine has it already."""
    digest: str
    """SHA-256 of the uncompressed tar, in hex: the layer's diff ID."""


@dataclass(frozen=True, slots=True)
class _Item:
    info: tarfile.TarInfo
    content: bytes | tarfile.TarInfo | None
    """Bytes of ours, or the member of the source that holds the content."""


def normalise(
    source: Path | None,
    target: Path,
    *,
    keep: Callable[[str], bool] = lambda _: True,
    prefix: str = "",
    added: Iterable[Entry] = (),
) -> None:
    """Writes the tar `source`, cleaned and sorted, with `added` on top, to `target`.

    Args:
        source: a tar of any flavour (an export, an archive of a directory), or None for an empty one.
        target: where the layer goes.
        keep: says for each path of the source (without leading slash, after the prefix) whether it stays.
        prefix: put before each path of the source.
        added: entries of ours; they replace those of the same path.

    Raises:
        tarfile.TarError: `source` is no tar.
    """
    with tarfile.open(source, "r:") if source else tarfile.open(fileobj=_empty_tar()) as old:
        items = _items_of(old, keep, prefix)
        for entry in added:
            items[entry.path] = _item_of(entry)
        _add_parents(items)
        with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as new:
            for path in sorted(items):
                _write(new, old, items[path])


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _items_of(old: tarfile.TarFile, keep: Callable[[str], bool], prefix: str) -> dict[str, _Item]:
    members = {_path_of(member, prefix): member for member in old}
    members.pop("", None)
    kept = {path: member for path, member in sorted(members.items()) if keep(path)}
    items: dict[str, _Item] = {}
    first_names: dict[str, str] = {}
    for path, member in kept.items():
        if member.isdev() or member.isfifo():
            continue
        # Which of several hard-linked names is "the file" depends on the order in a directory on disk, so
        # the first by name is made the file here.
        original = _resolve(member, members, prefix)
        key = _path_of(original, prefix)
        if member.isreg() or member.islnk():
            if key in first_names:
                items[path] = _Item(_info(path, original, link_to=first_names[key]), None)
                continue
            first_names[key] = path
        items[path] = _Item(_info(path, original), original if original.isreg() else None)
    return items


def _resolve(member: tarfile.TarInfo, members: Mapping[str, tarfile.TarInfo], prefix: str) -> tarfile.TarInfo:
    while member.islnk():
        member = members[_joined(member.linkname, prefix)]
    return member


def _path_of(member: tarfile.TarInfo, prefix: str) -> str:
    return _joined(member.name, prefix)


def _joined(name: str, prefix: str) -> str:
    path = str(PurePosixPath(prefix, name.lstrip("/")))
    return "" if path == "." else path.removeprefix("./")


def _info(path: str, member: tarfile.TarInfo, *, link_to: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(path)
    info.mode = member.mode & ~_SPECIAL_BITS & 0o7777
    info.uid, info.gid = member.uid, member.gid
    info.type = tarfile.LNKTYPE if link_to else member.type
    info.linkname = link_to or (member.linkname if member.issym() else "")
    info.size = member.size if member.isreg() and not link_to else 0
    return info


def _item_of(entry: Entry) -> _Item:
    info = tarfile.TarInfo(entry.path)
    info.mode, info.uid, info.gid = entry.mode, entry.owner, entry.owner
    info.size = len(entry.content or b"")
    info.linkname = entry.link
    if entry.link:
        info.type = tarfile.SYMTYPE
    elif entry.content is None:
        info.type = tarfile.DIRTYPE
    return _Item(info, entry.content)


def _add_parents(items: dict[str, _Item]) -> None:
    for path in list(items):
        for parent in PurePosixPath(path).parents:
            if str(parent) != ".":
                items.setdefault(str(parent), _item_of(Entry(path=str(parent))))


def _write(new: tarfile.TarFile, old: tarfile.TarFile, item: _Item) -> None:
    content: IO[bytes] | None = None
    if isinstance(item.content, tarfile.TarInfo):
        content = old.extractfile(item.content)
    elif item.content is not None:
        content = io.BytesIO(item.content)
    new.addfile(item.info, content)


def _empty_tar() -> IO[bytes]:
    buffer = io.BytesIO()
    tarfile.open(fileobj=buffer, mode="w").close()
    buffer.seek(0)
    return buffer
