"""What is promised of the ledger and its cost table holds on PostgreSQL too: the same tests, on the other database."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, create_engine, event, text

from refute.errors import LedgerUnavailable
from refute.ledger import database
from refute.ledger.store import Ledger
from refute.settings import Settings
from tests.refute.ledger.conftest import make_outcome
from tests.refute.ledger.test_accounts import (  # noqa: F401
    clock,
    make_accounts,
    test_a_budget_can_be_used_to_the_last_cent_and_no_further,
    test_days_and_months_are_shared_by_all_and_end_by_utc,
    test_nobody_overtakes_those_that_wait_and_a_killed_one_keeps_nobody_waiting,
    test_what_others_have_set_aside_is_waited_for_until_it_settles,
    test_what_was_never_sent_expires,
    test_what_was_sent_counts_at_its_worst_until_somebody_settles_it,
)
from tests.refute.ledger.test_costs_csv import (  # noqa: F401  # collected here again
    test_a_line_holds_what_the_columns_promise,
    test_a_rebuilt_file_is_the_same_and_continued_without_doubles,
    test_a_retry_appends_nothing,
    test_s120_ledger_and_cost_table_hold_each_outcome_once_whenever_processes_are_killed,
)
from tests.refute.ledger.test_database import (  # noqa: F401
    test_a_ledger_of_a_newer_refute_is_left_alone,
    test_a_migration_that_fails_midway_leaves_an_empty_database,
    test_an_older_ledger_becomes_one_of_the_schema,
)
from tests.refute.ledger.test_store import (  # noqa: F401
    test_a_moment_without_a_time_zone_is_refused,
    test_a_row_that_the_database_never_accepts_is_an_error,
    test_a_writer_that_comes_second_in_a_race_finds_the_outcome_recorded,
    test_another_run_ticket_or_attempt_is_another_outcome,
    test_claims_and_tests_are_counted_beside_the_outcome,
    test_hostile_text_neither_fails_nor_reaches_the_text_columns,
    test_money_and_moments_come_back_exactly,
    test_outcomes_are_found_by_run_ticket_and_time_newest_first,
    test_processes_that_record_the_same_outcomes_at_once_record_each_once,
    test_recording_again_changes_nothing,
)

pytestmark = pytest.mark.postgres


@pytest.fixture
def settings(settings: Settings, postgres_url: SecretStr) -> Settings:
    """Settings with the ledger on PostgreSQL."""
    return settings.model_copy(update={"ledger_url": postgres_url})


def test_a_cluster_that_does_not_answer_is_an_error_without_its_password(settings: Settings) -> None:
    url = SecretStr("postgresql+psycopg://refute:hunter22@/refute?host=/nowhere/at/all")
    with pytest.raises(LedgerUnavailable, match="/nowhere/at/all") as caught:
        Ledger.open(settings.model_copy(update={"ledger_url": url}))
    assert "hunter22" not in str(caught.value)


Terminate = Callable[[int], None]


@pytest.fixture
def terminate(postgres_url: SecretStr, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminate]:
    """Ends the server's process of a connection, and returns when it is gone."""
    monkeypatch.setattr(database, "RETRY_AFTER_S", 0.0)
    administration = create_engine(postgres_url.get_secret_value(), isolation_level="AUTOCOMMIT")

    def end(pid: int) -> None:
        with administration.connect() as connection:
            assert connection.scalar(text("SELECT pg_terminate_backend(:pid, 60000)"), {"pid": pid})

    yield end
    administration.dispose()


def before_a_commit(ledger: Ledger, do: Callable[[Any], None], *, times: int) -> None:
    """Do this with the driver's connection at the next so many commits."""
    left = [do] * times

    def on_commit(connection: Connection) -> None:
        if left:
            left.pop()(connection.connection.driver_connection)

    event.listen(ledger._engine, "commit", on_commit)


def test_a_connection_that_was_ended_while_it_lay_idle_is_not_noticed(ledger: Ledger, terminate: Terminate) -> None:
    with ledger.transaction() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
    terminate(pid)
    with ledger.transaction() as connection:  # nothing is tried again here
        assert connection.scalar(text("SELECT pg_backend_pid()")) != pid


def test_an_outcome_whose_connection_is_ended_midway_is_recorded_once(ledger: Ledger, terminate: Terminate) -> None:
    before_a_commit(ledger, lambda driver: terminate(driver.info.backend_pid), times=1)
    assert ledger.record(make_outcome())
    assert ledger.outcomes() == [make_outcome()]


def test_an_outcome_whose_connection_is_lost_after_its_commit_is_recorded_once(
    ledger: Ledger, terminate: Terminate
) -> None:
    def commit_and_lose(driver: Any) -> None:
        driver.commit()
        driver.close()

    before_a_commit(ledger, commit_and_lose, times=1)
    assert not ledger.record(make_outcome())
    assert ledger.outcomes() == [make_outcome()]


def test_a_connection_that_is_lost_twice_is_an_error_and_nothing_is_recorded(
    ledger: Ledger, terminate: Terminate
) -> None:
    before_a_commit(ledger, lambda driver: terminate(driver.info.backend_pid), times=2)
    with pytest.raises(LedgerUnavailable, match="terminating connection"):
        ledger.record(make_outcome())
    assert ledger.outcomes() == []
