"""The ledger: everything of an outcome or nothing, once, in any process."""

import multiprocessing
import signal
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from refute.adversary.attack import Category, TriageVerdict
from refute.adversary.strength.record import Strength
from refute.errors import LedgerUnavailable
from refute.ledger import database, store
from refute.ledger.schema import CLAIMS, FAILURES, OUTCOMES, RUNS, SANDBOX_RUNS, CsvState
from refute.ledger.store import Ledger
from refute.outcome import Outcome, RoundYield
from refute.settings import Settings
from tests.fakes.outcomes import fake_test
from tests.refute.ledger.conftest import make_outcome

FORK = multiprocessing.get_context("fork")


def record_ten(settings: Settings) -> int:
    """Record ten outcomes of two runs; how many of them were new."""
    ledger = Ledger.open(settings)
    return sum(ledger.record(make_outcome(run_id=f"run-{n % 2}", ticket_id=f"T-{n}")) for n in range(10))


def count(ledger: Ledger, table: object) -> int:
    with ledger.transaction() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0  # type: ignore[arg-type]


def test_recording_again_changes_nothing(ledger: Ledger) -> None:
    first = make_outcome()
    assert ledger.record(first)
    assert not ledger.record(make_outcome(title="another story"))
    assert ledger.outcomes() == [first]
    assert [count(ledger, table) for table in (RUNS, OUTCOMES, CLAIMS, FAILURES, SANDBOX_RUNS)] == [1] * 5


@pytest.mark.parametrize("other", [{"run_id": "run-2"}, {"ticket_id": "T-2"}, {"attempt": 2}])
def test_another_run_ticket_or_attempt_is_another_outcome(ledger: Ledger, other: dict[str, str]) -> None:
    assert ledger.record(make_outcome())
    assert ledger.record(make_outcome(**other))
    assert count(ledger, OUTCOMES) == 2


@pytest.mark.usefixtures("migrated_here")
def test_processes_that_record_the_same_outcomes_at_once_record_each_once(settings: Settings) -> None:
    with ProcessPoolExecutor(4, mp_context=FORK) as pool:
        new = [pool.submit(record_ten, settings) for _ in range(4)]
        counts = [future.result(timeout=300) for future in new]
    ledger = Ledger.open(settings)
    assert sum(counts) == count(ledger, OUTCOMES) == 10
    assert count(ledger, RUNS) == 2


def test_outcomes_are_found_by_run_ticket_and_time_newest_first(ledger: Ledger) -> None:
    for number in range(3):
        ledger.record(make_outcome(run_id=f"run-{number}", ticket_id=f"T-{number}"))
    assert [outcome.run_id for outcome in ledger.outcomes()] == ["run-2", "run-1", "run-0"]
    assert [outcome.run_id for outcome in ledger.outcomes(limit=1)] == ["run-2"]
    assert [outcome.run_id for outcome in ledger.outcomes(run_id="run-1")] == ["run-1"]
    assert [outcome.run_id for outcome in ledger.outcomes(ticket_id="T-0")] == ["run-0"]
    assert len(ledger.outcomes(since=datetime(2026, 3, 1, tzinfo=UTC))) == 3
    assert ledger.outcomes(since=datetime(2026, 3, 2, tzinfo=UTC)) == []


def test_money_and_moments_come_back_exactly(ledger: Ledger) -> None:
    ledger.record(make_outcome())
    (row,) = ledger.cost_rows()
    assert row.cost_usd == Decimal("0.000000123")
    assert row.started_at == datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
    assert row.csv_state is CsvState.PENDING


def test_hostile_text_neither_fails_nor_reaches_the_text_columns(ledger: Ledger) -> None:
    assert ledger.record(make_outcome(title="a\x00b \udc80 \x1b[2J'; DROP TABLE outcomes; --"))
    with ledger.transaction() as connection:
        title = connection.scalar(select(OUTCOMES.c.title))
    assert title == r"a\x00b \udc80 \x1b[2J'; DROP TABLE outcomes; --"


