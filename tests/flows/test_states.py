"""How runs that ended show in the Prefect UI."""

import io
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from prefect.exceptions import CancelledRun, FailedRun
from prefect.logging.handlers import PrefectConsoleHandler

from flows.orchestrator.session import environment
from flows.states import keep_tracebacks_out, outlive_log_readers


@contextmanager
def heard_of(name: str) -> Iterator[tuple[logging.Logger, list[str]]]:
    """A logger of Prefect's, and what is heard of it."""
    heard: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger(name)
    log.addHandler(listener)
    keep_tracebacks_out()
    yield log, heard
    log.removeHandler(listener)


@pytest.mark.parametrize(("error", "said"), [(FailedRun, []), (CancelledRun, []), (RuntimeError, ["odd"])])
def test_a_failed_run_s_log_ends_with_its_reason_and_no_traceback(error: type[Exception], said: list[str]) -> None:
    with heard_of("prefect.flow_runs") as (log, heard):
        log.error("odd", exc_info=error("1 of 2 claims refuted"))
    assert heard == said


def test_the_state_of_a_task_is_not_told_twice() -> None:
    with heard_of("prefect.task_runs") as (log, heard):
        log.error("Task run failed with state: FAILED_ADVERSARIAL(…)", exc_info=True)  # noqa: LOG014  as Prefect does
        log.error("Finished in state FAILED_ADVERSARIAL(…)")
        log.info("Finished in state Completed()")
    assert heard == ["Finished in state FAILED_ADVERSARIAL(…)"]


class Unread(io.StringIO):
    """A log that nobody reads any more."""

    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_a_log_that_nobody_reads_any_more_ends_nothing() -> None:
    log = logging.getLogger("tests.unread")
    handler = PrefectConsoleHandler(stream=Unread())
    log.addHandler(handler)
    try:
        outlive_log_readers()
        log.error("one")
        log.error("two")
    finally:
        log.handlers.clear()
    assert handler.console.quiet


def test_the_environment_of_a_run_is_undone_so_that_the_next_run_holds_its_own_lease(monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "intern.example")
    with environment("http://127.0.0.1:4242/api"):
        assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:4242/api"
        assert os.environ["NO_PROXY"] == "intern.example,127.0.0.1"
    assert "PREFECT_API_URL" not in os.environ
    assert os.environ["NO_PROXY"] == "intern.example"


def test_a_proxy_stays_in_use_for_a_server_elsewhere(monkeypatch):
    monkeypatch.delenv("NO_PROXY", raising=False)
    with environment("https://prefect.example/api"):
        assert "NO_PROXY" not in os.environ
