"""What never enters a snapshot: version control, credentials, caches. The rules, with examples, are `withheld.toml`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Final

from refute.tables import read_table

_PRIVATE_KEY: Final = re.compile(rb"\s*-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A reason, and what is left out for it; all names are in small letters."""

    reason: str
    directories: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    """Globs of file names; one with a slash is a path that may begin anywhere."""
    but: frozenset[str] = frozenset()

    def holds(self, parts: Sequence[str]) -> bool:
        """Whether a path, in its parts, is left out."""
        if not self.directories.isdisjoint(parts):
            return True
        return self.but.isdisjoint(parts[-1:]) and any(_stands_in(parts, glob) for glob in self.files)


def _stands_in(parts: Sequence[str], glob: str) -> bool:
    length = glob.count("/") + 1
    runs = [parts[start : start + length] for start in range(len(parts))] if length > 1 else [parts[-1:]]
    return any(fnmatchcase("/".join(run), glob) for run in runs)


def table() -> Mapping[str, Any]:
    """`withheld.toml` as it stands."""
    return read_table("refute.ticket", "withheld")


@cache
def _rules() -> tuple[Rule, ...]:
    return tuple(
        Rule(
            reason=row["reason"],
            directories=frozenset(row.get("directories", ())),
            files=tuple(row.get("files", ())),
            but=frozenset(row.get("but", ())),
        )
        for row in table()["rule"]
    )


def withheld_reason(path: str) -> str | None:
    """Why a path is never snapshotted, or None.

    Args:
        path: POSIX, relative to the workspace.
    """
    parts = PurePosixPath(path.lower()).parts
    return next((rule.reason for rule in _rules() if rule.holds(parts)), None)


def pruned_reason(name: str, *, caches: bool) -> str | None:
    """Why nothing is looked for in a directory, or None.

    Args:
        name: of the directory.
        caches: whether only version control is passed over: what a ticket asks for may lie in the rest.
    """
    control, *others = (rule for rule in _rules() if rule.directories)
    if control.holds([name.lower()]):
        return control.reason
    if caches:
        return None
    if name in table()["caches"]["directories"]:
        return "cache or environment of a tool"
    return next((rule.reason for rule in others if name.lower() in rule.directories), None)


def content_reason(content: bytes) -> str | None:
    """Why a file is never snapshotted, judged by how it begins, or None."""
    return "is a private key (by its content)" if _PRIVATE_KEY.match(content[:200]) else None
