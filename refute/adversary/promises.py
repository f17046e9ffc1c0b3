"""What a claim's words rule out: hanging, exhausting memory, recursing too deep, ending the process, raising."""

import re
from typing import Final

from refute.adversary.attack import TestEnd, TestRun

_NEVER: Final = r"(?:never|does not|doesn't|do not|don't|will not|won't|cannot|can't|must not|may not)(?:\s+\w+)?\s+"
_DURATION: Final = r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|milliseconds?|s|secs?|seconds?|min|minutes?)\b"
_UNITS_S: Final = (("ms", 0.001), ("milli", 0.001), ("mi", 60.0), ("s", 1.0))
"""First letters of a unit → seconds; the first entry that fits."""

ENDING: Final = re.compile(
    r"\b(?:always|eventually)\s+(?:terminates?|finish(?:es)?|halts?|ends?)\b"
    r"|\bguaranteed to (?:finish|end|halt|terminate)\b"
    r"|\bterminates?\s+(?:for|on|even|whenever)\b|\bterminates?\s*(?:[.,;)]|\Z)"
    rf"|\b{_NEVER}(?:hangs?|deadlocks?|gets? stuck|(?:runs?|loops?|blocks?) (?:forever|indefinitely|endlessly))\b"
    r"|\bwithout (?:hanging|deadlock\w*|getting stuck|looping forever)\b|\bno (?:infinite|endless) loops?\b",
    re.IGNORECASE,
)
"""Claims that the code ends at all."""
ENDING_WITHIN: Final = re.compile(
    r"\b(?:finish|complet|return|respond|run|end|execut|tak)\w*\b[^.;]{0,60}?"
    rf"\b(?:in|within|under|below|less than|at most|no more than)\s+{_DURATION}",
    re.IGNORECASE,
)
"""Claims in which time it ends; a limiter's "at most 3 calls within 10 seconds" is none."""
MEMORY: Final = re.compile(
    r"\b(?:constant|bounded|limited) memory\b|\bO\(1\) (?:memory|space)\b|\bMemoryError\b"
    rf"|\b{_NEVER}(?:runs? out of|exhausts?) memory\b",
    re.IGNORECASE,
)
RECURSION: Final = re.compile(
    r"\b(?:any|arbitrary|arbitrarily|unlimited)\s+(?:deep|depth|nesting)\w*|\bdeeply nested\b"
    rf"|\b{_NEVER}recurses?\b|\brecursion limit\b|\bRecursionError\b|\bstack overflow\b|\bno infinite recursion\b",
    re.IGNORECASE,
)
EXIT: Final = re.compile(
    rf"\b{_NEVER}(?:crash(?:es)?|segfaults?|aborts?|exits?|quits?|kills? the (?:process|interpreter))\b", re.IGNORECASE
)
RAISING: Final = re.compile(
    rf"\b{_NEVER}(?:raises?|throws?|crash(?:es)?|fails?)\b|\b(?:without|no) (?:\w+ )?(?:exceptions?|errors?|raising)\b",
    re.IGNORECASE,
)
SUCCESS: Final = re.compile(
    r"\bexit(?:s|\s+(?:code|status))?\b[^.;]{0,20}\b(?:0|zero)\b|\b(?:code|status)\s+(?:0|zero)\b|\bno tracebacks?\b",
    re.IGNORECASE,
)
"""Claims that a program succeeds."""
ERROR_NAME: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")

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


def rules_out(claim_text: str, limit: str, duration_s: float) -> bool:
    """Whether a claim's words say that a limit (see `limit_reached`), met after `duration_s`, is never met."""
    if limit == "time":
        return ENDING.search(claim_text) is not None or any(bound < duration_s for bound in _bounds(claim_text))
    words = {"memory": MEMORY, "recursion": RECURSION, "exit": EXIT}.get(limit)
    return words is not None and words.search(claim_text) is not None


def only_goes_well(claim_text: str) -> bool:
    """Whether a claim speaks of an end without trouble, so that a test of it need not look at what comes out."""
    kinds = (RAISING, EXIT, SUCCESS, ENDING, ENDING_WITHIN, MEMORY, RECURSION)
    return any(one.search(claim_text) for one in kinds)


def _bounds(claim_text: str) -> list[float]:
    """The times, in seconds, within which a claim says that something ends."""
    return [
        float(match["number"]) * next(size for start, size in _UNITS_S if match["unit"].lower().startswith(start))
        for match in ENDING_WITHIN.finditer(claim_text)
    ]
