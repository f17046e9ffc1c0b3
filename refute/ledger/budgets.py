"""What budgets have left for a call: room now, room once calls under way have settled, or none any more."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from sqlalchemy import ColumnElement, Connection, func, select

from refute.errors import BudgetExhausted
from refute.ledger.schema import RESERVATIONS
from refute.wording import dollars

ZERO: Final = Decimal(0)
HELD: Final = RESERVATIONS.c


class State(StrEnum):
    """How far a reservation has come."""

    WAITING = "waiting"
    """Nothing is set aside: a place in the order of those that wait for what others have set aside."""
    RESERVED = "reserved"
    SENT = "sent"
    SETTLED = "settled"
    RELEASED = "released"
    """Nothing was, or can have been, billed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Most that may be spent, in US dollars; None: no limit."""

    ticket_usd: Decimal | None
    """In one run of one ticket."""
    run_usd: Decimal | None = None
    day_usd: Decimal | None = None
    """UTC."""
    month_usd: Decimal | None = None
    """UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """For whom a call is made."""

    run_id: str
    ticket_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one budget stands, in US dollars."""

    spent_usd: Decimal
    """For good: settled, or sent so long ago that no answer can be on its way."""
    under_way_usd: Decimal
    """Set aside for calls that may yet cost less, or nothing."""
    awaited_usd: Decimal
    """What those ask for that came before and wait."""

    @property
    def taken_usd(self) -> Decimal:
        """Spent or set aside."""
        return self.spent_usd + self.under_way_usd


Scopes = list[tuple[str, Decimal | None, ColumnElement[bool]]]
"""Name, limit and reservations of each budget."""


def scopes(budgets: Budgets, payer: Payer, now: datetime) -> Scopes:
    """The budgets that a call draws on.

    Args:
        budgets: their limits.
        payer: for whom it is made.
        now: the present moment, in UTC.
    """
    run = HELD.run_id == payer.run_id
    return [
        ("ticket", budgets.ticket_usd, run & (HELD.ticket_id == payer.ticket_id)),
        ("run", budgets.run_usd, run),
        ("day", budgets.day_usd, HELD.day == f"{now:%Y-%m-%d}"),
        ("month", budgets.month_usd, HELD.month == f"{now:%Y-%m}"),
    ]


def standing(
    connection: Connection, scope: ColumnElement[bool], now: datetime, *, place: int | None = None
) -> Standing:
    """How a budget stands for whoever has this place among those that wait; None: behind all of them."""
    alive = HELD.expires_at > now
    before = (HELD.state == State.WAITING.value) & alive
    if place is not None:
        before &= HELD.id < place
    lost = (HELD.state == State.SENT.value) & ~alive
    sums = (
        func.sum(HELD.held_nanousd).filter((HELD.state == State.SETTLED.value) | lost),
        func.sum(HELD.held_nanousd).filter(HELD.state.in_((State.RESERVED.value, State.SENT.value)), alive),
        func.sum(HELD.worst_nanousd).filter(before),
    )
    spent, under_way, awaited = connection.execute(select(*sums).where(scope)).one()
    return Standing(spent_usd=spent or ZERO, under_way_usd=under_way or ZERO, awaited_usd=awaited or ZERO)


def awaited(
    connection: Connection, found: Scopes, worst_usd: Decimal | None, now: datetime, *, place: int | None = None
) -> str:
    """Which budget has no room for a call before others have settled; empty where all of them have room.

    Whoever asks holds nothing that another one waits for: a call sets money aside only for itself, and only once it
    can be sent. So nobody waits for somebody who waits, and as each is asked for in turn, every wait ends.

    Raises:
        BudgetExhausted: the call does not fit, whatever comes of those under way.
    """
    asked = worst_usd or ZERO
    waits_for = ""
    for name, limit, scope in found:
        if limit is None:
            continue
        stands = standing(connection, scope, now, place=place)
        if stands.spent_usd + asked > limit:
            raise exhausted(name, limit, stands.spent_usd, worst_usd)
        if not waits_for and stands.taken_usd + stands.awaited_usd + asked > limit:
            waits_for = f"budget of the {name}, {dollars(limit)}"
    return waits_for


def exhausted(name: str, limit: Decimal, spent: Decimal, worst_usd: Decimal | None) -> BudgetExhausted:
    """What to tell whose call does not fit."""
    asked = "a call" if worst_usd is None else f"a call of up to {dollars(worst_usd)}"
    return BudgetExhausted(
        f"budget of the {name}: {dollars(limit)}, of which {dollars(spent)} is spent; {asked} does not fit",
        hint=_TICKET_HINT if name == "ticket" else _SHARED_HINT.format(name=name),
    )


_TICKET_HINT: Final = "Raise --max-cost, or use --tester property, which costs nothing."
_SHARED_HINT: Final = "Raise {name}_budget_usd, or use --tester property, which costs nothing."
