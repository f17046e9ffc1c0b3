"""The content-addressed store of snapshots: one deterministic tar each, never trusted when it is read back."""

import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

from refute.errors import InfrastructureError, SnapshotCorrupted
from refute.ticket.record import LeftOut, Snapshot, SnapshotFile

SANDBOX_UID: Final = 65532
"""User and group of the sandbox profile, to whom the unpacked files belong."""


BEFORE: Final = "../before/"
"""What stands before the names of earlier contents in an archive: no file of a workspace can be called so."""


class SnapshotStore:
    """A directory of snapshots; safe to share between processes, because writes are atomic and all equal.

    Args:
        directory: made (readable by its owner alone) when the first snapshot is added.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def add(
        self,
        digest: str,
        files: Sequence[SnapshotFile],
        contents: Mapping[str, bytes],
        *,
        before: Sequence[SnapshotFile] = (),
        left_out: Sequence[LeftOut] = (),
    ) -> Snapshot:
        """Keep files under their digest.

        Args:
            digest: of all of them.
            files: of the workspace.
            contents: as of `contents`.
            before: those before the change.
            left_out: what the snapshot does not hold.

        Raises:
            InfrastructureError: the store cannot be written.
        """
        archive = self._directory / f"{digest.removeprefix('sha256:')}.tar"
        try:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.NamedTemporaryFile(dir=self._directory, prefix=".new-", delete=False) as stream:
                try:
                    stream.write(pack(_named(files, before), contents))
                    stream.flush()
                    os.fsync(stream.fileno())
                    Path(stream.name).replace(archive)
                except BaseException:
                    Path(stream.name).unlink(missing_ok=True)
                    raise
        except OSError as error:
            raise InfrastructureError(
                f"{self._directory}: the snapshot cannot be stored: {error.strerror}",
                hint="Free space there, or set REFUTE_STATE_DIR to a directory that you can write.",
            ) from error
        return Snapshot(
            digest=digest, files=tuple(files), archive=archive, left_out=tuple(left_out), before=tuple(before)
        )

    def contents(self, snapshot: Snapshot) -> Mapping[str, bytes]:
        """Path → content of all files, those before the change under `BEFORE`, each checked against the snapshot.

        Raises:
            SnapshotCorrupted: the store no longer holds what was frozen.
        """
        try:
            contents = _unpack(snapshot.archive.read_bytes())
        except (OSError, tarfile.TarError, EOFError, ValueError) as error:
            raise _corrupted(snapshot, f"cannot be read: {error}") from error
        expected = {file.path: file.sha256 for file in _named(snapshot.files, snapshot.before)}
        if contents.keys() != expected.keys():
            difference = sorted(contents.keys() ^ expected.keys())
            raise _corrupted(snapshot, f"files were added or are missing, e.g. {difference[0]!r}")
        for path, data in contents.items():
            if hashlib.sha256(data).hexdigest() != expected[path]:
                raise _corrupted(snapshot, f"{path!r} has another content than when it was frozen")
        return contents

    def reopen(self, digest: str) -> Snapshot:
        """What lies under a digest, as it is: whoever asks compares it with the digest.

        Raises:
            SnapshotCorrupted: nothing readable lies there.
        """
        archive = self._directory / f"{digest.removeprefix('sha256:')}.tar"
        try:
            entries = _entries(archive.read_bytes())
        except (OSError, tarfile.TarError, EOFError, ValueError) as error:
            raise SnapshotCorrupted(f"{archive}: cannot be read: {error}", hint="Run the ticket again.") from error
        held = [
            SnapshotFile(
                path=entry.name,
                sha256=hashlib.sha256(data).hexdigest(),
                size_bytes=len(data),
                executable=bool(entry.mode & 0o100),
            )
            for entry, data in entries
        ]
        files = tuple(one for one in held if not one.path.startswith(BEFORE))
        before = (replace(one, path=one.path.removeprefix(BEFORE)) for one in held if one.path.startswith(BEFORE))
        return Snapshot(digest=digest, files=files, archive=archive, before=tuple(before))


def _named(files: Sequence[SnapshotFile], before: Sequence[SnapshotFile]) -> list[SnapshotFile]:
    """All files as an archive calls them."""
    return [*files, *(replace(one, path=f"{BEFORE}{one.path}") for one in before)]


def pack(files: Sequence[SnapshotFile], contents: Mapping[str, bytes]) -> bytes:
    """A tar that depends on nothing but paths, modes and contents: sorted, no times, owned by the sandbox's user."""
    buffer = io.BytesIO()
    parents = {str(parent) for file in files for parent in PurePosixPath(file.path).parents} - {"."}
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        # Directories come first and explicitly: one that the engine makes by itself would belong to root.
        for directory in sorted(parents):
            entry = _entry(directory, mode=0o755)
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        for file in sorted(files, key=lambda file: file.path):
            entry = _entry(file.path, mode=0o755 if file.executable else 0o644)
            entry.size = len(contents[file.path])
            archive.addfile(entry, io.BytesIO(contents[file.path]))
    return buffer.getvalue()


def _entry(name: str, *, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode, entry.mtime, entry.uid, entry.gid = mode, 0, SANDBOX_UID, SANDBOX_UID
    return entry


def _unpack(data: bytes) -> dict[str, bytes]:
    return {entry.name: content for entry, content in _entries(data)}


def _entries(data: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
    """The regular files of an archive, each once."""
    found: dict[str, tuple[tarfile.TarInfo, bytes]] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for entry in archive:
            if entry.isdir():
                continue
            stream = archive.extractfile(entry) if entry.isreg() else None
            if stream is None or entry.name in found:
                raise ValueError(f"got {entry.name!r} twice or as no regular file")
            found[entry.name] = (entry, stream.read())
    return list(found.values())


def _corrupted(snapshot: Snapshot, what: str) -> SnapshotCorrupted:
    return SnapshotCorrupted(
        f"{snapshot.archive}: {what}",
        hint="Run the ticket again: a new snapshot is taken, and its approval is asked anew where it differs.",
    )
