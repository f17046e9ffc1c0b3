"""The files of a workspace as a tar: packed, read, and compared with what a job left of them."""

import io
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

MAX_REPORTED: Final = 200
MAX_NAME: Final = 400
"""Characters of a path that are shown."""
PERMISSIONS: Final = 0o777


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """One member of the tar that filled a workspace."""

    kind: bytes
    """`tarfile.REGTYPE`, `DIRTYPE` or `SYMTYPE`."""
    mode: int
    """Permission bits."""
    link: str = ""
    content: bytes | memoryview = b""


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """A tar of plain files, readable and writable by their owner.

    Raises:
        ValueError: a path is absolute or has an empty, `.` or `..` part.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, content in sorted(files.items()):
            if any(part in {"", ".", ".."} for part in path.split("/")):
                raise ValueError(f"path of a job's file: got {path!r}, expected a relative one without `..`")
            member = tarfile.TarInfo(path)
            member.size = len(content)
            member.mode = 0o644
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def read_originals(archive: bytes) -> dict[str, Original]:
    """Path → member of the tar that fills a workspace; contents are views, nothing is copied."""
    view = memoryview(archive)
    originals: dict[str, Original] = {}
    if not archive:
        return originals
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        for member in tar:
            name = plain_name(member.name)
            if name:
                start = member.offset_data
                originals[name] = Original(
                    kind=tarfile.REGTYPE if member.isreg() else member.type,
                    mode=member.mode & PERMISSIONS,
                    link=member.linkname if member.issym() else "",
                    content=view[start : start + member.size] if member.isreg() else b"",
                )
    return originals


def plain_name(name: str) -> str:
    """A member's name without `./` in front and `/` at the end."""
    bare = name.removeprefix("./").rstrip("/")
    return "" if bare == "." else bare


def printable(name: str) -> str:
    """A hostile name for people: control, invisible and undecodable characters stand escaped; cut when very long."""
    shown = name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"
    text = shown.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def bounded(paths: Iterable[str], *, unread: bool) -> tuple[str, ...]:
    """At most `MAX_REPORTED` printable paths, sorted, and a last entry that says what is missing."""
    ordered = sorted(printable(path) for path in paths)
    shown = ordered[:MAX_REPORTED]
    if len(ordered) > MAX_REPORTED:
        shown.append(f"… and {len(ordered) - MAX_REPORTED} more")
    if unread:
        shown.append("… and possibly more: the workspace was too large to be read back")
    return tuple(shown)