def test_a_damaged_ledger_is_an_error_that_names_it(settings: Settings) -> None:
    settings.state_dir.mkdir(parents=True)
    (settings.state_dir / "ledger.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(LedgerUnavailable, match=r"ledger\.db.*not a database"):
        Ledger.open(settings)


def test_a_ledger_that_cannot_be_written_is_an_error_and_keeps_what_it_holds(
    ledger: Ledger, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.record(make_outcome())
    blocker = sqlite3.connect(settings.state_dir / "ledger.db")
    blocker.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("refute.ledger.database.BUSY_TIMEOUT_S", 0.05)
    impatient = Ledger.open(settings)
    with pytest.raises(LedgerUnavailable, match="locked"):
        impatient.record(make_outcome(run_id="run-2"))
    blocker.close()
    assert len(impatient.outcomes()) == 1


def test_a_state_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerUnavailable, match="cannot make"):
        Ledger.open(Settings(state_dir=tmp_path / "file" / "state"))


def test_a_writer_that_comes_second_in_a_race_finds_the_outcome_recorded(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = store._insert
    races = iter([True, False])

    def racing(connection: Connection, outcome: Outcome) -> bool:
        if next(races):
            raise IntegrityError("INSERT", {}, Exception("UNIQUE constraint failed"))
        return insert(connection, outcome)

    monkeypatch.setattr(store, "_insert", racing)
    assert ledger.record(make_outcome())
    assert ledger.outcomes() == [make_outcome()]


@pytest.mark.parametrize(("module", "name"), [(database, "_take_turn"), (store, "_insert")])
@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_strikes_after_a_write_and_leaves_no_lock_behind(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    real, handler = getattr(module, name), signal.getsignal(signal.SIGINT)

    def struck(*arguments: object) -> object:
        done = real(*arguments)
        signal.raise_signal(signal.SIGINT)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(module, name, struck)
        with pytest.raises(KeyboardInterrupt):
            ledger.record(make_outcome())
    assert signal.getsignal(signal.SIGINT) is handler
    assert not ledger.record(make_outcome())
    assert count(ledger, OUTCOMES) == 1


def test_a_row_that_the_database_never_accepts_is_an_error(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(connection: Connection, outcome: Outcome) -> bool:
        raise IntegrityError("INSERT", {}, Exception("NOT NULL constraint failed"))

    monkeypatch.setattr(store, "_insert", refused)
    with pytest.raises(LedgerUnavailable, match="NOT NULL"):
        ledger.record(make_outcome())


def test_a_moment_without_a_time_zone_is_refused(ledger: Ledger) -> None:
    with pytest.raises(LedgerUnavailable, match="without a time zone"):
        ledger.outcomes(since=datetime(2026, 1, 1))  # noqa: DTZ001  # the fault that is tested


TESTS = (
    fake_test(verdict=TriageVerdict.SURVIVED, category=Category.EDGE),
    fake_test(verdict=TriageVerdict.SURVIVED, category=Category.EDGE),
    fake_test(verdict=None, category=Category.EDGE),
    fake_test(verdict=TriageVerdict.FLAKY, category=Category.IMPORT),
)
COUNTS = (0.9, '{"refuted": 1}', '{"edge/rejected": 1, "edge/survived": 2, "import/flaky": 1}', 7, 9, "flash, pro")
STRENGTH = Strength(n=9, killed=7, killed_by_claims_only=7, low=0.5, high=0.9, floor=0.6, drawn=9)
ROUNDS = tuple(RoundYield(tester="gemini", round=tier, tier=tier) for tier in ("pro", "flash", "", "pro"))


def counts(ledger: Ledger) -> tuple[object, ...]:
    names = ("sandbox_s", "claim_counts", "test_counts", "mutants_killed", "mutants_counted", "tiers")
    query = select(*(OUTCOMES.c[name] for name in names))
    with ledger.transaction() as connection:
        return tuple(connection.execute(query).one())


def test_claims_and_tests_are_counted_beside_the_outcome(ledger: Ledger) -> None:
    ledger.record(replace(make_outcome(), tests=TESTS, strength=STRENGTH, rounds=ROUNDS))
    assert counts(ledger) == COUNTS


def test_an_attack_that_was_not_measured_has_no_mutants_and_not_none_of_them(ledger: Ledger) -> None:
    ledger.record(replace(make_outcome(), strength=replace(STRENGTH, void="not measured: no time")))
    assert counts(ledger)[-3:] == (None, None, "")
