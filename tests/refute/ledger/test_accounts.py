"""Budgets: what is set aside counts, what was sent counts until it is settled, and nobody overspends together."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import select

from refute.errors import BudgetExhausted
from refute.ledger.accounts import Accounts, Budgets, Payer
from refute.ledger.schema import MODEL_CALLS, RESERVATIONS
from refute.ledger.store import Ledger
from refute.settings import Settings
from tests.fakes.model_calls import fake_call

PAYER = Payer(run_id="r1", ticket_id="T-1")
OTHER = Payer(run_id="r2", ticket_id="T-2")
CENT = Decimal("0.01")
MakeAccounts = Callable[..., Accounts]


class Clock:
    """A moment that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_accounts(ledger: Ledger, clock: Clock) -> MakeAccounts:
    def make(**budgets: str) -> Accounts:
        limits: dict[str, Decimal | None] = {"ticket_usd": None, **{k: Decimal(v) for k, v in budgets.items()}}
        return Accounts(ledger, Budgets(**limits), clock=clock)

    return make


def test_a_budget_can_be_used_to_the_last_cent_and_no_further(make_accounts: MakeAccounts) -> None:
    accounts = make_accounts(ticket_usd="0.02")
    accounts.reserve(PAYER, CENT, valid_s=60)
    accounts.reserve(PAYER, CENT, valid_s=60)
    with pytest.raises(BudgetExhausted, match=r"budget of the ticket: \$0.02, of which \$0.02 .* up to \$0.01"):
        accounts.reserve(PAYER, CENT, valid_s=60)


def test_where_a_shared_budget_is_only_set_aside_the_hint_says_that_it_comes_back(make_accounts: MakeAccounts) -> None:
    make_accounts(month_usd="0.02").reserve(OTHER, 2 * CENT, valid_s=60)
    with pytest.raises(BudgetExhausted) as shared:
        make_accounts(month_usd="0.02").reserve(PAYER, CENT, valid_s=60)
    assert "--only-failed" in shared.value.hint
    assert "month_budget_usd" in shared.value.hint
    with pytest.raises(BudgetExhausted) as own:
        make_accounts(ticket_usd="0").reserve(PAYER, CENT, valid_s=60)
    assert "--max-cost" in own.value.hint


def test_settling_gives_back_what_was_not_used(make_accounts: MakeAccounts) -> None:
    accounts = make_accounts(ticket_usd="0.02")
    held = accounts.reserve(PAYER, 2 * CENT, valid_s=60)
    assert accounts.mark_sent(held)
    accounts.settle(held, PAYER, fake_call(Decimal("0.000000001")))
    assert accounts.spent(PAYER)["ticket"] == Decimal("0.000000001")
    accounts.reserve(PAYER, CENT, valid_s=60)


def test_what_was_never_sent_expires(make_accounts: MakeAccounts, clock: Clock) -> None:
    accounts = make_accounts(ticket_usd="0.01")
    held = accounts.reserve(PAYER, CENT, valid_s=60)
    clock.now += timedelta(seconds=61)
    assert accounts.spent(PAYER)["ticket"] == 0
    assert not accounts.mark_sent(held)
    accounts.reserve(PAYER, CENT, valid_s=60)


def test_what_was_sent_counts_at_its_worst_until_somebody_settles_it(
    make_accounts: MakeAccounts, clock: Clock, ledger: Ledger
) -> None:
    accounts = make_accounts(ticket_usd="0.01")
    held = accounts.reserve(PAYER, CENT, valid_s=60)
    assert accounts.mark_sent(held)
    clock.now += timedelta(hours=2)
    assert accounts.spent(PAYER)["ticket"] == CENT
    assert accounts.settle_abandoned(older_than_s=3600) == 1
    assert accounts.settle_abandoned(older_than_s=3600) == 0
    assert accounts.spent(PAYER)["ticket"] == CENT
    with ledger.transaction() as connection:
        row = connection.execute(select(RESERVATIONS)).mappings().one()
    assert (row["state"], row["unreconciled"], row["cost_nanousd"]) == ("settled", True, CENT)


def test_a_call_that_cannot_have_been_billed_costs_nothing(make_accounts: MakeAccounts) -> None:
    accounts = make_accounts(ticket_usd="0.01")
    accounts.release(accounts.reserve(PAYER, CENT, valid_s=60))
    assert accounts.spent(PAYER)["ticket"] == 0


@pytest.mark.parametrize("scope", ["day", "month"])
def test_days_and_months_are_shared_by_all_and_end_by_utc(
    make_accounts: MakeAccounts, clock: Clock, scope: str
) -> None:
    accounts = make_accounts(**{f"{scope}_usd": "0.01"})
    accounts.reserve(PAYER, CENT, valid_s=6000)
    with pytest.raises(BudgetExhausted, match=f"budget of the {scope}"):
        accounts.reserve(OTHER, CENT, valid_s=60)
    clock.now += timedelta(minutes=2)  # December
    accounts.reserve(OTHER, CENT, valid_s=60)


def test_a_ticket_s_budget_is_its_own(make_accounts: MakeAccounts) -> None:
    accounts = make_accounts(ticket_usd="0.01")
    accounts.reserve(PAYER, CENT, valid_s=60)
    accounts.reserve(OTHER, CENT, valid_s=60)
    accounts.reserve(Payer(run_id="r1", ticket_id="T-9"), CENT, valid_s=60)
    assert accounts.spent(PAYER)["ticket"] == CENT


def test_an_unknown_cost_holds_nothing_and_stays_unknown(make_accounts: MakeAccounts, ledger: Ledger) -> None:
    accounts = make_accounts(ticket_usd="0.01")
    held = accounts.reserve(PAYER, None, valid_s=60)
    accounts.settle(held, PAYER, fake_call(None))
    assert accounts.spent(PAYER)["ticket"] == 0
    with ledger.transaction() as connection:
        assert connection.execute(select(MODEL_CALLS.c.cost_nanousd)).scalar_one() is None


def test_a_call_is_kept_with_its_tokens(make_accounts: MakeAccounts, ledger: Ledger) -> None:
    accounts = make_accounts()
    accounts.settle(accounts.reserve(PAYER, CENT, valid_s=60), PAYER, fake_call(CENT))
    with ledger.transaction() as connection:
        row = connection.execute(select(MODEL_CALLS)).mappings().one()
    assert (row["run_id"], row["ticket_id"], row["input_tokens"], row["cost_nanousd"]) == ("r1", "T-1", 10, CENT)


def _draw(state_dir: Path, number: int) -> int:
    """One ticket's process: as many cents as it gets, out of the month's; module level, so that it can be sent."""
    accounts = Accounts(Ledger.open(Settings(state_dir=state_dir)), Budgets(ticket_usd=None, month_usd=25 * CENT))
    payer, cents = Payer(run_id="batch", ticket_id=f"T-{number}"), 0
    try:
        while True:
            held = accounts.reserve(payer, CENT, valid_s=60)
            accounts.mark_sent(held)
            accounts.settle(held, payer, fake_call(CENT))
            cents += 1
    except BudgetExhausted:
        return cents


@pytest.mark.slow
def test_s210_fifty_tickets_in_parallel_do_not_overspend(settings: Settings) -> None:
    Ledger.open(settings).close()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(4, mp_context=context) as pool:
        drawn = list(pool.map(_draw, [settings.state_dir] * 50, range(50)))
    assert sum(drawn) == 25
