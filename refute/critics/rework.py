"""Rework: a command of the operator's mends a copy of the files after a review that fails. It never touches a verdict.

The command is told the failures, without remedies, and may change implementation files alone. What it made is reviewed
again; what was submitted stays what is verified.
"""

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refute.critics.record import Named, ReworkEnd
from refute.wording import first_names

VARIABLE: Final = "REFUTE_FAILURES"
"""Environment variable with the path of the failures' JSON."""
CACHES: Final = "__pycache__"
"""Folders that any run of Python leaves; they are no change."""
NAMES_SHOWN: Final = 3
LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
"""As git counts them: a form feed ends none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """Why what a command left is no rework."""

    end: ReworkEnd
    reason: str


def failures_json(failures: Sequence[Named], tests: str) -> bytes:
    """What the command is told: the failures that block, with the tests that show them; never a remedy.

    Args:
        failures: each with the review that names it.
        tests: source of the counterexamples as they ran.
    """
    told = [
        {
            "focus": review.focus.value,
            "severity": one.severity.value,
            "standing": one.standing.value,
            "description": one.description,
            "evidence": one.evidence,
            "reason": one.reason,
            "test": one.counterexample or None,
        }
        for review, one in failures
    ]
    return json.dumps({"failures": told, "tests": tests}, indent=2).encode()


def unfit(changed: Iterable[str], implementation: Sequence[str]) -> Unfit | None:
    """Whether what a command changed is no rework.

    Args:
        changed: paths that it added, changed or removed.
        implementation: the files that it may change.
    """
    real = [path for path in changed if CACHES not in path.split("/")]
    others = [path for path in real if path not in implementation]
    if others:
        named = first_names(others, NAMES_SHOWN)
        reason = f"rework_command changed {named}; a rework may change only {', '.join(implementation)}"
        return Unfit(end=ReworkEnd.REFUSED, reason=reason)
    return None if real else Unfit(end=ReworkEnd.REFUSED, reason="rework_command changed nothing")


def diff_of(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """The difference as `git apply` takes it."""
    return "".join(
        _terminated(line)
        for path in sorted(after)
        if before.get(path) != after[path]
        for line in difflib.unified_diff(
            _lines(before.get(path, b"")), _lines(after[path]), f"a/{path}", f"b/{path}"
        )
    )  # fmt: skip


def _lines(content: bytes) -> list[str]:
    return LINE.findall(content.decode("utf-8", "surrogateescape"))


def _terminated(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
