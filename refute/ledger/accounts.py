"""Money for model calls: reserved before, settled after, so that no number of parallel tickets overspends a budget.

reserved → sent → settled. One that was never sent expires; one that was sent and never settled may have been billed,
so it keeps its worst case until it is settled, and is then marked unreconciled. Its call is on record as lost from the
moment it is sent: whoever settles it writes over that, and a process that is killed leaves what is true.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NewType

from sqlalchemy import Connection, delete, insert, text, update

from refute.ledger.budgets import HELD, ZERO, Budgets, Payer, State, awaited, scopes, standing
from refute.ledger.database import idempotent
from refute.ledger.schema import MODEL_CALLS, RESERVATIONS
from refute.ledger.store import Ledger

ReservationId = NewType("ReservationId", int)
LOCK: Final = 0x5E_F0_7E
"""Number of PostgreSQL's advisory lock under which budgets are looked at; SQLite has one writer anyway."""
PLACE_S: Final = 30.0
"""For so long whoever waits keeps its place without asking again; a killed process keeps nobody waiting longer."""
SETTLING_S: Final = 30.0
"""How much later than its last moment an answer may be settled: connecting and the ledger take their time too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """Nothing is set aside yet: others have set aside what is missing, and some of it will come back."""

    place: ReservationId
    """In the order of those that wait; to be given back, or released."""
    budget: str
    """Which one, in words."""


LOST: Final = "lost"
"""How a call ended whose answer never came, or was none, or whose process died: it may have been billed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """What is kept of a call; never the prompt itself. Of a lost one no tokens are known, and its cost is the worst.

    The time of one whose process died is the worst too: as long as its answer might have taken.
    """

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

    def reserve(
        self, payer: Payer, worst_usd: Decimal | None, *, valid_s: float, place: ReservationId | None = None
    ) -> ReservationId | Queued:
        """Set money aside, or take (or keep) a place among those that wait for it, or refuse.

        Args:
            payer: whose budgets count.
            worst_usd: the most that the call may cost; None where no price is known, and so no budget holds it.
            valid_s: how long it is kept if nothing is sent.
            place: that was taken before; the reservation has its id.

        Raises:
            BudgetExhausted: a budget has less left, whatever calls under way turn out to cost.
        """
        now = self._clock().astimezone(UTC)
        with self._exclusive() as connection:
            budget = awaited(connection, scopes(self._budgets, payer, now), worst_usd, now, place=place)
            row = {
                "run_id": payer.run_id,
                "ticket_id": payer.ticket_id,
                "month": f"{now:%Y-%m}",
                "day": f"{now:%Y-%m-%d}",
                "state": (State.WAITING if budget else State.RESERVED).value,
                "created_at": now,
                "expires_at": now + timedelta(seconds=PLACE_S if budget else valid_s),
                "worst_nanousd": worst_usd,
                "held_nanousd": ZERO if budget else worst_usd or ZERO,
                "unreconciled": False,
            }
            if place is None:
                place = ReservationId(
                    connection.execute(insert(RESERVATIONS).values(row).returning(HELD.id)).scalar_one()
                )
            else:
                self._finish(connection, place, row)
        return Queued(place=place, budget=budget) if budget else place

    @idempotent
    def has_room(self, payer: Payer, worst_usd: Decimal | None, *, place: ReservationId) -> bool:
        """Whether whoever has this place need wait no longer; a look that keeps nobody waiting.

        Raises:
            BudgetExhausted: waiting is in vain.
        """
        now = self._clock().astimezone(UTC)
        with self._ledger.transaction() as connection:
            return not awaited(connection, scopes(self._budgets, payer, now), worst_usd, now, place=place)

    def mark_sent(self, reservation: ReservationId, payer: Payer, lost: ModelCall, *, answer_s: float) -> bool:
        """Say, before sending, that the call may be billed from now on.

        Args:
            reservation: that pays for it.
            payer: for whom it is made.
            lost: the call as it stays on record if nobody settles it.
            answer_s: how long its answer may take; after it nobody waits for what it may give back.

        Returns:
            False where the reservation has expired: nothing may be sent on it.
        """
        now = self._clock().astimezone(UTC)
        held = (HELD.id == reservation) & (HELD.state == State.RESERVED.value) & (HELD.expires_at > now)
        sent = {"state": State.SENT.value, "expires_at": now + timedelta(seconds=answer_s + SETTLING_S)}
        row = {"reservation_id": reservation, "run_id": payer.run_id, "ticket_id": payer.ticket_id, **self._facts(lost)}
        with self._exclusive() as connection:
            if connection.execute(update(RESERVATIONS).where(held).values(sent)).rowcount != 1:
                return False
            connection.execute(insert(MODEL_CALLS).values(row))
        return True

    def settle(self, reservation: ReservationId, call: ModelCall) -> None:
        """Put the real cost in the place of the worst case, and keep the call, in one transaction."""
        settled: dict[str, Any] = {
            "state": State.SETTLED.value,
            "cost_nanousd": call.cost_usd,
            "held_nanousd": call.cost_usd or ZERO,
            "unreconciled": False,
        }
        self._settle(reservation, call, settled)

    def settle_at_worst(self, reservation: ReservationId, call: ModelCall) -> None:
        """The call may have been billed, nobody knows how much: it counts at its worst case, and is kept as that."""
        self._settle(reservation, call, _AT_WORST)

    @idempotent
    def release(self, reservation: ReservationId) -> None:
        """Nothing was billed: no call is kept."""
        free = {"state": State.RELEASED.value, "cost_nanousd": ZERO, "held_nanousd": ZERO, "unreconciled": False}
        with self._exclusive() as connection:
            self._finish(connection, reservation, free)
            connection.execute(delete(MODEL_CALLS).where(MODEL_CALLS.c.reservation_id == reservation))

    def settle_abandoned(self) -> int:
        """Settle at worst case what was sent so long ago that no answer can be on its way.

        An answer that is settled even later (its machine slept) puts its real cost in the place of that.

        Returns:
            How many there were.
        """
        left = (HELD.state == State.SENT.value) & (HELD.expires_at <= self._clock().astimezone(UTC))
        with self._exclusive() as connection:
            return connection.execute(update(RESERVATIONS).where(left).values(_AT_WORST)).rowcount

    @idempotent
    def spent(self, payer: Payer) -> dict[str, Decimal]:
        """US dollars spent or set aside by scope: `ticket`, `run`, `day`, `month`."""
        now = self._clock().astimezone(UTC)
        with self._ledger.transaction() as connection:
            found = scopes(self._budgets, payer, now)
            return {name: standing(connection, scope, now).taken_usd for name, _, scope in found}

    @idempotent
    def _settle(self, reservation: ReservationId, call: ModelCall, values: dict[str, Any]) -> None:
        with self._exclusive() as connection:
            self._finish(connection, reservation, values)
            on_record = MODEL_CALLS.c.reservation_id == reservation
            connection.execute(update(MODEL_CALLS).where(on_record).values(self._facts(call)))

    def _facts(self, call: ModelCall) -> dict[str, Any]:
        facts = asdict(call)
        return {"at": self._clock().astimezone(UTC), "cost_nanousd": facts.pop("cost_usd"), **facts}

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
