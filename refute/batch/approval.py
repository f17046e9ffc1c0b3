"""One approval for a whole list of tickets, each bound to the files that were listed."""

from refute.approval import AdvanceApprover, Approval, Decision, Denial, Question


class ListedApprover:
    """Answers for one ticket as was answered for the list.

    Args:
        by: who answered.
        digest: the snapshot that was on the list; None where whatever scans clean was approved in advance.
        declined: the answer was no.
    """

    def __init__(self, *, by: str, digest: str | None, declined: bool = False) -> None:
        self._by = by
        self._digest = digest
        self._declined = declined
        self.outdated: str | None = None
        """Digest of the files as they are now, where the approval was for others."""

    def ask(self, question: Question) -> Decision:
        """Approve exactly what was listed; findings that block are never approved with a list."""
        if self._declined:
            return Denial(reason=f"declined by {self._by}")
        if self._digest is not None and question.snapshot.digest != self._digest:
            self.outdated = question.snapshot.digest
            return Denial(reason="the ticket's files were changed after the list was approved")
        in_advance = AdvanceApprover().ask(question)
        if isinstance(in_advance, Denial):
            return in_advance
        return Approval(snapshot_digest=question.snapshot.digest, by=self._by)
