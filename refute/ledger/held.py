"""The ledger for whoever works on a ticket of a batch: its outcome counts while the ticket is still its own."""

from collections.abc import Callable

from sqlalchemy import Connection

from refute.guardrails.audit_chain import AuditAnchor
from refute.ledger.leases import Leases
from refute.ledger.store import Ledger
from refute.outcome import Outcome


class HeldLedger(Ledger):
    """The ledger as the owner of a batch's ticket sees it: an outcome is refused once the ticket is not its any more.

    Args:
        ledger: whose database to use.
        owner: the process that claimed the ticket.
    """

    def __init__(self, ledger: Ledger, owner: str) -> None:
        engine = ledger._engine  # noqa: SLF001  # another view of the same database
        super().__init__(engine, locks=ledger.locks, costs_csv=ledger.costs_csv)
        self._leases = Leases(ledger)
        self._owner = owner
        self.refused = False
        """Whether an outcome was refused."""

    def record(
        self,
        outcome: Outcome,
        *,
        audited: AuditAnchor | None = None,
        provided: Callable[[Connection], bool] | None = None,
    ) -> bool:
        """Record the outcome if the ticket is still held; `provided` is not asked, the batch has its own condition."""
        del provided
        recorded = self._leases.record(outcome, self._owner, audited=audited)
        self.refused = not recorded
        return recorded
