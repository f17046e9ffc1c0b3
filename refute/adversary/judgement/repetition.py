"""What the runs of one test say: whether they agree, whether it is the code that does not, what the test lacked."""

import re
from collections.abc import Sequence
from typing import Final

from refute.adversary.attack import TestEnd, TestRun, TriageVerdict
from refute.adversary.promises import confined, limit_reached

Judgement = tuple[TriageVerdict, str]
FLAKY: Final = re.compile(r"hypothesis\.errors\.(?:Flaky\w*|InconsistentGeneration)\Z")
ASSERTED: Final = frozenset({"AssertionError", "Failed"})
"""A failed `assert`; pytest's own Failed: `pytest.fail`, or nothing raised inside `pytest.raises`."""
MISSING_THINGS: Final = frozenset(
    {
        "OSError", "FileNotFoundError", "FileExistsError", "PermissionError", "NotADirectoryError", "IsADirectoryError",
        "BlockingIOError", "ProcessLookupError", "sqlite3.OperationalError", "shutil.Error",
    }
)  # fmt: skip
"""What Python raises where files, folders, room or processes are not there."""
SCRATCH: Final = re.compile(r"(?<![\w/])/(?:tmp|dev/shm|home)(?![\w])")
"""Where a test keeps files of its own: pytest's temporary folders lie there."""
QUOTED: Final = re.compile(r"'([^']+)'")


def undecided(runs: Sequence[TestRun]) -> Judgement | None:
    """What needs no look at a failure: nothing carried, no failure, none reported, not the same each time.

    Code that fails now and ends, hangs or refuses then has not been right once: that is no chance.

    Args:
        runs: the first, then its repetitions.
    """
    first = runs[0]
    if lost := next((run for run in runs if run.not_carried), None):
        theirs = lost.not_carried_back or not all(run.not_carried for run in runs)
        return TriageVerdict.NEEDS_REVIEW if theirs else TriageVerdict.INVALID, lost.not_carried
    if first.end is TestEnd.PASSED:
        return TriageVerdict.SURVIVED, "passed"
    if first.end is TestEnd.MISSING:
        return TriageVerdict.NEEDS_REVIEW, first.error_message or "was never reported"
    mixed = _differences(runs)
    if mixed and any(run.end is TestEnd.PASSED or FLAKY.match(run.error_type) for run in runs):
        return TriageVerdict.FLAKY, mixed
    if mixed:
        return TriageVerdict.NEEDS_REVIEW, f"no run passed, though they did not fail alike: {mixed}"
    return None


def failed_by_itself(runs: Sequence[TestRun]) -> bool:
    """Whether a run failed by what the code answered, and by no limit or want of the machine's."""
    return any(
        run.end is TestEnd.FAILED
        and (run.error_type in ASSERTED or run.raised_in_implementation or FLAKY.match(run.error_type) is not None)
        and not limit_reached(run)
        and not confined(run)
        for run in runs
    )


def deprived(run: TestRun, workspace_paths: frozenset[str]) -> bool:
    """Whether an error says that a test's own files, or room for them, were not there, though they should be.

    Args:
        run: of a test that failed before it came to an answer of the implementation's.
        workspace_paths: every file of the snapshot; a test that names any other one is mistaken.
    """
    if run.end not in {TestEnd.BROKEN, TestEnd.FAILED} or run.error_type not in MISSING_THINGS:
        return False
    named = {name.removeprefix("/workspace/").removeprefix("./") for name in QUOTED.findall(run.error_message)}
    return bool(limit_reached(run) or SCRATCH.search(run.error_message) or named & workspace_paths)


def in_one_line(run: TestRun) -> str:
    """The error in one line; of a message of the test's own without what pytest says behind it."""
    message = " ".join(run.error_message.partition("\nassert ")[0].split())
    text = f"{run.error_type}: {message}" if run.error_type else message
    return text if len(text) <= 300 else f"{text[:299]}…"  # noqa: PLR2004  # a line for a person


def _differences(runs: Sequence[TestRun]) -> str:
    """How runs differ; empty where they do not."""
    done = [run for run in runs if run.end is not TestEnd.MISSING]
    ends = [run.end for run in done]
    if len(set(ends)) > 1:
        told = ", ".join(end.value.replace("_", " ") for end in ends)
        return f"{len(ends)} runs, with other hash seeds (the order in sets), ended differently: {told}"
    limits = {limit_reached(run) for run in done}
    if len(limits) > 1:
        return "some runs hit a resource limit and some did not: " + ", ".join(sorted(filter(None, limits)))
    if any(FLAKY.match(run.error_type) for run in runs):
        return f"the same input gave different results: {in_one_line(runs[0])}"
    return ""
