"""What reaches outside of a process when it is called, and what tests put in its place: the table."""

from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, Final

from refute.tables import read_table

_NO_CALL: Final = ("Error", "Exception", "Expired", "Warning", "CompletedProcess", "Response")


class Kind(StrEnum):
    """What is outside."""

    PROCESS = "process"
    NETWORK = "network"
    DATABASE = "database"
    FILE = "file"


@cache
def _rows() -> tuple[tuple[Kind, tuple[str, ...], frozenset[str]], ...]:
    """The rows of `outside.toml`: a kind, beginnings of names that reach it, and what tests put in its place."""
    rows: list[dict[str, Any]] = read_table("refute.ticket", "outside")["row"]
    return tuple((Kind(row["kind"]), tuple(row["names"].split()), frozenset(row["stand_ins"].split())) for row in rows)


@cache
def stand_ins() -> frozenset[str]:
    """Libraries and fixtures by which tests replace a whole kind of outside: `responses`, `fake_process`."""
    return frozenset().union(*(names for _, _, names in _rows()))


@lru_cache(maxsize=10_000)
def kind_of(dotted: str) -> Kind | None:
    """What a dotted name reaches when it is called; None where that is nothing outside."""
    last = dotted.rpartition(".")[2]
    if last.isupper() or last.endswith(_NO_CALL):
        return None
    for kind, roots, _ in _rows():
        for root in roots:
            family = "." in root and kind is not Kind.FILE and dotted.startswith(root)  # os.spawn: os.spawnvp
            if family or f"{dotted}.".startswith(f"{root}."):
                return kind
    return None


def replaced_kind(target: tuple[str, ...]) -> Kind | None:
    """The kind of what a test replaces, where that is no part of the implementation: `vcs.subprocess.run`."""
    if found := next((kind for kind, _, names in _rows() if names.intersection(target[:1])), None):
        return found
    ends = [target[start:] for start in range(len(target)) if len(target) - start > 1 or start == 0]
    return next((kind for end in ends if (kind := kind_of(".".join(end)))), None)
