"""Money for model calls: reserved before, settled after, so that no number of parallel tickets overspends a budget.

reserved → sent → settled. One that was never sent expires; one that was sent and never settled may have been billed,
so it keeps its worst case until it is settled, and is then marked unreconciled.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NewType

from sqlalchemy import ColumnElement, Connection, func, insert, or_, select, text, update

from refute.errors import BudgetExhausted
from refute.ledger.schema import MODEL_CALLS, RESERVATIONS
from refute.ledger.store import Ledger

ReservationId = NewType("ReservationId", int)
LOCK: Final = 0x5E_F0_7E
"""Number of PostgreSQL's advisory lock under which budgets are looked at; SQLite has one writer anyway."""
ZERO: Final = Decimal(0)
HELD: Final = RESERVATIONS.c


class State(StrEnum):
    """How far a reservation has come."""

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
class ModelCall:
    """What is kept of a call; never the prompt itself."""

    purpose: str
    tier: str
    model: str
    prompt_digest: str
    data_class: str
    ending: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    thinking_tokens: int
    cost_usd: Decimal | None
    latency_s: float


class Accounts:
    """Budgets over one ledger; any number of processes may draw on them.

    Every method raises `LedgerUnavailable` where the database does not do its part.

    Args:
        ledger: where reservations lie.
        budgets: the limits.
        clock: the present moment.
    """

    def __init__(
        self, ledger: Ledger, budgets: Budgets, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._ledger = ledger
        self._budgets = budgets
        self._clock = clock

    def reserve(self, payer: Payer, worst_usd: Decimal | None, *, valid_s: float) -> ReservationId:
        """Set money aside, or refuse.

        Args:
            payer: whose budgets count.
            worst_usd: the most that the call may cost; None where no price is known, and so no budget holds it.
            valid_s: how long it is kept if nothing is sent.

        Raises:
            BudgetExhausted: a budget has less left.
        """
        now = self._clock().astimezone(UTC)
        with self._exclusive() as connection:
            for name, limit, scope in self._scopes(payer, now):
                spent = _spent(connection, scope, now)
                if limit is not None and spent + (worst_usd or ZERO) > limit:
                    raise _exhausted(name, limit, spent, worst_usd)
            row = insert(RESERVATIONS).values(
                run_id=payer.run_id,
                ticket_id=payer.ticket_id,
                month=f"{now:%Y-%m}",
                day=f"{now:%Y-%m-%d}",
                state=State.RESERVED.value,
                created_at=now,
                expires_at=now + timedelta(seconds=valid_s),
                worst_nanousd=worst_usd,
                held_nanousd=worst_usd or ZERO,
                unreconciled=False,
            )
            return ReservationId(connection.execute(row.returning(HELD.id)).scalar_one())

    def mark_sent(self, reservation: ReservationId) -> bool:
        """Say, before sending, that the call may be billed from now on.

        Returns:
            False where the reservation has expired: nothing may be sent on it.
        """
        now = self._clock().astimezone(UTC)
        held = (HELD.id == reservation) & (HELD.state == State.RESERVED.value) & (HELD.expires_at > now)
        with self._exclusive() as connection:
            return connection.execute(update(RESERVATIONS).where(held).values(state=State.SENT.value)).rowcount == 1

    def settle(self, reservation: ReservationId, payer: Payer, call: ModelCall) -> None:
        """Put the real cost in the place of the worst case, and keep the call, in one transaction."""
        settled: dict[str, Any] = {
            "state": State.SETTLED.value,
            "cost_nanousd": call.cost_usd,
            "held_nanousd": call.cost_usd or ZERO,
            "unreconciled": False,
        }
        row = {name: getattr(call, name) for name in _CALL_COLUMNS}
        with self._exclusive() as connection:
            self._finish(connection, reservation, settled)
            connection.execute(
                insert(MODEL_CALLS).values(
                    reservation_id=reservation,
                    run_id=payer.run_id,
                    ticket_id=payer.ticket_id,
                    at=self._clock().astimezone(UTC),
                    cost_nanousd=call.cost_usd,
                    **row,
                )
            )

    def settle_at_worst(self, reservation: ReservationId) -> None:
        """The call may have been billed, and nobody knows how much: it counts at its worst case."""
        with self._exclusive() as connection:
            self._finish(connection, reservation, _AT_WORST)

    def release(self, reservation: ReservationId) -> None:
        """Nothing was billed."""
        free = {"state": State.RELEASED.value, "cost_nanousd": ZERO, "held_nanousd": ZERO}
        with self._exclusive() as connection:
            self._finish(connection, reservation, free)

    def settle_abandoned(self, *, older_than_s: float) -> int:
        """Settle at worst case what was sent so long ago that nobody can still be waiting for its answer.

        Returns:
            How many there were.
        """
        before = self._clock().astimezone(UTC) - timedelta(seconds=older_than_s)
        left = (HELD.state == State.SENT.value) & (HELD.created_at < before)
        with self._exclusive() as connection:
            return connection.execute(update(RESERVATIONS).where(left).values(_AT_WORST)).rowcount

    def spent(self, payer: Payer) -> dict[str, Decimal]:
        """US dollars spent or set aside by scope: `ticket`, `run`, `day`, `month`."""
        now = self._clock().astimezone(UTC)
        with self._ledger.transaction() as connection:
            return {name: _spent(connection, scope, now) for name, _, scope in self._scopes(payer, now)}

    def _scopes(self, payer: Payer, now: datetime) -> list[tuple[str, Decimal | None, ColumnElement[bool]]]:
        budgets = self._budgets
        run = HELD.run_id == payer.run_id
        return [
            ("ticket", budgets.ticket_usd, run & (HELD.ticket_id == payer.ticket_id)),
            ("run", budgets.run_usd, run),
            ("day", budgets.day_usd, HELD.day == f"{now:%Y-%m-%d}"),
            ("month", budgets.month_usd, HELD.month == f"{now:%Y-%m}"),
        ]

    @contextmanager
    def _exclusive(self) -> Iterator[Connection]:
        """A transaction beside which no other one looks at budgets."""
        with self._ledger.transaction(writes=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            yield connection

    @staticmethod
    def _finish(connection: Connection, reservation: ReservationId, values: dict[str, Any]) -> None:
        connection.execute(update(RESERVATIONS).where(HELD.id == reservation).values(**values))


_AT_WORST: Final[dict[str, Any]] = {
    "state": State.SETTLED.value,
    "cost_nanousd": HELD.worst_nanousd,
    "unreconciled": True,
}
_CALL_COLUMNS: Final = (
    "purpose",
    "tier",
    "model",
    "prompt_digest",
    "data_class",
    "ending",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "thinking_tokens",
    "latency_s",
)


def _spent(connection: Connection, scope: ColumnElement[bool], now: datetime) -> Decimal:
    alive = or_(HELD.state != State.RESERVED.value, HELD.expires_at > now)
    total = connection.execute(select(func.sum(HELD.held_nanousd)).where(scope & alive)).scalar_one()
    return total or ZERO


_TICKET_HINT: Final = "Raise --max-cost, or use --tester property, which costs nothing."
_SHARED_HINT: Final = (
    "What is set aside comes back as calls under way settle: `refute batch … --only-failed` then runs what was left. "
    "Or raise {name}_budget_usd, or use --tester property, which costs nothing."
)


def _exhausted(name: str, limit: Decimal, spent: Decimal, worst_usd: Decimal | None) -> BudgetExhausted:
    asked = "a call" if worst_usd is None else f"a call of up to ${worst_usd:f}"
    return BudgetExhausted(
        f"budget of the {name}: ${limit:f}, of which ${spent:f} is spent or set aside; {asked} does not fit",
        hint=_TICKET_HINT if name == "ticket" else _SHARED_HINT.format(name=name),
    )
