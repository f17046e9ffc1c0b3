"""Whatever callers do in whatever order, a budget is never overspent and nobody waits for ever."""

import itertools
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refute.errors import BudgetExhausted
from refute.ledger.accounts import LOST, Accounts, Queued, ReservationId
from refute.ledger.budgets import Budgets, Payer
from refute.ledger.store import Ledger
from refute.settings import Settings
from tests.fakes.model_calls import fake_call

CENT = Decimal("0.01")
LIMIT = 10 * CENT
CALLERS = 4
RUNS = itertools.count()
STEPS = st.lists(
    st.tuples(st.integers(0, CALLERS - 1), st.integers(1, 10), st.sampled_from(["on", "on", "on", "lose", "give up"])),
    min_size=8,
    max_size=20,
)
"""Who, cents at worst, and what it does with what it has got."""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    opened = Ledger.open(Settings(state_dir=Path(tmp_path_factory.mktemp("state"))))
    yield opened
    opened.close()


class Caller:
    """Asks for money, sends, settles; one step at a time."""

    def __init__(self, accounts: Accounts, payer: Payer) -> None:
        self.accounts, self.payer = accounts, payer
        self.place: ReservationId | None = None
        self.held: ReservationId | None = None
        self.sent = False
        self.worst = CENT

    def step(self, cents: int, what: str) -> None:
        if self.held is None:
            self.ask(cents, what)
        elif not self.sent:
            self.sent = self.accounts.mark_sent(self.held, self.payer, fake_call(self.worst, ending=LOST), answer_s=60)
            assert self.sent
        else:
            self.close(what)

    def ask(self, cents: int, what: str) -> None:
        if self.place is None:
            self.worst = cents * CENT
        elif what == "give up":
            self.accounts.release(self.place)
            self.place = None
            return
        try:
            found = self.accounts.reserve(self.payer, self.worst, valid_s=60, place=self.place)
        except BudgetExhausted:
            if self.place is not None:
                self.accounts.release(self.place)
            self.place = None
            return
        self.place, self.held = (found.place, None) if isinstance(found, Queued) else (None, found)

    def close(self, what: str) -> None:
        assert self.held is not None
        if what == "lose":
            self.accounts.settle_at_worst(self.held, fake_call(self.worst, ending=LOST))
        elif what == "give up":
            self.accounts.release(self.held)
        else:
            self.accounts.settle(self.held, fake_call(self.worst / 4))
        self.held, self.sent = None, False


@settings(max_examples=6, deadline=None)
@given(steps=STEPS)
def test_no_order_of_calls_overspends_or_leaves_somebody_waiting(
    ledger: Ledger, steps: list[tuple[int, int, str]]
) -> None:
    accounts = Accounts(ledger, Budgets(ticket_usd=None, run_usd=LIMIT))
    run_id = f"run-{next(RUNS)}"
    callers = [Caller(accounts, Payer(run_id=run_id, ticket_id=f"T-{number}")) for number in range(CALLERS)]
    for who, cents, what in steps:
        callers[who].step(cents, what)
        assert accounts.spent(callers[who].payer)["run"] <= LIMIT
    for _ in range(3 * CALLERS):  # each goes on with what it has, and asks for nothing new
        for caller in callers:
            if caller.place is not None or caller.held is not None:
                caller.step(1, "on")
    assert not any(caller.place or caller.held for caller in callers)
    assert accounts.spent(callers[0].payer)["run"] <= LIMIT
