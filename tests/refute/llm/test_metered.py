"""Every request is paid for before it is sent, and each ending of one costs what it may have cost."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import select

from refute.errors import BudgetExhausted
from refute.guardrails.audit import AuditLog
from refute.ledger.accounts import Accounts
from refute.ledger.budgets import Budgets, Payer
from refute.ledger.schema import MODEL_CALLS, RESERVATIONS
from refute.ledger.store import Ledger
from refute.llm.gemini import Gemini
from refute.llm.metered import MeteredModel
from refute.llm.model import MARKER, Ending
from refute.llm.pricing import load_prices, total
from refute.llm.till import Clockwork, Till, Turn
from tests.fakes.gemini.server import GeminiServer, one_after_the_other
from tests.fakes.gemini.wire import Answer
from tests.refute.llm.conftest import make_prompt

PAYER = Payer(run_id="r1", ticket_id="T-1")
GOOD = Answer(text='{"x": 1}', output_tokens=1000)
COST = Decimal("0.00375") + Decimal("0.75") * 8 / 1_000_000
"""Of GOOD: 1,000 tokens out, 8 in."""
MakeModel = Callable[..., MeteredModel]


@pytest.fixture
def waits() -> list[float]:
    """Seconds that the model would have slept."""
    return []


@pytest.fixture
def make_model(gemini: Gemini, ledger: Ledger, tmp_path: Path, waits: list[float]) -> MakeModel:
    def make(endpoint: Gemini = gemini, ticket_usd: str = "0.50", turn: Turn = nullcontext) -> MeteredModel:
        accounts = Accounts(ledger, Budgets(ticket_usd=Decimal(ticket_usd)))
        return MeteredModel(
            endpoint,
            Till(accounts=accounts, payer=PAYER, prices=load_prices(), turn=turn),
            audit=AuditLog(tmp_path / "audit.jsonl"),
            clockwork=Clockwork(sleep=waits.append, today=lambda: date(2026, 11, 22), chance=lambda: 1.0),
        )

    return make


def decisions(folder: Path) -> list[tuple[str, str]]:
    lines = (folder / "audit.jsonl").read_text().splitlines()
    return [(line["gate"], line["decision"]) for line in map(json.loads, lines)]


def states(ledger: Ledger) -> list[tuple[str, bool]]:
    with ledger.transaction() as connection:
        return [tuple(row) for row in connection.execute(select(RESERVATIONS.c.state, RESERVATIONS.c.unreconciled))]


def test_an_answer_costs_what_its_tokens_cost(
    make_model: MakeModel, server: GeminiServer, ledger: Ledger, tmp_path: Path
) -> None:
    server.respond = lambda _: GOOD
    completion = make_model().generate(make_prompt())
    assert completion.reply.ending is Ending.COMPLETE
    assert completion.cost_usd == COST
    assert states(ledger) == [("settled", False)]
    assert decisions(tmp_path) == [("model_call", "allow"), ("model_reply", "allow")]
    with ledger.transaction() as connection:
        row = connection.execute(select(MODEL_CALLS)).mappings().one()
    assert (row["prompt_digest"], row["cost_nanousd"]) == (make_prompt().digest, COST)


def test_the_audit_line_is_there_before_the_request_and_holds_no_prompt(
    make_model: MakeModel, server: GeminiServer, tmp_path: Path
) -> None:
    seen: list[str] = []

    def respond(_: object) -> Answer:
        seen.append((tmp_path / "audit.jsonl").read_text())
        return GOOD

    server.respond = respond
    make_model().generate(make_prompt())
    assert make_prompt().digest in seen[0]
    assert "it works" not in seen[0]


def test_the_audit_log_says_of_every_request_what_came_of_it(
    make_model: MakeModel, server: GeminiServer, tmp_path: Path
) -> None:
    thought = Answer(text='{"x": 1}', output_tokens=1000, thinking_tokens=70, cached_tokens=5)
    server.respond = one_after_the_other([Answer(status=429), Answer(text="{}" * 999, cut=True), thought])
    model = make_model()
    model.generate(make_prompt())
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [(line["gate"], line["decision"]) for line in lines[1::2]] == [
        ("model_reply", "deny"),
        ("model_reply", "deny"),
        ("model_reply", "allow"),
    ]
    sent, replies = [line["metadata"] for line in lines[::2]], [line["metadata"] for line in lines[1::2]]
    assert [one["call"] for one in replies] == [one["call"] for one in sent]
    assert [one["ending"] for one in replies] == ["refused", "lost", "complete"]
    assert [one["unreconciled"] for one in replies] == [False, True, False]
    assert [Decimal(one["cost_usd"]) for one in replies] == [0, Decimal(sent[1]["worst_case_usd"]), model.costs_usd[-1]]
    assert {name: replies[2][name] for name in replies[2] if name.endswith("tokens")} == {
        "input_tokens": 8,
        "cached_tokens": 5,
        "output_tokens": 1000,
        "thinking_tokens": 70,
    }
    assert all(one["latency_s"] > 0 and one["prompt"] == make_prompt().digest for one in replies)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again_after_a_wait_and_costs_nothing(
    make_model: MakeModel,
    server: GeminiServer,
    ledger: Ledger,
    waits: list[float],
    status: int,
) -> None:
    server.respond = one_after_the_other([Answer(status=status), Answer(status=status), GOOD])
    completion = make_model().generate(make_prompt())
    assert (completion.requests, completion.cost_usd) == (3, COST)
    assert waits == [1.0, 2.0]
    assert states(ledger) == [("released", False), ("released", False), ("settled", False)]


def test_the_server_s_wait_is_kept(make_model: MakeModel, server: GeminiServer, waits: list[float]) -> None:
    server.respond = one_after_the_other([Answer(status=429, headers={"retry-after": "17"}), GOOD])
    make_model().generate(make_prompt())
    assert waits == [17.0]


def test_a_call_that_does_not_fit_is_never_sent(make_model: MakeModel, server: GeminiServer, tmp_path: Path) -> None:
    with pytest.raises(BudgetExhausted, match="budget of the ticket"):
        make_model(ticket_usd="0.05").generate(make_prompt())
    assert (server.asked, server.counted) == ([], 0)
    assert decisions(tmp_path) == [("budget", "deny")]


def test_retries_stop_where_the_budget_does(make_model: MakeModel, server: GeminiServer) -> None:
    server.respond = lambda _: Answer(text="{}" * 999, cut=True)
    model = make_model(ticket_usd="0.13")
    with pytest.raises(BudgetExhausted) as refused:
        model.generate(make_prompt())
    assert len(server.asked) == 2
    assert refused.value.cost_usd == total(model.costs_usd) > 0


def test_what_is_set_aside_holds_every_byte_that_is_sent_and_little_more(
    make_model: MakeModel, server: GeminiServer, ledger: Ledger
) -> None:
    server.respond = lambda _: GOOD
    prompt = make_prompt(text=f"{MARKER * 50}{'ä' * 10_000}")
    make_model().generate(prompt)
    sent = json.dumps(server.asked[0].body, ensure_ascii=False)
    with ledger.transaction() as connection:
        worst = connection.execute(select(RESERVATIONS.c.worst_nanousd)).scalar_one()
    output_usd = Decimal("3.75") * prompt.max_output_tokens / 1_000_000
    input_tokens = (worst - output_usd) * 1_000_000 / Decimal("0.75")
    assert len(server.asked[0].text.encode()) < input_tokens < len(sent.encode())
    assert server.counted == 0


def test_a_turn_is_held_while_a_request_is_under_way_and_neither_before_it_is_paid_nor_between_two_tries(
    make_model: MakeModel, server: GeminiServer, ledger: Ledger, waits: list[float]
) -> None:
    seen: list[str] = []
    answers = [Answer(status=503), GOOD]

    @contextmanager
    def turn() -> Iterator[None]:
        seen.append(f"begins after {len(states(ledger))} paid and {len(waits)} waits")
        yield
        seen.append("ends")

    def respond(_: object) -> Answer:
        seen.append("asked")
        return answers.pop(0)

    server.respond = respond
    make_model(turn=turn).generate(make_prompt())
    assert seen == [
        *("begins after 0 paid and 0 waits", "asked", "ends"),
        *("begins after 1 paid and 1 waits", "asked", "ends"),
    ]
