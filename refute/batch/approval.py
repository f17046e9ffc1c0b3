"""One approval for a whole list of tickets, each bound to the files that were listed."""

from dataclasses import replace
from typing import Final

from refute.approval import IN_ADVANCE, AdvanceApprover, Approval, Beforehand, Decision, Denial, Question
from refute.batch.allowance import Allowance

NOBODY_IN_BATCH: Final = "nobody is asked in a batch; verify the ticket alone, without --yes, to answer"


class ListedApprover:
    """Answers for one ticket as was answered for the list.

    Args:
        by: who answered.
        digest: the snapshot that was on the list; None where whatever scans clean was approved in advance.
        declined: the answer was no.
        allowance: what the allow-file says about this ticket.
        when: the list was put to somebody, and answered.
    """

    def __init__(
        self,
        *,
        by: str,
        digest: str | None,
        declined: bool = False,
        allowance: Allowance | None = None,
        when: Beforehand = IN_ADVANCE,
    ) -> None:
        self._by = by
        self._digest = digest
        self._declined = declined
        self._allowance = allowance
        self._when = when
        self.outdated: str | None = None
        """Digest of the files as they are now, where the approval was for others."""
        self.blocked = False
        """Whether the answer was no because of what the scan found."""

    def ask(self, question: Question) -> Decision:
        """Approve exactly what was listed; findings that block only with an allowance for these very files."""
        digest = question.snapshot.digest
        if question.opinions:
            return Denial(reason=NOBODY_IN_BATCH)
        if self._declined:
            return Denial(reason=f"declined by {self._by}", by=self._by, beforehand=self._when)
        if self._digest is not None and digest != self._digest:
            self.outdated = digest
            return Denial(reason="the ticket's files were changed after the list was approved")
        if question.dangers and self._allowance is not None and self._allowance.snapshot == digest:
            return Approval(snapshot_digest=digest, by=f"allow-file: {self._allowance.reason}", beforehand=self._when)
        decision = replace(AdvanceApprover(by=self._by).ask(question), beforehand=self._when)
        self.blocked = isinstance(decision, Denial)
        return decision
