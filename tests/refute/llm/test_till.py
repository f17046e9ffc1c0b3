"""Money for a request is waited for where it only has to come back; nobody overspends, and nobody waits for ever."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import select

from refute.errors import BudgetExhausted
from refute.ledger import accounts as accounts_module
from refute.ledger.accounts import Accounts, Queued, ReservationId
from refute.ledger.budgets import Budgets, Payer, State
from refute.ledger.schema import RESERVATIONS
from refute.ledger.store import Ledger
from refute.llm.pricing import load_prices
from refute.llm.till import LONGEST_WAIT_S, Clockwork, Till, Turn
from refute.settings import Settings
from tests.fakes.model_calls import fake_call

DIME, CENT = Decimal("0.10"), Decimal("0.01")
QUICK = Clockwork(sleep=lambda _: time.sleep(0.002))
"""Looks often, so that a test does not wait long."""


@pytest.fixture
def told() -> list[str]:
    """What a person was told."""
    return []


@pytest.fixture
def make_till(ledger: Ledger, told: list[str]) -> Callable[..., Till]:
    def make(number: int = 0, *, turn: Turn | None = None) -> Till:
        till = till_of(ledger, number)
        return Till(
            accounts=till.accounts,
            payer=till.payer,
            prices=till.prices,
            turn=turn or till.turn,
            tell=told.append,
        )

    return make


def till_of(ledger: Ledger, number: int, *, month_usd: str = "0.45") -> Till:
    """Of one ticket; all tickets share what may be spent in a month."""
    accounts = Accounts(ledger, Budgets(ticket_usd=None, month_usd=Decimal(month_usd)))
    return Till(accounts=accounts, payer=Payer(run_id="batch", ticket_id=f"T-{number}"), prices=load_prices())


def ask(till: Till, *, clockwork: Clockwork = QUICK) -> None:
    """A call of up to a dime that costs a tenth of a cent."""
    with till.set_aside(DIME, valid_s=60, clockwork=clockwork) as held:
        assert till.accounts.mark_sent(held, till.payer, fake_call(CENT), answer_s=60)
    till.accounts.settle(held, fake_call(CENT / 10))


def fill(till: Till) -> list[ReservationId]:
    """Set aside so much that no further dime fits."""
    found = [till.accounts.reserve(till.payer, DIME, valid_s=600) for _ in range(4)]
    return [held for held in found if not isinstance(held, Queued)]


def in_state(ledger: Ledger, state: State) -> int:
    with ledger.transaction() as connection:
        return len(connection.execute(select(RESERVATIONS.c.id).where(RESERVATIONS.c.state == state.value)).all())


def test_a_wait_is_told_once_and_holds_neither_money_nor_a_turn(
    make_till: Callable[..., Till], ledger: Ledger, told: list[str]
) -> None:
    others = fill(make_till(1))
    turns: list[str] = []
    seen: list[tuple[str, int]] = []

    @contextmanager
    def turn() -> Iterator[None]:
        turns.append("taken")
        yield
        turns.append("given back")

    def sleep(_: float) -> None:
        seen.append((turns[-1], in_state(ledger, State.WAITING)))
        if len(seen) == 50:  # after more than one renewal of its place
            make_till(1).accounts.release(others[0])

    ask(make_till(2, turn=turn), clockwork=Clockwork(sleep=sleep))
    assert set(seen) == {("given back", 1)}
    assert told == ["budget of the month, $0.45: calls under way have set it aside; calls wait until enough comes back"]
    assert in_state(ledger, State.WAITING) == 0


@pytest.mark.parametrize("end", [KeyboardInterrupt, BudgetExhausted])
def test_whoever_ends_a_wait_gives_up_its_place(
    make_till: Callable[..., Till], ledger: Ledger, end: type[BaseException]
) -> None:
    fill(make_till(1))

    def sleep(_: float) -> None:
        raise end("ended")

    with pytest.raises(end, match="ended"):
        ask(make_till(2), clockwork=Clockwork(sleep=sleep))
    assert (in_state(ledger, State.WAITING), in_state(ledger, State.RELEASED)) == (0, 1)


def test_no_wait_is_longer_than_an_hour_of_this_process_whatever_clocks_say(make_till: Callable[..., Till]) -> None:
    fill(make_till(1))
    now = [0.0]

    def sleep(_: float) -> None:
        now[0] += LONGEST_WAIT_S / 30

    with pytest.raises(BudgetExhausted, match="did not come back within 60 minutes"):
        ask(make_till(2), clockwork=Clockwork(sleep=sleep, monotonic=lambda: now[0]))


SHARED = "0.12"
"""Two calls of five cents at once, one beside what a killed process leaves."""


def _ticket(state_dir: Path, number: int, ended: "multiprocessing.SimpleQueue[tuple[int, str]]") -> None:
    """One ticket's process, three calls; the first one is killed with a call under way."""
    accounts_module.SETTLING_S = 0.0  # type: ignore[misc]
    till = till_of(Ledger.open(Settings(state_dir=state_dir)), number, month_usd=SHARED)
    try:
        for call in range(3):
            with till.set_aside(CENT * 5, valid_s=30, clockwork=QUICK) as held:
                assert till.accounts.mark_sent(held, till.payer, fake_call(CENT), answer_s=1.0)
                if call == 1 and number == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            till.accounts.settle(held, fake_call(CENT / 100))
    except BudgetExhausted:
        ended.put((number, "refused"))
    else:
        ended.put((number, "done"))


@pytest.mark.slow
def test_s210_processes_that_share_a_budget_neither_overspend_nor_lose_a_call_that_fits(tmp_path: Path) -> None:
    ledger = Ledger.open(Settings(state_dir=tmp_path))
    context = multiprocessing.get_context("spawn")
    ended = context.SimpleQueue()
    started = [context.Process(target=_ticket, args=(tmp_path, number, ended)) for number in range(6)]
    for process in started:
        process.start()
    most, accounts, payer = Decimal(0), till_of(ledger, 0, month_usd=SHARED).accounts, till_of(ledger, 0).payer
    while any(process.is_alive() for process in started):
        most = max(most, accounts.spent(payer)["month"])
        time.sleep(0.01)
    assert [process.exitcode for process in started] == [-signal.SIGKILL] + [0] * 5
    said = dict(ended.get() for _ in range(5))
    assert most <= Decimal(SHARED)
    assert set(said.values()) == {"done"}  # the killed one's 5 cents are gone for good, and there is room all the same
    assert in_state(ledger, State.WAITING) == 0
