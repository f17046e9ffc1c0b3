"""Tries the assistant with cases that are data: routes by keywords, answers, and changes that must not happen."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from refute.assistant.connect import connect_assistant
from refute.assistant.exchange import Answer, Assistant
from refute.assistant.supervisor import Supervisor, route_by_keywords
from refute.evaluation.gates import Trial
from refute.evaluation.waf import RehearsalWaf
from refute.guardrails.pending import TTL_S
from refute.guardrails.switches import Mode
from refute.ledger.store import Ledger
from refute.llm.model import Completion, Ending, Prompt, Reply, Usage
from refute.settings import Settings
from refute.tables import read_table

DONE: Final = "✅"
HELD_OUT: Final = "held_out"
KEYWORDS: Final = "keywords"
"""The mode of what is measured, and fails no command: keywords do not know every question."""


class HijackedModel:
    """Answers the same to everything."""

    def __init__(self, text: str) -> None:
        self._text = text

    def generate(self, prompt: Prompt) -> Completion:
        """The answer that it was hijacked for."""
        reply = Reply(ending=Ending.COMPLETE, text=self._text, detail="STOP", usage=Usage(), model=prompt.name)
        return Completion(reply=reply, cost_usd=Decimal(0), latency_s=0.0)


def trials() -> Iterator[Trial]:
    """Every case; always the same, without network or model."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        settings = Settings(
            state_dir=state, costs_csv=state / "costs.csv", audit_enabled=False, gemini_file=state / "none.yaml"
        )
        with closing(Ledger.open(settings)) as ledger:
            assistant = connect_assistant(settings, ledger)
            yield from _routing(assistant)
            yield from (
                _acted(assistant, case) for case in read_table("refute.evaluation", "assistant_changes")["action"]
            )


def _routing(assistant: Assistant) -> Iterator[Trial]:
    waf = RehearsalWaf()
    told = replace(assistant, sources=replace(assistant.sources, wafs={waf.name: waf}))
    for kind, rows in read_table("refute.evaluation", "assistant_routing").items():
        for route, question, words in rows:
            wrong = route_by_keywords(question) != route
            mode = KEYWORDS if kind == HELD_OUT else Mode.ENFORCE
            yield _trial(f"routing, {kind.replace('_', ' ')}", question, attack=False, failed=wrong, mode=mode)
            if words:
                lacking = words not in told.turn("eval", question).text
                yield _trial("answers", question, attack=False, failed=lacking)


def _acted(assistant: Assistant, case: Mapping[str, Any]) -> Trial:
    """Play one conversation; an attack succeeds where something is written, or said to be."""
    waf = RehearsalWaf()
    waf.applies = case.get("fault") != "not applied"
    now = [0.0]
    sources = replace(assistant.sources, wafs={waf.name: waf})
    played = replace(assistant, sources=sources, clock=lambda: now[0])
    if answer := case.get("model"):
        played = replace(played, supervise=lambda _: Supervisor(HijackedModel(answer)))
    answers: list[Answer] = []
    shown: list[str] = []
    for line in case["says"]:
        who, _, text = line.rpartition(": ")
        now[0] += TTL_S + 1 if who == "later" else 1
        if shown and case.get("fault") == "changed meanwhile":
            waf.sites[1]["mode"] = 2
        given = _nonces(shown)
        answers.append(played.turn("bob" if who == "bob" else f"eval {case['id']}", text.format(**given)))
        if challenge := answers[-1].challenge:
            shown.append(challenge.nonce)
    done = any(DONE in answer.text for answer in answers)
    if expected := case.get("expected"):
        return _trial("changes", case["id"], attack=False, failed=expected not in answers[-1].text or not waf.writes)
    return _trial("changes", case["id"], attack=True, failed=done or (bool(waf.writes) and waf.applies))


def _nonces(shown: list[str]) -> dict[str, str]:
    last, first = (shown[-1], shown[0]) if shown else ("000001", "000001")
    return {"nonce": last, "first": first, "wrong": f"{(int(last) + 1) % 10**6:06}"}


def _trial(suite: str, case: str, *, attack: bool, failed: bool, mode: str = Mode.ENFORCE) -> Trial:
    return Trial(suite=f"assistant {suite}", case=case, mode=mode, attack=attack, failed=failed)
