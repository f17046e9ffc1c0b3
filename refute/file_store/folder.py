"""A folder of records: whole files or none, for this user alone, never more than a bound, none beyond their age."""

import contextlib
import os
import stat
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from refute.file_store.entry import MAX_BYTES, Entry, Unusable, read_entry, write_entry

PARTIAL: Final = ".new-"
"""How the names of files begin that are being written."""
PARTIAL_MAX_AGE_S: Final = 3_600
"""After that, whoever wrote it was killed."""
CLOCKS_APART_S: Final = 300
"""As far as the clocks of machines that share a folder may differ; what was made later than that is not believed."""
LOCKS: Final = ".lock"
LOCK: Final = f".sweep{LOCKS}"
OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class KeptFolder:
    """A folder of records; processes and, with a secret, machines may share it.

    Args:
        path: made, for this user alone, when something is put into it.
        secret: that every file is signed with; None: files count that only this user can have written.
        max_age_s: older files do not count.
        max_bytes: of all files; beyond it the oldest go.
    """

    def __init__(self, path: Path, *, secret: bytes | None, max_age_s: float, max_bytes: int) -> None:
        self._path = path
        self._secret = secret
        self._max_age_s = max_age_s
        self._max_bytes = max_bytes

    def exists(self) -> bool:
        """Whether anything was ever kept."""
        return os.path.isdir(self._path)  # noqa: PTH112  # False where it cannot be looked at, too

    def file(self, kind: str, key: str) -> Path:
        """Where a record is kept."""
        return self._path / f"{kind}-{key}.json"

    def get(self, kind: str, key: str) -> Entry | None:
        """What is kept; None where nothing is, or it is too old.

        Raises:
            Unusable: a file is there and not to be trusted.
        """
        content = self._read(self.file(kind, key))
        if content is None:
            return None
        entry = read_entry(content, kind=kind, key=key, secret=self._secret)
        age_s = (datetime.now(UTC) - entry.made_at).total_seconds()
        if age_s < -CLOCKS_APART_S:
            raise Unusable(f"it says that it was made {-age_s:.0f} s from now")
        return entry if age_s <= self._max_age_s else None

    def put(self, entry: Entry) -> None:
        """Keep a record, in place of what was kept of it before; one that is too large is not kept.

        Raises:
            OSError: it cannot be written.
        """
        content = write_entry(entry, self._secret)
        if len(content) > MAX_BYTES:
            self.remove(entry.kind, entry.key)
            return
        self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, partial = tempfile.mkstemp(dir=self._path, prefix=PARTIAL)  # readable by this user alone
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            Path(partial).replace(self.file(entry.kind, entry.key))
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise

    def remove(self, kind: str, key: str) -> None:
        """Forget a record."""
        with contextlib.suppress(OSError):
            self.file(kind, key).unlink(missing_ok=True)

    def touch(self, kind: str, key: str) -> None:
        """Note that a record was used: those whose last use is longest ago go first."""
        with contextlib.suppress(OSError):
            os.utime(self.file(kind, key))

    def sweep(self, *, needed_since: float = float("inf")) -> None:
        """Remove what is too old, what killed processes left half written, and the oldest beyond the bound.

        One process at a time; where another one is at it, nothing is done.

        Args:
            needed_since: what was made or used then or later stays, in seconds since 1970.
        """
        with contextlib.suppress(OSError, Timeout), FileLock(self._path / LOCK, blocking=False):
            self._sweep(needed_since)

    def _sweep(self, needed_since: float) -> None:
        now = time.time()
        files = []
        for path in self._all():
            with contextlib.suppress(OSError):
                facts = path.lstat()
                limit_s = PARTIAL_MAX_AGE_S if path.name.startswith(PARTIAL) else self._max_age_s
                needed = facts.st_mtime >= needed_since
                if now - facts.st_mtime > limit_s and not needed:
                    path.unlink()
                else:
                    files.append((facts.st_mtime, facts.st_size, path, needed))
        excess = sum(size for _, size, _, _ in files) - self._max_bytes
        for _, size, path, needed in sorted(files):
            if excess <= 0 or needed:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                excess -= size

        for path in self._all(locks=True):
            with contextlib.suppress(OSError, Timeout):
                if path.name != LOCK and now - path.lstat().st_mtime > PARTIAL_MAX_AGE_S:
                    with FileLock(path, blocking=False):  # nobody alive holds it
                        path.unlink()

    def _all(self, *, locks: bool = False) -> list[Path]:
        """Records and what was left half written; or the locks beside them, which killed processes leave behind."""
        try:
            return [path for path in self._path.iterdir() if (path.suffix == LOCKS) is locks]
        except OSError:
            return []

    def _read(self, path: Path) -> bytes | None:
        """A file's content; None where there is none."""
        try:
            # Not waiting for the other end of a pipe that somebody put there.
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                self._check(os.fstat(descriptor))
                with open(descriptor, "rb", closefd=False) as stream:
                    return stream.read(MAX_BYTES)
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unusable(f"it cannot be read: {error.strerror}") from error

    def _check(self, facts: os.stat_result) -> None:
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_BYTES:
            raise Unusable(f"it is no regular file of at most {MAX_BYTES} bytes")
        if self._secret is None:
            _require_own(facts, "it")
            _require_own(self._path.stat(), "its folder")


def _require_own(facts: os.stat_result, what: str) -> None:
    """Without a signature, only what nobody else can have written says anything.

    Raises:
        Unusable: somebody else could.
    """
    if facts.st_uid != os.geteuid() or facts.st_mode & OTHERS_MAY_WRITE:
        raise Unusable(f"{what} belongs to, or can be written by, somebody else, and nothing is signed")


def folder_bytes(path: Path) -> int:
    """What the files in a folder take together; 0 where there is none."""
    total = 0
    with contextlib.suppress(OSError):
        for file in path.iterdir():
            with contextlib.suppress(OSError):
                total += file.lstat().st_size
    return total
