"""Freezing a ticket: its files are read once, hashed together with its claims, and stored."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from refute.errors import SnapshotCorrupted, SnapshotRefused
from refute.ticket.base import files_before
from refute.ticket.reading import read_beneath
from refute.ticket.record import Snapshot, SnapshotFile, Ticket
from refute.ticket.selection import Selection, left_out, select_files
from refute.ticket.store import BEFORE, SnapshotStore
from refute.ticket.withheld import content_reason

_DIGEST_VERSION: Final = "refute-snapshot-2"
_NAMED_OFFENDERS: Final = 5


def take_snapshot(
    ticket: Ticket, *, store: SnapshotStore, max_bytes: int, max_files: int, own: Iterable[Path] = ()
) -> Snapshot:
    """Freeze the files of a ticket. The workspace is only read.

    Args:
        ticket: as `load_ticket` made it.
        store: where the snapshot is kept.
        max_bytes: limit of all files together.
        max_files: limit of their number.
        own: files and directories that refute itself writes; none of them enters.

    Raises:
        SnapshotRefused: a file is missing, leaves the workspace, may hold credentials although the ticket names it,
            changes while it is read; or there are too many or too large ones.
        InfrastructureError: the store cannot be written.
    """
    selection = select_files(ticket, own=own)
    _check_limits(ticket, _sizes(selection), max_bytes=max_bytes, max_files=max_files)
    contents: dict[str, bytes] = {}
    files: list[SnapshotFile] = []
    remaining = max_bytes
    for path, source in sorted(selection.sources.items()):
        content = read_beneath(selection.workspace, source, max_bytes=remaining)
        if reason := content_reason(content.data):
            del selection.sources[path]
            selection.leave_out(path, reason)
            continue
        remaining -= len(content.data)
        contents[path] = content.data
        files.append(_frozen(path, content.data, executable=content.executable))
    if selection.faults:
        raise SnapshotRefused(f"{ticket.source}: " + "; ".join(selection.faults))
    earlier = files_before(ticket, selection, contents, max_bytes=max_bytes)
    before = [_frozen(path, data) for path, data in earlier.items()]
    digest = snapshot_digest(ticket, files, before)
    contents |= {f"{BEFORE}{path}": data for path, data in earlier.items()}
    return store.add(digest, files, contents, before=before, left_out=left_out(selection))


def _frozen(path: str, data: bytes, *, executable: bool = False) -> SnapshotFile:
    digest = hashlib.sha256(data).hexdigest()
    return SnapshotFile(path=path, sha256=digest, size_bytes=len(data), executable=executable)


def snapshot_digest(ticket: Ticket, files: Sequence[SnapshotFile], before: Sequence[SnapshotFile] = ()) -> str:
    """`sha256:…` over everything that an approval covers: the ticket (without where it stands) and all its files."""
    stated = dataclasses.asdict(ticket)
    del stated["workspace"], stated["source"]
    manifests = [
        [[one.path, one.executable, one.size_bytes, one.sha256] for one in sorted(part, key=lambda one: one.path)]
        for part in (files, before)
    ]
    canonical = json.dumps([_DIGEST_VERSION, stated, *manifests], sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _sizes(selection: Selection) -> Mapping[str, int]:
    try:
        return {path: (selection.workspace / source).lstat().st_size for path, source in selection.sources.items()}
    except OSError as error:
        raise SnapshotRefused(f"{error.filename}: vanished while the ticket was read") from error


def _check_limits(ticket: Ticket, sizes: Mapping[str, int], *, max_bytes: int, max_files: int) -> None:
    """Before anything is read, so that a huge file costs nothing."""
    total = sum(sizes.values())
    if total <= max_bytes and len(sizes) <= max_files:
        return
    largest = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:_NAMED_OFFENDERS]
    named = "\n".join(f"  - {path!r}: {size:,} bytes" for path, size in largest)
    crowded = "\n".join(f"  - {directory!r}: {count:,} files" for directory, count in _crowded(sizes))
    raise SnapshotRefused(
        f"{ticket.source}: got {len(sizes):,} files with {total:,} bytes, expected at most {max_files:,} files with"
        f" {max_bytes:,} bytes; the largest:\n{named if total > max_bytes else crowded}",
        hint="Remove these from git, name a smaller workspace, or raise max_snapshot_bytes / max_snapshot_files.",
    )


def _crowded(sizes: Mapping[str, int]) -> Sequence[tuple[str, int]]:
    """The directories directly below the workspace with the most files."""
    counts: dict[str, int] = {}
    for path in sizes:
        directory = path.split("/")[0] + "/" if "/" in path else "./"
        counts[directory] = counts.get(directory, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_NAMED_OFFENDERS]


def reopen_snapshot(ticket: Ticket, digest: str, *, store: SnapshotStore) -> Snapshot:
    """A snapshot that was taken before, checked against its digest; the workspace is not read.

    Args:
        ticket: as it was frozen.
        digest: of the snapshot.
        store: which holds it.

    Raises:
        SnapshotCorrupted: the store does not hold exactly these files for this ticket.
    """
    found = store.reopen(digest)
    if snapshot_digest(ticket, found.files, found.before) != digest:
        raise SnapshotCorrupted(
            f"{found.archive}: does not hold the files of {digest}, or the ticket was changed since",
            hint="Run the ticket again.",
        )
    return found
