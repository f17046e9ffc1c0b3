"""A process that is killed amid a call leaves the call on record: once, as lost, at its worst case."""

import multiprocessing
import os
import signal
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import select

import refute.ledger.accounts as accounts_module
from refute.guardrails.audit import AuditLog
from refute.ledger.accounts import LOST
from refute.ledger.budgets import Payer
from refute.ledger.schema import MODEL_CALLS, RESERVATIONS
from refute.ledger.store import Ledger
from refute.llm.connect import connect_model
from refute.llm.model import Model, Prompt
from refute.settings import Settings
from reports.report import make_report
from reports.scope import Scope
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.wire import Answer
from tests.scenarios.conftest import write_gemini_settings

PAYER = Payer(run_id="r1", ticket_id="T-1")
PROMPT = Prompt(name="claims-first/1", system="Break the claims.", text="C1: it works.", answer_schema={})
ANSWER_S = 1.0


def connected(settings: Settings) -> Model:
    """What a run starts with."""
    accounts_module.SETTLING_S = 0.0  # type: ignore[misc]
    audit = AuditLog(settings.state_dir / "audit.jsonl")
    return connect_model(settings, PAYER, ledger=lambda: Ledger.open(settings), audit=audit)


def ask(settings: Settings) -> None:
    """The whole of a process."""
    connected(settings).generate(PROMPT)


@pytest.mark.slow
def test_a_call_whose_process_is_killed_is_shown_as_lost_at_its_worst_case_and_never_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts_module, "SETTLING_S", accounts_module.SETTLING_S)
    context = multiprocessing.get_context("spawn")
    with GeminiServer(lambda _: Answer(text='{"x": 1}')) as server:
        settings = Settings(
            tester="gemini",
            state_dir=tmp_path / "state",
            gemini_file=write_gemini_settings(tmp_path, server, timeout_s=ANSWER_S),
        )
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(server.write_credentials(tmp_path)))
        ledger = Ledger.open(settings)
        process = context.Process(target=ask, args=(settings,))

        def killing(_: object) -> Answer:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            return Answer(text='{"x": 1}')

        server.respond = killing
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        time.sleep(ANSWER_S)
        ((ending, worst_usd),) = calls(ledger)
        assert ending == LOST
        assert shown(ledger, settings) == (1, (1, worst_usd), worst_usd)  # before anybody settles it
        server.respond = lambda _: Answer(text='{"x": 1}')
        for _ in range(2):
            answered = connected(settings).generate(PROMPT)
    assert calls(ledger) == [(LOST, worst_usd), ("complete", calls(ledger)[1][1])]
    with ledger.transaction() as connection:
        held = connection.execute(select(RESERVATIONS.c.state, RESERVATIONS.c.unreconciled)).all()
    assert [tuple(row) for row in held] == [("settled", True), ("settled", False)]
    assert answered.from_cache
    assert shown(ledger, settings) == (2, (1, worst_usd), worst_usd + calls(ledger)[1][1])
    ledger.close()


def calls(ledger: Ledger) -> list[tuple[str, Decimal]]:
    """Ending and cost of each call on record."""
    query = select(MODEL_CALLS.c.ending, MODEL_CALLS.c.cost_nanousd).order_by(MODEL_CALLS.c.reservation_id)
    with ledger.transaction() as connection:
        return [tuple(row) for row in connection.execute(query)]


def shown(ledger: Ledger, settings: Settings) -> tuple[int, tuple[int, Decimal], Decimal]:
    """What a report says: calls, those unreconciled with their cost, and what was spent this month."""
    report = make_report(ledger, settings, Scope(), datetime.now(UTC))
    state = report.budget.state
    known = (state.unreconciled_calls, state.unreconciled_usd)
    return int(report.tables.by_model["calls"].sum()), known, state.spent_usd
