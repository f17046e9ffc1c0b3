"""Budgets: what is set aside counts, what was sent counts until it is settled, and nobody overspends together."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from sqlalchemy import select

from refute.errors import BudgetExhausted
from refute.ledger.accounts import LOST, PLACE_S, SETTLING_S, Accounts, Queued, ReservationId
from refute.ledger.budgets import Budgets, Payer
from refute.ledger.schema import MODEL_CALLS, RESERVATIONS
from refute.ledger.store import Ledger
from tests.fakes.model_calls import fake_call

PAYER = Payer(run_id="r1", ticket_id="T-1")
OTHER = Payer(run_id="r2", ticket_id="T-2")
CENT = Decimal("0.01")
LOST_CALL = fake_call(CENT, ending=LOST, latency_s=60)
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


def taken(found: ReservationId | Queued) -> ReservationId:
    """What was set aside."""
    assert not isinstance(found, Queued), found
    return found


def queued(found: ReservationId | Queued) -> ReservationId:
    """The place of whoever waits."""
    assert isinstance(found, Queued), found
    return found.place


def spend(accounts: Accounts, payer: Payer, usd: Decimal) -> None:
    """A call that cost this much."""
    held = taken(accounts.reserve(payer, usd, valid_s=60))
    assert accounts.mark_sent(held, payer, LOST_CALL, answer_s=60)
    accounts.settle(held, fake_call(usd))


def test_a_budget_can_be_used_to_the_last_cent_and_no_further(make_accounts: MakeAccounts) -> None:
    accounts = make_accounts(ticket_usd="0.02")
    spend(accounts, PAYER, CENT)
    spend(accounts, PAYER, CENT)
    with pytest.raises(BudgetExhausted, match=r"budget of the ticket: \$0.02, of which \$0.02 .* up to \$0.01") as own:
        accounts.reserve(PAYER, CENT, valid_s=60)
    assert "--max-cost" in own.value.hint
    with pytest.raises(BudgetExhausted) as shared:
        make_accounts(month_usd="0.02").reserve(OTHER, CENT, valid_s=60)
    assert "month_budget_usd" in shared.value.hint


def test_what_others_have_set_aside_is_waited_for_until_it_settles(make_accounts: MakeAccounts) -> None:
    accounts = make_accounts(month_usd="0.03")
    under_way = taken(accounts.reserve(OTHER, 2 * CENT, valid_s=60))
    place = queued(accounts.reserve(PAYER, 2 * CENT, valid_s=60))
    assert accounts.mark_sent(under_way, OTHER, LOST_CALL, answer_s=60)
    assert not accounts.has_room(PAYER, 2 * CENT, place=place)
    accounts.settle(under_way, fake_call(CENT))
    assert accounts.has_room(PAYER, 2 * CENT, place=place)
    assert taken(accounts.reserve(PAYER, 2 * CENT, valid_s=60, place=place)) == place
    assert accounts.spent(PAYER)["month"] == 3 * CENT


def test_nobody_overtakes_those_that_wait_and_a_killed_one_keeps_nobody_waiting(
    make_accounts: MakeAccounts, clock: Clock
) -> None:
    accounts = make_accounts(month_usd="0.03")
    under_way = taken(accounts.reserve(OTHER, 2 * CENT, valid_s=600))
    first = queued(accounts.reserve(PAYER, 3 * CENT, valid_s=60))
    second = queued(accounts.reserve(OTHER, CENT, valid_s=60))  # it would fit, and come before the first for ever
    assert not accounts.has_room(OTHER, CENT, place=second)
    accounts.release(under_way)
    assert accounts.has_room(PAYER, 3 * CENT, place=first)
    assert not accounts.has_room(OTHER, CENT, place=second)
    clock.now += timedelta(seconds=PLACE_S + 1)  # the first one's process was killed
    assert accounts.has_room(OTHER, CENT, place=second)
    assert taken(accounts.reserve(OTHER, CENT, valid_s=60, place=second)) == second


def test_nobody_waits_for_an_answer_that_cannot_come_any_more(make_accounts: MakeAccounts, clock: Clock) -> None:
    clock.now -= timedelta(hours=1)
    accounts = make_accounts(month_usd="0.03")
    lost = taken(accounts.reserve(OTHER, 2 * CENT, valid_s=60))
    assert accounts.mark_sent(lost, OTHER, LOST_CALL, answer_s=60)  # and its process is killed
    place = queued(accounts.reserve(PAYER, 2 * CENT, valid_s=60))
    clock.now += timedelta(seconds=60 + SETTLING_S + 1)
    with pytest.raises(BudgetExhausted):
        accounts.has_room(PAYER, 2 * CENT, place=place)
    taken(accounts.reserve(PAYER, CENT, valid_s=60))


def test_what_was_never_sent_expires(make_accounts: MakeAccounts, clock: Clock) -> None:
    accounts = make_accounts(ticket_usd="0.01")
    held = taken(accounts.reserve(PAYER, CENT, valid_s=60))
    clock.now += timedelta(seconds=61)
    assert accounts.spent(PAYER)["ticket"] == 0
    assert not accounts.mark_sent(held, PAYER, LOST_CALL, answer_s=60)
    accounts.reserve(PAYER, CENT, valid_s=60)


def test_what_was_sent_counts_at_its_worst_until_somebody_settles_it(
    make_accounts: MakeAccounts, clock: Clock, ledger: Ledger
) -> None:
    accounts = make_accounts(ticket_usd="0.01")
    held = taken(accounts.reserve(PAYER, CENT, valid_s=60))
    assert accounts.mark_sent(held, PAYER, LOST_CALL, answer_s=60)
    clock.now += timedelta(hours=2)
    assert accounts.spent(PAYER)["ticket"] == CENT
    assert accounts.settle_abandoned() == 1
    assert accounts.settle_abandoned() == 0
    assert accounts.spent(PAYER)["ticket"] == CENT
    with ledger.transaction() as connection:
        row = connection.execute(select(RESERVATIONS)).mappings().one()
    assert (row["state"], row["unreconciled"], row["cost_nanousd"]) == ("settled", True, CENT)


@pytest.mark.parametrize("settled_meanwhile", [False, True])
def test_an_answer_that_comes_late_takes_the_place_of_the_worst_case_and_is_counted_once(
    make_accounts: MakeAccounts, clock: Clock, ledger: Ledger, settled_meanwhile: bool
) -> None:
    accounts = make_accounts()
    answered, refused = (taken(accounts.reserve(PAYER, CENT, valid_s=60)) for _ in range(2))
    for held in (answered, refused):
        assert accounts.mark_sent(held, PAYER, LOST_CALL, answer_s=60)
    clock.now += timedelta(hours=2)
    assert not settled_meanwhile or accounts.settle_abandoned() == 2
    accounts.settle(answered, fake_call(CENT / 4))
    accounts.release(refused)
    assert accounts.settle_abandoned() == 0
    assert accounts.spent(PAYER)["ticket"] == CENT / 4
    with ledger.transaction() as connection:
        calls = [tuple(row) for row in connection.execute(select(MODEL_CALLS.c.ending, MODEL_CALLS.c.cost_nanousd))]
        assert calls == [("complete", CENT / 4)]
        assert set(connection.scalars(select(RESERVATIONS.c.unreconciled))) == {False}


@pytest.mark.parametrize("scope", ["day", "month"])
def test_days_and_months_are_shared_by_all_and_end_by_utc(
    make_accounts: MakeAccounts, clock: Clock, scope: str
) -> None:
    accounts = make_accounts(**{f"{scope}_usd": "0.01"})
    spend(accounts, PAYER, CENT)
    with pytest.raises(BudgetExhausted, match=f"budget of the {scope}"):
        accounts.reserve(OTHER, CENT, valid_s=60)
    clock.now += timedelta(minutes=2)  # December
    taken(accounts.reserve(OTHER, CENT, valid_s=60))


def test_a_month_that_is_used_up_ends_at_midnight_in_utc_and_its_calls_stay_in_it(
    make_accounts: MakeAccounts, clock: Clock
) -> None:
    clock.now = datetime(2026, 12, 1, 0, 59, 59, tzinfo=timezone(timedelta(hours=1)))  # in UTC it is November
    accounts = make_accounts(month_usd="0.03")
    under_way = taken(accounts.reserve(OTHER, 3 * CENT, valid_s=600))
    place = queued(accounts.reserve(PAYER, 2 * CENT, valid_s=600))
    clock.now += timedelta(seconds=1)
    assert accounts.has_room(PAYER, 2 * CENT, place=place), "a new month"
    assert taken(accounts.reserve(PAYER, 2 * CENT, valid_s=600, place=place)) == place
    assert accounts.mark_sent(under_way, OTHER, LOST_CALL, answer_s=60)
    accounts.settle(under_way, fake_call(3 * CENT))
    assert accounts.spent(PAYER)["month"] == 2 * CENT, (
        "what waited counts where it was taken, what was held where it was"
    )
    clock.now -= timedelta(seconds=1)  # set back
    assert accounts.spent(PAYER)["month"] == 3 * CENT
    with pytest.raises(BudgetExhausted):
        accounts.reserve(PAYER, CENT, valid_s=60)
