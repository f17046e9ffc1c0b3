"""Nothing submitted runs before someone approved exactly these files: the question, the decision, who may answer."""

from dataclasses import dataclass
from typing import Protocol

from refute.scan.finding import Finding, ScanResult
from refute.ticket.record import Snapshot, Ticket


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked: may this script run in the sandbox, with these limits?"""

    ticket: Ticket
    snapshot: Snapshot
    script: str
    """The verification script as frozen in the snapshot."""
    scan: ScanResult
    plan: tuple[str, ...]
    """What would run and with which limits, one line each."""
    timeout_s: float
    """How long the answer is waited for."""

    @property
    def dangers(self) -> tuple[Finding, ...]:
        """Findings that only an explicit override lets through; the person must see them named."""
        return self.scan.blocking


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Yes, bound to one snapshot: other files need another approval."""

    snapshot_digest: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """No, or no answer in time."""

    reason: str


Decision = Approval | Denial


class Approver(Protocol):
    """Someone, or a policy, that answers."""

    def ask(self, question: Question) -> Decision:
        """Answer within the question's time."""
        ...


class AdvanceApprover:
    """Somebody said yes in advance. Findings that block are never approved this way.

    Args:
        by: who or what did: `--yes` of a person, or a deployment.
    """

    def __init__(self, *, by: str) -> None:
        self._by = by

    def ask(self, question: Question) -> Decision:
        """Approve a script without blocking findings.

        Returns:
            An approval of the question's snapshot, or a denial that names how to override.
        """
        if question.dangers:
            rules = ", ".join(sorted({finding.rule_id for finding in question.dangers}))
            return Denial(
                reason=f"an approval in advance does not cover dangerous findings ({rules}); answer in person"
            )
        return Approval(snapshot_digest=question.snapshot.digest, by=self._by)
