"""What a person has to look at: the newest failed run of each ticket, refuted claims first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, select

from refute.errors import LedgerUnavailable
from refute.ledger.latest import RECORDED, latest
from refute.ledger.schema import OUTCOMES
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.outcome_document import read_document
from reports.groups import GROUPS, NEEDS_A_PERSON, Group, statuses_of
from reports.scope import Scope

WITH_COUNTEREXAMPLES: Final = (Status.FAILED_ADVERSARIAL.value, Status.FAILED_REVIEW.value)
OTHERS: Final = tuple(status for status in statuses_of(*NEEDS_A_PERSON) if status not in WITH_COUNTEREXAMPLES)
SETTLED: Final = (Status.PASS.value, Status.PASS_WEAK.value)
"""What a newer run ends in where nobody has to look any more."""
SHOWN: Final = 50
LOOKED_THROUGH: Final = 8
"""Newest runs looked through for each row that is shown, as tickets are run again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A run that needs a person."""

    run_id: str
    ticket_id: str
    title: str
    status: Status
    reason: str
    started_at: datetime
    outcome: Outcome | None
    """In full; None where another version of refute wrote it in a way that this one cannot read."""
    later: Status | None
    """How the ticket's newest run ended that was not skipped, declined or dry, where that is another one."""

    @property
    def settled(self) -> bool:
        """Whether the ticket has passed since, so that nobody has to look any more."""
        return self.later is not None and self.later.value in SETTLED


def newest_findings(ledger: Ledger, scope: Scope, *, limit: int = SHOWN) -> list[Finding]:
    """The newest run of each ticket that needs a person.

    Returns:
        Those of tickets that have not passed since first; of these refuted claims, other failures, blocked scripts,
        what is undecided, errors, in this order; of each the newest first.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    with ledger.transaction() as connection:
        refuted = _newest(connection, scope, WITH_COUNTEREXAMPLES, limit)
        found = (
            refuted | _newest(connection, scope, OTHERS, limit) | refuted
        )  # in the order of the first, with its values
        newest = _newest_runs(connection, list(found))
        # Sorting is stable, so of each kind the newest stays first.
        order = sorted(found, key=lambda one: (newest[one][1] in SETTLED, one not in refuted, _rank(found[one][1])))
        keys = [found[one][0] for one in order[:limit]]
        query = select(OUTCOMES).where(OUTCOMES.c.id.in_(keys))
        rows = {row["id"]: row for row in connection.execute(query).mappings()}
    return [_finding(rows[key], newest[rows[key]["ticket_id"]]) for key in keys]


def _rank(status: str) -> int:
    """Failures before blocked scripts, then what is undecided, then errors."""
    return NEEDS_A_PERSON.index(GROUPS[Status(status)])


def _newest(connection: Connection, scope: Scope, statuses: Sequence[str], limit: int) -> dict[str, tuple[int, str]]:
    """Ticket → key and status of its latest run with one of these statuses, by their starts, the newest first."""
    columns = (OUTCOMES.c.ticket_id, RECORDED, OUTCOMES.c.status)
    query = select(*columns).where(OUTCOMES.c.status.in_(statuses), *scope.conditions())
    # By start, for which there is an index: among the few that it finds the latest of each ticket is told apart.
    order = query.order_by(OUTCOMES.c.started_at.desc(), RECORDED.desc()).limit(limit * LOOKED_THROUGH)
    found: dict[str, tuple[int, str]] = {}
    for ticket_id, key, status in connection.execute(order):
        found[ticket_id] = max((key, status), found.get(ticket_id, (key, status)))
    return found


def _newest_runs(connection: Connection, ticket_ids: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Ticket → key and status of its latest run that began, in scope or not."""
    began = OUTCOMES.c.status.not_in(statuses_of(Group.NOT_RUN))
    of_these = latest(OUTCOMES.c.ticket_id.in_(ticket_ids), began)
    query = select(OUTCOMES.c.ticket_id, RECORDED, OUTCOMES.c.status).where(RECORDED.in_(of_these))
    return {ticket_id: (key, status) for ticket_id, key, status in connection.execute(query)}


def _finding(row: Any, newest: tuple[int, str]) -> Finding:
    key, status = newest
    return Finding(
        **{name: row[name] for name in ("run_id", "ticket_id", "title", "reason", "started_at")},
        status=Status(row["status"]),
        outcome=_read(row["document"]),
        later=None if key == row["id"] else Status(status),
    )


def _read(document: str) -> Outcome | None:
    try:
        return read_document(document)
    except LedgerUnavailable:
        return None
