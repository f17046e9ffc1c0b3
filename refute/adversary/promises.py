"""What a claim's words rule out: hanging, exhausting memory, recursing too deep, ending the process, raising."""

import re
from typing import Final

from refute.adversary.attack import TestEnd, TestRun
from refute.adversary.tables import of_kind, rows

ERROR_NAME: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_UNITS_S: Final = (("ms", 0.001), ("milli", 0.001), ("mi", 60.0), ("s", 1.0))
"""First letters of a unit → seconds; the first entry that fits."""

_EXHAUSTION: Final = re.compile(
    r"\[Errno (?:11|12|23|24|27|28|122)\]|can't (?:start|create) new thread|Cannot allocate memory"
    r"|No space left on device|Too many open files"
)
"""EAGAIN, ENOMEM, ENFILE, EMFILE, EFBIG, ENOSPC, EDQUOT: the sandbox's limits on processes, memory, files and disk."""
_CONFINEMENT: Final = re.compile(
    r"\[Errno (?:1|30|97|99|101|113|-2|-3|-5)\]|Read-only file system|Network is unreachable"
    r"|Name or service not known|Temporary failure in name resolution"
)
"""What only the sandbox refuses: privileges, the read-only root, the network."""


def limit_reached(run: TestRun) -> str:
    """The resource limit that ended a test, in a word; empty where none did."""
    if run.end is TestEnd.TIMED_OUT:
        return "time"
    if run.end is TestEnd.DIED:
        return "exit"
    if run.error_type == "MemoryError":
        return "memory"
    if run.error_type == "RecursionError":
        return "recursion"
    if run.error_type != "AssertionError" and _EXHAUSTION.search(run.error_message):
        return "resources"
    return ""


def confined(run: TestRun) -> bool:
    """Whether an error is the sandbox's doing: code outside it would not have met it."""
    return run.error_type not in {"AssertionError", ""} and bool(_CONFINEMENT.search(run.error_message))


def promised(claim_text: str, *kinds: str) -> bool:
    """Whether a claim promises one of these kinds of things; of any kind where none is named."""
    return any(row["pattern"].search(claim_text) for row in rows("promises") if not kinds or row["kind"] in kinds)


def rules_out(claim_text: str, limit: str, duration_s: float) -> bool:
    """Whether a claim's words say that a limit (see `limit_reached`), met after `duration_s`, is never met."""
    if limit == "time":
        return promised(claim_text, "ending") or any(bound < duration_s for bound in _bounds(claim_text))
    return limit in {"memory", "recursion", "exit"} and promised(claim_text, limit)


def _bounds(claim_text: str) -> list[float]:
    """The times, in seconds, within which a claim says that something ends."""
    within = (row["pattern"] for row in of_kind("within"))
    return [
        float(match["number"]) * next(size for start, size in _UNITS_S if match["unit"].lower().startswith(start))
        for pattern in within
        for match in pattern.finditer(claim_text)
    ]
