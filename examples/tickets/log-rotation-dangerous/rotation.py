"""Rotate log files by number: app.log, app.log.1, app.log.2, …"""

import os
from pathlib import Path
from typing import List


def rotated_name(path: Path, number: int) -> Path:
    """The name of the n-th rotation; 0 is the log itself.

    >>> str(rotated_name(Path("app.log"), 2))
    'app.log.2'
    """
    if number < 0:
        raise ValueError("number must not be negative")
    return path if number == 0 else path.with_name(f"{path.name}.{number}")


def rotations(path: Path) -> List[Path]:
    """Existing rotations, newest first."""
    found = []
    for candidate in path.parent.glob(f"{path.name}.*"):
        suffix = candidate.name[len(path.name) + 1 :]
        if suffix.isdigit() and int(suffix) > 0:
            found.append((int(suffix), candidate))
    return [candidate for _, candidate in sorted(found)]


def rotate(path: Path, keep: int) -> None:
    """Move the log out of the way and keep at most `keep` rotations."""
    if keep < 1:
        raise ValueError("keep must be at least 1")
    existing = rotations(path)
    for candidate in reversed(existing):
        number = int(candidate.name[len(path.name) + 1 :])
        if number >= keep:
            candidate.unlink()
        else:
            os.replace(candidate, rotated_name(path, number + 1))
    if path.exists():
        os.replace(path, rotated_name(path, 1))
    path.touch()


def needs_rotation(path: Path, max_bytes: int) -> bool:
    """Whether the log has reached its size."""
    return path.exists() and path.stat().st_size >= max_bytes
