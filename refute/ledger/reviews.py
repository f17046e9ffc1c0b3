"""Reviews in the ledger: those of outcomes, and those that `refute critics run` asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import insert, select

from refute.critics.record import Review
from refute.ledger.rows import review_row
from refute.ledger.schema import REVIEWS
from refute.ledger.store import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """One review as the ledger keeps it."""

    run_id: str
    ticket_id: str
    critic_id: str
    focus: str
    verdict: str
    failures: int
    confirmed: int
    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal | None
    """None where no price was known."""
    at: datetime


def record_reviews(ledger: Ledger, reviews: Sequence[Review], *, run_id: str, ticket_id: str) -> None:
    """Write reviews that belong to no outcome.

    Raises:
        LedgerUnavailable: the database does not do its part.
    """
    with ledger.transaction(writes=True) as connection:
        connection.execute(insert(REVIEWS), [review_row(one, run_id, ticket_id) for one in reviews])


def recent_reviews(ledger: Ledger, *, since: datetime | None = None, limit: int = 1_000) -> list[ReviewRow]:
    """Reviews, the newest first.

    Args:
        ledger: where they are.
        since: only those of then or later.
        limit: at most so many.

    Raises:
        LedgerUnavailable: the database does not do its part.
    """
    row = REVIEWS.c
    names = ("run_id", "ticket_id", "critic_id", "focus", "verdict", "failures", "confirmed", "model")
    columns = [row[name] for name in (*names, "input_tokens", "output_tokens", "at")]
    query = select(*columns, row.cost_nanousd.label("cost_usd")).order_by(row.at.desc(), row.id.desc()).limit(limit)
    if since is not None:
        query = query.where(row.at >= since)
    with ledger.transaction() as connection:
        return [ReviewRow(**one) for one in connection.execute(query).mappings()]
