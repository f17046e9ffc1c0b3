"""On most variants the tests run only until one of them notices. What that means for them is judged on the host."""

from dataclasses import replace

from refute.driver.exceptions import cut
from refute.driver.plan import Report

ASSERTED = frozenset({"AssertionError", "Failed"})
"""A failed `assert`; pytest's own Failed."""
TRACEBACK_CHARS = 2_000
MESSAGE_CHARS = 1_000


def noticed(report: Report) -> bool:
    """Whether a test shows that the code is another, or has run into a limit, so that no other test need run.

    A test that fails by itself shows nothing: the next one may.
    """
    if report.end in {"timed_out", "died"}:
        return True
    if report.end != "failed" or report.not_carried:
        return False
    return report.raised_in_implementation or report.error_type.rpartition(".")[2] in ASSERTED


def never(report: Report) -> bool:
    """False: every other test runs as well."""
    del report
    return False


def shortened(report: Report) -> Report:
    """A report without what nobody reads of a variant: many of them make one document."""
    return replace(
        report,
        error_message=cut(report.error_message, MESSAGE_CHARS),
        traceback=cut(report.traceback, TRACEBACK_CHARS),
        notes=[],
    )
