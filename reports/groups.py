"""The few kinds of ending that a person tells apart at a glance; every status belongs to one."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from refute.outcome import Status


class Group(StrEnum):
    """A kind of ending, in the order in which they are shown."""

    FAILED = "failed"
    """The code does not do what it claims."""
    BLOCKED = "blocked"
    """Stopped as dangerous."""
    UNDECIDED = "undecided"
    """No verdict, and a person has to look."""
    ERROR = "error"
    """Infrastructure failed; no verdict on the code."""
    WEAK = "weak"
    """Not refuted, by an attack too weak to rely on."""
    PASSED = "passed"
    NOT_RUN = "not run"
    """Cancelled, skipped, dry run."""


GROUPS: Final[Mapping[Status, Group]] = {
    Status.ERROR: Group.ERROR,
    Status.BLOCKED_DANGEROUS_SCRIPT: Group.BLOCKED,
    Status.BLOCKED_DANGEROUS_OPERATION: Group.BLOCKED,
    Status.CANCELLED: Group.NOT_RUN,
    Status.SKIPPED_BUDGET: Group.NOT_RUN,
    Status.SKIPPED: Group.NOT_RUN,
    Status.DRY_RUN: Group.NOT_RUN,
    Status.PENDING: Group.UNDECIDED,
    Status.FAILED_IMPORT: Group.FAILED,
    Status.FAILED_VERIFICATION: Group.FAILED,
    Status.FAILED_RESOURCES: Group.FAILED,
    Status.FAILED_ADVERSARIAL: Group.FAILED,
    Status.FAILED_REVIEW: Group.FAILED,
    Status.INCONCLUSIVE: Group.UNDECIDED,
    Status.FAILED_TIMEOUT: Group.FAILED,
    Status.PASS_WEAK: Group.WEAK,
    Status.PASS: Group.PASSED,
}

VERDICTS: Final = (Group.FAILED, Group.BLOCKED, Group.WEAK, Group.PASSED)
"""What says something about the code. A dry run, an error or a declined question takes no earlier verdict back."""
NEEDS_A_PERSON: Final = (Group.FAILED, Group.BLOCKED, Group.UNDECIDED, Group.ERROR)


def statuses_of(*groups: Group) -> list[str]:
    """The statuses of these groups, in the order of precedence."""
    return [status.value for status in Status if GROUPS[status] in groups]
