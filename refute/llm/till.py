"""What pays for requests to models: money set aside before each, in its turn, and waited for where it comes back."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

from refute.errors import BudgetExhausted
from refute.ledger.accounts import Accounts, Queued, ReservationId
from refute.ledger.budgets import Payer
from refute.llm.pricing import PriceList

LOOK_S: Final = 0.5
"""How often whoever waits for money looks whether there is some."""
LOOKS: Final = 20
"""After so many it asks anew all the same, which keeps its place."""
LONGEST_WAIT_S: Final = 3600.0
"""A wait ends far earlier, unless clocks are set back."""

Turn = Callable[[], AbstractContextManager[object]]
"""Waits until one more request may be under way, which it is while the context is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clockwork:
    """Time and chance, so that tests need neither wait nor guess."""

    sleep: Callable[[float], None] = time.sleep
    """May raise, which ends what is waited for."""
    monotonic: Callable[[], float] = time.monotonic
    today: Callable[[], date] = lambda: datetime.now(UTC).date()
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How whoever asks a model waits: for its turn, for money, for a server that is busy."""

    turn: Turn = nullcontext
    """Taken before money is set aside, so that nothing expires while it is waited for."""
    pause: Callable[[float], None] = time.sleep
    """Waits for some seconds; raises where the wait is to end."""
    tell: Callable[[str], None] = lambda _: None
    """Gets a line for a person when a wait for money begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Till:
    """What pays, for whom, at which prices."""

    accounts: Accounts
    payer: Payer
    prices: PriceList
    turn: Turn = nullcontext
    """As in `Waiting`; `tell` too."""
    tell: Callable[[str], None] = lambda _: None

    @contextmanager
    def set_aside(self, worst_usd: Decimal | None, *, valid_s: float, clockwork: Clockwork) -> Iterator[ReservationId]:
        """A turn with money set aside in it. Nothing is held while money is waited for, neither money nor a turn.

        Args:
            worst_usd: the most that the request may cost; None where no price is known.
            valid_s: how long the money is kept if nothing is sent.
            clockwork: what to wait by.

        Raises:
            BudgetExhausted: it does not fit into a budget, whatever calls under way turn out to cost.
        """
        place: ReservationId | None = None
        deadline = clockwork.monotonic() + LONGEST_WAIT_S
        try:
            while True:
                with self.turn():
                    held = self.accounts.reserve(self.payer, worst_usd, valid_s=valid_s, place=place)
                    if not isinstance(held, Queued):
                        place = None
                        yield held
                        return
                if place is None:
                    self.tell(f"{held.budget}: calls under way have set it aside; calls wait until enough comes back")
                place = held.place
                self._wait(place, worst_usd, clockwork)
                if clockwork.monotonic() > deadline:
                    raise _in_vain(held.budget)
        finally:
            if place is not None:
                self.accounts.release(place)

    def _wait(self, place: ReservationId, worst_usd: Decimal | None, clockwork: Clockwork) -> None:
        """Until there is room, or the place must be kept."""
        for _ in range(LOOKS):
            clockwork.sleep(LOOK_S * (0.5 + clockwork.chance() / 2))
            if self.accounts.has_room(self.payer, worst_usd, place=place):
                return


def _in_vain(budget: str) -> BudgetExhausted:
    return BudgetExhausted(
        f"{budget}: what calls under way have set aside did not come back within {LONGEST_WAIT_S / 60:.0f} minutes",
        hint="`refute batch … --only-failed` runs what was left. Was the clock set back?",
    )
