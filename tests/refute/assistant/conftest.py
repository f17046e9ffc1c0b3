"""An assistant over a WAF in memory, and one over a SafeLine server; a ledger for all tests of a module."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

import pytest

from refute.assistant.connect import connect_assistant
from refute.assistant.exchange import Answer, Assistant
from refute.assistant.safeline import Waf
from refute.assistant.supervisor import Supervisor
from refute.evaluation.waf import RehearsalWaf
from refute.ledger.store import Ledger
from refute.llm.model import Completion, Ending, Prompt, Reply, Usage
from refute.settings import Settings
from tests.fakes.safeline import SafeLineServer


@dataclass
class ScriptedModel:
    """Answers as it is told, and keeps what it was asked."""

    answer: Callable[[Prompt], str]
    asked: list[Prompt] = field(default_factory=list)

    def generate(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt)
        text = self.answer(prompt)
        reply = Reply(ending=Ending.COMPLETE, text=text, detail="STOP", usage=Usage(), model="scripted")
        return Completion(reply=reply, cost_usd=Decimal(0), latency_s=0.0)


@dataclass
class Desk:
    """An assistant, its WAF and a clock that tests set."""

    assistant: Assistant
    waf: RehearsalWaf
    now: list[float]

    def say(self, text: str | None, user: str = "ann/") -> Answer:
        return self.assistant.turn(user, text)

    def with_model(self, answer: Callable[[Prompt], str]) -> tuple["Desk", ScriptedModel]:
        model = ScriptedModel(answer)
        asked = replace(self.assistant, supervise=lambda _: Supervisor(model))
        return replace(self, assistant=asked), model


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings without a model, whose state lies apart."""
    state = tmp_path_factory.mktemp("assistant")
    return Settings(
        state_dir=state,
        costs_csv=state / "costs.csv",
        audit_path=state / "audit.jsonl",
        gemini_file=state / "gemini.yaml",
    )


@pytest.fixture(scope="module")
def ledger(settings: Settings) -> Iterator[Ledger]:
    """An empty ledger."""
    opened = Ledger.open(settings)
    yield opened
    opened.close()


@pytest.fixture
def desk(settings: Settings, ledger: Ledger, tmp_path: Path) -> Desk:
    """The assistant over a WAF in memory, with an audit log of its own; nothing waits."""
    waf, now = RehearsalWaf("prod"), [1_000_000.0]
    fresh = settings.model_copy(update={"audit_path": tmp_path / "audit.jsonl"})
    assistant = over(connect_assistant(fresh, ledger), waf)
    made = Desk(replace(assistant, clock=lambda: now[0]), waf, now)
    for user in ("ann/", "bob/"):
        made.say("cancel", user)
    return made


def over(assistant: Assistant, waf: Waf) -> Assistant:
    """The assistant over another WAF."""
    return replace(assistant, sources=replace(assistant.sources, wafs={waf.name: waf}))


def nonce_of(answer: Answer) -> str:
    """The number that a person was shown."""
    assert answer.challenge is not None, answer.text
    assert re.fullmatch(r"\d{6}", answer.challenge.nonce)
    return answer.challenge.nonce


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SafeLineServer]:
    """A SafeLine server, its token in the environment."""
    with SafeLineServer(tmp_path) as running:
        monkeypatch.setenv("SAFELINE_TOKEN", running.token)
        yield running
