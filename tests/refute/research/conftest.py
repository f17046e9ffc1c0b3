"""Research in memory: pages, models that say what they are told, and a run of both."""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from refute.evaluation.memory import MemoryFetcher, StoredPage
from refute.guardrails.audit import AuditLog
from refute.guardrails.gates import Gates
from refute.llm.model import Completion, Ending, Model, Prompt, Reply, Usage
from refute.research.harness import Effects, Harness
from refute.research.record import Findings, Goal
from refute.research.settings import ResearchSettings

URLS = ("https://docs.example.org/pears", "https://blog.example.net/pears")
GOAL = Goal(text="How long do pears keep in a cellar?", urls=URLS)
HONEST = "<p>Conference pears keep for about 12 weeks in a cool cellar at 2 degrees.</p>"
QUOTE = "Conference pears keep for about 12 weeks in a cool cellar"


class SaidModel:
    """Answers each prompt by a function; remembers what it was asked."""

    def __init__(self, say: Callable[[Prompt], object]) -> None:
        self._say = say
        self.asked: list[Prompt] = []

    def generate(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt)
        said = self._say(prompt)
        text = said if isinstance(said, str) else json.dumps(said)
        reply = Reply(ending=Ending.COMPLETE, text=text, detail="STOP", usage=Usage(), model="said")
        return Completion(reply=reply, cost_usd=Decimal("0.01"), latency_s=0.0, prompt_digest=prompt.digest)


def answer(text: str = QUOTE, quote: str = QUOTE, **more: object) -> dict[str, object]:
    """What a model says that has read the honest page."""
    return {"summary": text, "key_points": [{"text": text, "quote": quote}], "citations": [URLS[0]], **more}


def pages(*bodies: str, **others: StoredPage) -> dict[str, StoredPage]:
    """These bodies at `URLS`."""
    found = dict(zip(URLS, (StoredPage(body=body.encode()) for body in bodies), strict=False))
    return {**found, **others}


def run(
    stored: Mapping[str, StoredPage], model: Model, *, goal: Goal = GOAL, log: Path | None = None, **settings: object
) -> tuple[Findings, MemoryFetcher]:
    """Research in memory, by default without an audit log."""
    fetcher = MemoryFetcher(stored)
    gates = Gates(audit=AuditLog(log or Path("unused"), enabled=log is not None), run_id="run")
    effects = Effects(fetcher=fetcher, model=model, gates=gates, key=b"k" * 32, clock=lambda: 0.0)
    return Harness(goal, ResearchSettings(**settings), effects).run(), fetcher


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"
