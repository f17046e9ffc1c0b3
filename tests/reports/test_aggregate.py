"""Facts added up: what a person can count by hand comes out the same."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from refute.approval import Answered, Confirmation
from refute.ledger.batches import Batch, Batches
from refute.ledger.store import Ledger
from refute.outcome import Outcome, RoundYield, Status
from refute.settings import Settings
from refute.statistics.rate import Rate
from reports.aggregate import Tables, Totals, tables, totals
from reports.facts import read_facts
from reports.groups import GROUPS
from reports.scope import Scope
from reports.shown import figures_of
from tests.fakes.outcomes import fake_outcome

ROUND = RoundYield(tester="gemini", round="claims-first-1", tier="flash", written=3)
Make = Callable[[Scope], tuple[Totals, Tables]]


def seven(outcomes: dict[str, Outcome], ledger: Ledger) -> Ledger:
    """Record seven outcomes of four tickets."""
    weak, failed = outcomes["pass_weak"], outcomes["failed_adversarial"]
    passed = replace(failed, run_id="r7", ticket_id="TCK-666", status=Status.PASS, claims=(), cost_usd=Decimal("1E-9"))
    rounds = (ROUND, replace(ROUND, round="hardening-1", tier="pro"), RoundYield(tester="property"))
    several = [
        *outcomes.values(),
        replace(weak, run_id="r5", status=Status.PASS, started_at=datetime(2026, 3, 3, tzinfo=UTC)),
        replace(failed, run_id="r6", started_at=datetime(2026, 3, 9, 23, 59, tzinfo=UTC), duration_s=10.0),
        replace(passed, strength=replace(weak.strength, killed=20, low=1.0), rounds=rounds),
    ]
    for outcome in sorted(several, key=lambda one: one.started_at):
        ledger.record(outcome)
    return ledger


@pytest.fixture
def ledger(outcomes: dict[str, Outcome], tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with the seven, for a test that records more."""
    with closing(Ledger.open(Settings(state_dir=tmp_path))) as opened:
        yield seven(outcomes, opened)


@pytest.fixture
def make(ledger: Ledger) -> Make:
    return lambda scope: added_up(ledger, scope)


def added_up(ledger: Ledger, scope: Scope) -> tuple[Totals, Tables]:
    facts = read_facts(ledger, scope, datetime.now(UTC))
    return totals(facts), tables(facts, lambda _model, _tokens: None)


@pytest.fixture(scope="module")
def added(outcomes: dict[str, Outcome], tmp_path_factory: pytest.TempPathFactory) -> tuple[Totals, Tables]:
    """The seven added up."""
    with closing(Ledger.open(Settings(state_dir=tmp_path_factory.mktemp("seven")))) as opened:
        return added_up(seven(outcomes, opened), Scope())


def test_the_totals_are_those_that_one_counts_by_hand(added):
    found, _ = added
    assert (found.runs, found.tickets) == (7, 4)
    counted = {name: count for name, count in found.groups.items() if count}
    assert counted == {"failed": 3, "blocked": 1, "weak": 1, "passed": 2}
    assert found.refuted == Rate(hits=2, trials=8)
    assert found.flaky == Rate(hits=2, trials=14)
    assert found.rejected == Rate(hits=2, trials=16)
    assert found.cost_usd == pytest.approx(0.062800001)
    assert found.cost_per_refutation_usd == pytest.approx(0.0314, rel=1e-6)
    assert found.cost_per_pass_usd == pytest.approx(0.0314, rel=1e-6)
    assert found.sandbox_s == pytest.approx(2 * 6.91 + 3 * 188.5)
    assert found.failing_tickets == ("TCK-101", "TCK-103", "TCK-666"), "the latest first"


@pytest.mark.parametrize("status", [Status.DRY_RUN, Status.ERROR, Status.INCONCLUSIVE])
def test_a_run_that_says_nothing_about_the_code_takes_no_failure_back(ledger, make, outcomes, status):
    later = datetime(2026, 3, 20, tzinfo=UTC)
    ledger.record(replace(outcomes["failed_adversarial"], run_id="later", status=status, started_at=later))
    found, _ = make(Scope())
    assert (found.runs, found.tickets, found.failing_tickets) == (8, 4, ("TCK-101", "TCK-103", "TCK-666"))


def test_days_and_weeks_are_those_of_utc(added):
    _, found = added
    assert [f"{day:%m-%d}" for day in found["by_day"].index] == ["03-01", "03-03", "03-09"]
    assert list(found["by_day"]["runs"]) == [5, 1, 1]
    assert [f"{week:%m-%d}" for week in found["by_week"].index] == ["02-23", "03-02", "03-09"]


