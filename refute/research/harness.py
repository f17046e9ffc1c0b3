"""Research with all its gates: plan → fetch → read → conclude. What a page says changes only what is reported."""

import hashlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from pydantic import TypeAdapter

from refute.caching.kind import Kind
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.guardrails.audit import Gate
from refute.guardrails.gates import Gates
from refute.guardrails.transport import FetchLimits
from refute.guardrails.urls import FetchFailed, PinnedUrl, UrlDenied
from refute.llm.model import Model
from refute.llm.pricing import total
from refute.research.conclusion import conclude
from refute.research.fetching import Fetcher
from refute.research.intents import Intent, IntentRefused, SignedIntent, Signer, Verifier
from refute.research.planner import Plan, make_plan
from refute.research.prompting import read_prompt
from refute.research.reader import read_source, source_of
from refute.research.record import Findings, Goal, Reading, Source
from refute.research.settings import ResearchSettings
from refute.research.stops import Stops
from refute.stages.execution import Directly, StageRunner

READING: Final = Kind(name="read", json=TypeAdapter(Reading), unfit=lambda reading: reading.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What research acts by."""

    fetcher: Fetcher
    model: Model
    gates: Gates
    """Of the run, with their switches."""
    runner: StageRunner = field(default_factory=Directly)
    """Carries out `plan`, `fetch`, `read` and `validate`."""
    model_id: str = ""
    """What of the model decides its answers; empty: none is cached."""
    clock: Callable[[], float] = time.time
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Signs this run's intents; made for it alone."""


class Harness:
    """Research on one goal.

    Args:
        goal: what is wanted.
        settings: what may be fetched and spent.
        effects: by which.
    """

    def __init__(self, goal: Goal, settings: ResearchSettings, effects: Effects) -> None:
        self._goal, self._settings, self._effects = goal, settings, effects
        self._gates = replace(effects.gates, turn_id=goal.id)
        self._stops = Stops(self._gates)
        self._signer = Signer(goal_id=goal.id, key=effects.key, clock=effects.clock)
        self._verifier = Verifier(goal_id=goal.id, key=effects.key, clock=effects.clock)
        self._costs: list[Decimal | None] = []

    def run(self) -> Findings:
        """Carry out the plan. Whatever a page or a model does wrong becomes a note."""
        run = self._effects.runner.run
        plan = run("plan", self._plan)
        refused = [f"{one.what} is not read: {one.reason}" for one in self._stops.denials]
        sources = [self._fetched(plan, signed) for signed in plan.fetches]
        found = {source.number: source for source in sources if source is not None}
        readings: dict[int, Reading] = {}
        for signed in plan.reads:
            reading = self._read(plan, signed, found)
            if reading is not None:
                readings[reading.number] = reading
                self._costs.append(reading.cost_usd)
        concluded = run("validate", lambda: conclude(self._goal, list(found.values()), readings, self._stops))
        return replace(
            concluded,
            notes=(*plan.notes, *refused, *concluded.notes),
            denials=tuple(self._stops.denials),
            actions=tuple(self._verifier.actions),
            cost_usd=total([plan.cost_usd, *self._costs]),
        )

    def _plan(self) -> Plan:
        effects = self._effects
        return make_plan(
            self._goal,
            self._settings,
            model=effects.model,
            fetcher=effects.fetcher,
            signer=self._signer,
            stops=self._stops,
        )

    def _admitted(self, gate: Gate, signed: SignedIntent) -> Intent | None:
        """The call, if it is one of the plan's and was not carried out."""
        try:
            intent = self._verifier.admit(signed)
        except IntentRefused as error:
            self._stops.deny(gate, signed.intent.action, str(error))
            return None
        self._stops.allow(gate, "signed by the planner", {"sequence": intent.sequence, "tool": intent.tool})
        return intent

    def _fetched(self, plan: Plan, signed: SignedIntent) -> Source | None:
        intent = self._admitted(Gate.RESEARCH_FETCH, signed)
        if intent is None:
            return None
        number, url = intent.arguments["source"], intent.arguments["url"]
        limits = FetchLimits(
            time_s=self._settings.fetch_timeout_s, transferred_bytes=plan.page_bytes, page_bytes=2 * plan.page_bytes
        )
        fetcher = self._effects.fetcher

        def check(hop: str) -> PinnedUrl:
            return self._gates.url(hop, lambda one: fetcher.check(one or "", plan.hosts))

        try:
            page = self._effects.runner.run("fetch", lambda: fetcher.fetch(url, check, limits))
        except UrlDenied as error:
            self._stops.remember(Gate.URL, error.url, error.reason)
            return Source(number=number, url=url, missing=f"{error.url}: {error.reason}")
        except FetchFailed as error:
            self._stops.deny(Gate.RESEARCH_FETCH, error.url, error.reason)
            return Source(number=number, url=url, missing=f"{error.url}: {error.reason}")
        return source_of(page, number, self._gates, self._settings.max_page_chars)

    def _read(self, plan: Plan, signed: SignedIntent, sources: dict[int, Source]) -> Reading | None:
        intent = self._admitted(Gate.RESEARCH_READ, signed)
        source = sources.get(intent.arguments["source"]) if intent else None
        if source is None:
            return None
        key = self._key(source)
        try:
            ran = self._effects.runner.cached(
                READING, key, lambda: read_source(self._goal, source, self._effects.model, plan.tries)
            )
        except BudgetExhausted as error:  # its line in the audit log is there: whoever keeps the budget wrote it
            return Reading(number=source.number, missing=error.message, cost_usd=error.cost_usd)
        except ModelUnavailable as error:
            self._stops.deny(Gate.RESEARCH_READ, source.url, error.message)
            return Reading(number=source.number, missing=error.message, cost_usd=error.cost_usd)
        return replace(ran.record, cost_usd=Decimal(0)) if ran.kept else ran.record

    def _key(self, source: Source) -> str | None:
        """Everything that decides an answer; None where answers must not stand for later ones."""
        if not self._effects.model_id:
            return None
        told = [self._effects.model_id, source.number, read_prompt(self._goal, source).digest]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()
