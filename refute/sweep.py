"""Remove what nobody needs any more: cached results, kept answers, snapshots and evidence, by age and size.

Only below the state directory and in the folder of cached results; symbolic links are neither followed nor removed.
What cannot be removed stays until the next sweep, and keeps nothing else from going.
"""

import contextlib
import math
import os
import shutil
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from refute.llm.answers import FOLDER as ANSWERS
from refute.settings import Settings
from refute.signed_folder import PARTIAL, SUFFIX
from refute.wording import counted

DUE_EVERY_S: Final = 3_600
PARTIAL_MAX_AGE_S: Final = 3_600
"""After that, whoever wrote a file or made a lock was killed."""
LOCKS: Final = ".lock"
LOCK: Final = f".sweep{LOCKS}"
STAMP: Final = ".swept"
"""In the state directory; changed when a sweep begins."""
RECENT_S: Final = 86_400.0
"""A kept answer that was made or used since then may belong to a run that goes on: no bound takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What went from one place."""

    count: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep removed."""

    results: Removed = field(default_factory=Removed)
    answers: Removed = field(default_factory=Removed)
    snapshots: Removed = field(default_factory=Removed)
    evidence: Removed = field(default_factory=Removed)
    """Counted by tickets."""

    def words(self) -> str:
        """`removed 3 cached results (1.2 MB), 1 snapshot (0.3 MB)`; empty where nothing went."""
        nouns = ("cached result", "cached answer", "snapshot", "evidence directory")
        places = zip(nouns, (self.results, self.answers, self.snapshots, self.evidence), strict=True)
        told = [f"{counted(one.count, noun)} ({one.size_bytes / 1e6:.1f} MB)" for noun, one in places if one.count]
        return f"removed {', '.join(told)}" if told else ""


def sweep_if_due(settings: Settings) -> Swept:
    """Sweep unless somebody did within the last hour; for commands, which may run many times a minute."""
    try:
        age_s = time.time() - (settings.state_dir / STAMP).stat().st_mtime
    except OSError:
        return sweep(settings)
    return Swept() if 0 <= age_s < DUE_EVERY_S else sweep(settings)


def sweep(settings: Settings) -> Swept:
    """Remove what is too old, what killed processes left half written, and the oldest beyond the bounds.

    One process at a time; where another one is at it, or the state directory cannot be written, nothing is done.
    """
    state = settings.state_dir
    if not os.path.isdir(state):  # noqa: PTH112  # False where it cannot be looked at, too
        return Swept()
    with contextlib.suppress(OSError, Timeout), FileLock(state / LOCK, blocking=False):
        (state / STAMP).touch()
        return Swept(
            results=_sweep_files(
                settings.results_path,
                ending=SUFFIX,  # people may share a folder that holds other things, too
                max_age_s=settings.results_max_age_s or math.inf,
                max_bytes=settings.results_max_bytes,
            ),
            answers=_sweep_files(
                state / ANSWERS,
                max_age_s=max(settings.kept_answers_max_age_s, RECENT_S),
                max_bytes=settings.kept_answers_max_bytes,
                keep_s=RECENT_S,
            ),
            snapshots=_sweep_files(state / "snapshots", max_age_s=settings.snapshots_max_age_s),
            evidence=_sweep_evidence(state / "runs", settings.evidence_max_age_s or math.inf),
        )
    return Swept()


def folder_bytes(path: Path) -> int:
    """What all files below a folder take together; 0 where there is none."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118  # of many files
    return total


def _sweep_files(
    folder: Path, *, ending: str = "", max_age_s: float, max_bytes: float = math.inf, keep_s: float = 0.0
) -> Removed:
    """Remove files whose last use is too long ago, then those used longest ago until the bound holds.

    Args:
        folder: with files in it; not those below it.
        ending: of the names of files that count, besides half-written ones.
        max_age_s: since the last use.
        max_bytes: of all files together.
        keep_s: what was used within it stays whatever the bound.
    """
    files = [one for one in _entries(folder, stat.S_ISREG) if one[2].name.endswith(ending) or _is_partial(one[2])]
    excess, gone, now = sum(size for _, size, _ in files) - max_bytes, [], time.time()
    for used_at, size, path in files:
        partial = _is_partial(path)
        too_old = now - used_at > (PARTIAL_MAX_AGE_S if partial else max_age_s)
        too_much = excess > 0 and not partial and now - used_at >= keep_s  # else somebody may be writing that one
        if (too_old or too_much) and _unlink(path, used_at):
            gone.append(size)
            excess -= size
    return Removed(count=len(gone), size_bytes=sum(gone))


def _unlink(path: Path, used_at: float) -> bool:
    """Whether a file is gone, be it by another machine's sweep; one that was used since it was listed stays."""
    try:
        if path.lstat().st_mtime != used_at:
            return False
        path.unlink()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _sweep_evidence(runs: Path, max_age_s: float) -> Removed:
    """Remove old folders of tickets, then the folders of runs that this leaves empty."""
    gone, now = [], time.time()
    for run_used_at, _, run in _entries(runs, stat.S_ISDIR):
        old = [path for used_at, _, path in _entries(run, stat.S_ISDIR) if now - used_at > max_age_s]
        for ticket in old:
            size = folder_bytes(ticket)
            shutil.rmtree(ticket, ignore_errors=True)  # of a link inside it, only the link goes
            if not os.path.lexists(ticket):
                gone.append(size)
        if old or now - run_used_at > max_age_s:
            with contextlib.suppress(OSError):  # not empty
                run.rmdir()
    return Removed(count=len(gone), size_bytes=sum(gone))


def _is_partial(path: Path) -> bool:
    """Whether somebody is writing it, or was killed at it; locks are held for as long as a model's answer takes."""
    return path.name.startswith(PARTIAL) or path.suffix == LOCKS


def _entries(folder: Path, is_wanted: Callable[[int], bool]) -> list[tuple[float, int, Path]]:
    """(Last use, size in bytes, path) of what a folder holds, the longest unused first; a link to a folder is none."""
    found = []
    with contextlib.suppress(OSError):
        for path in () if folder.is_symlink() else folder.iterdir():
            with contextlib.suppress(OSError):
                facts = path.lstat()
                if is_wanted(facts.st_mode):
                    found.append((facts.st_mtime, facts.st_size, path))
    return sorted(found)