def test_statuses_testers_labels_and_categories_have_their_rows(added):
    _, found = added
    once = dict.fromkeys(("BLOCKED_DANGEROUS_SCRIPT", "FAILED_VERIFICATION", "PASS_WEAK"), 1)
    assert dict(found["by_status"]["runs"]) == {**once, "FAILED_ADVERSARIAL": 2, "PASS": 2}
    assert found["by_status"].loc["FAILED_ADVERSARIAL", "p50_s"] == pytest.approx(101)
    assert dict(found["by_tester"]["runs"]) == {"property": 7}
    assert dict(found["by_label"]["runs"]) == {"needs-adversarial": 2}
    counts = {"survived": 9, "refuted": 3, "flaky": 2, "invalid": 0, "needs_review": 0, "rejected": 2}
    assert found["by_category"].loc["edge"].to_dict() == counts


def test_the_mutation_score_is_that_of_all_mutants_together_and_runs_stand_by_strength(added):
    found, by = added
    assert found.mutants_killed == Rate(hits=11 + 11 + 20, trials=60)
    assert found.strength_measured == 3
    assert by["by_strength"][["runs", "weak", "passed"]].to_dict("index") == {
        "30–40 %": {"runs": 2, "weak": 1, "passed": 1},
        "90–100 %": {"runs": 1, "weak": 0, "passed": 1},
    }


def test_runs_stand_by_the_tiers_that_they_asked_each_once(added):
    _, by = added
    assert by["by_tier"][["runs", "share"]].to_dict("index") == {
        "no model": {"runs": 6, "share": pytest.approx(6 / 7)},
        "flash, pro": {"runs": 1, "share": pytest.approx(1 / 7)},
    }


def test_the_queue_time_is_that_from_a_batch_s_opening_to_the_ticket_s_beginning(ledger, make):
    assert make(Scope())[0].queue_p50_s is None
    opened = datetime(2026, 3, 9, tzinfo=UTC)
    Batches(ledger).create(Batch(id="nightly", source="tickets", created_at=opened), [("A", "a"), ("B", "b")])
    for ticket, waited_s in (("A", 10), ("B", 30), ("C", -5)):  # C ran where the clock is late
        began = opened + timedelta(seconds=waited_s)
        ledger.record(fake_outcome(ticket, run_id="nightly", started_at=began))
    found, _ = make(Scope())
    assert (found.queued, found.queue_p50_s) == (3, 10.0)
    assert found.queue_p95_s == pytest.approx(28.0)
    assert make(Scope(ticket_ids=("B",)))[0].queue_p50_s == 30.0


def test_the_wait_for_a_person_and_the_answers_leave_out_what_was_said_in_advance(ledger, make):
    asked = datetime(2026, 3, 9, tzinfo=UTC)
    for ticket, answer, waited_s, findings in (
        ("A", Answered.CONFIRMED, 10, ()),
        ("B", Answered.DECLINED, 30, ("SH001@verify.sh:7",)),
        ("C", Answered.UNANSWERED, -5, ()),  # answered where the clock is late
        ("D", Answered.CONFIRMED, None, ()),
        ("E", Answered.CONFIRMED, None, ("SH001@verify.sh:7",)),  # by an allow-file
    ):
        asked_at, answered_at = None if waited_s is None else asked, asked + timedelta(seconds=waited_s or 0)
        said = {"by": "Ada", "note": "", "snapshot_digest": "sha256:1", "findings": findings}
        confirmation = Confirmation(answer=answer, asked_at=asked_at, answered_at=answered_at, **said)
        ledger.record(fake_outcome(ticket, run_id="asked", confirmation=confirmation))
    found, _ = make(Scope(run_ids=("asked",)))
    assert found.answers == {"confirmed": 1, "declined": 1, "unanswered": 1}
    assert (found.answer_p50_s, found.answer_p95_s, found.overrides) == (10.0, 28.0, 1)
    figures = figures_of(found)
    assert figures["time to approval, p50 / p95"] == "10.0 s / 28.0 s of 3 runs"
    assert figures["people's answers"] == "1 confirmed, 1 declined, 1 unanswered, 1 dangerous script let through"
    nobody, _ = make(Scope(ticket_ids=("D",)))
    assert {figures_of(nobody)[name] for name in ("time to approval, p50 / p95", "people's answers")} == {"–"}


def test_nothing_in_scope_is_no_error_and_no_zero_where_nothing_is_known(make):
    found, by = make(Scope(ticket_ids=("nobody",)))
    assert (found.runs, found.tickets, found.failing_tickets) == (0, 0, ())
    assert {found.cost_per_run_usd, found.refuted.value, found.p50_s, found.mutants_killed.value} == {None}
    assert {len(frame) for frame in by.values()} == {0}


def test_every_status_has_a_group():
    assert set(GROUPS) == set(Status)
