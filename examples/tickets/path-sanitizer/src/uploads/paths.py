"""File names and paths that come from users, made harmless before they touch the disk."""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Final

FALLBACK: Final = "file"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_EDGES: Final = "._-"
# Names that Windows gives to devices, whatever their extension.
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
_MIN_LENGTH: Final = 16


class UnsafePath(ValueError):
    """A path that would leave its directory."""


def safe_name(name: str, max_length: int = 100) -> str:
    """A file name that is safe on every common file system and recognisable to the one who chose it.

    Args:
        name: anything.
        max_length: longest result in characters, at least 16.

    Raises:
        ValueError: `max_length` is below 16.

    >>> safe_name("Résumé (final).pdf")
    'Resume_final_.pdf'
    >>> safe_name("../../etc/passwd")
    'etc_passwd'
    >>> safe_name("nul.txt")
    'file_nul.txt'
    >>> safe_name("日本")
    'file'
    """
    if max_length < _MIN_LENGTH:
        raise ValueError(f"max_length: got {max_length}, expected at least {_MIN_LENGTH}")
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    text = _cut(_UNSAFE.sub("_", plain), max_length)
    if _DEVICES.match(text):
        text = _cut(f"{FALLBACK}_{text}", max_length)
    return text or FALLBACK


def _cut(text: str, max_length: int) -> str:
    return text.strip(_EDGES)[:max_length].rstrip(_EDGES)


def join_beneath(root: str, path: str) -> str:
    """`path` below `root`, both POSIX, without touching the disk.

    Args:
        root: an absolute directory.
        path: relative; `..` is allowed as long as it stays below the root.

    Raises:
        UnsafePath: `path` is absolute, holds NUL or a backslash, or leaves the root.

    >>> join_beneath("/srv/data", "a/../b.txt")
    '/srv/data/b.txt'
    """
    if "\0" in path or "\\" in path:
        raise UnsafePath(f"path: got {path!r}, expected no NUL and no backslash")
    if path.startswith("/"):
        raise UnsafePath(f"path: got {path!r}, expected a relative path")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise UnsafePath(f"path: got {path!r}, which leaves {root!r}")
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return str(PurePosixPath(root, *parts))


def is_beneath(root: str, path: str) -> bool:
    """Whether `join_beneath` would accept the path."""
    try:
        join_beneath(root, path)
    except UnsafePath:
        return False
    return True
