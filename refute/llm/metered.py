"""A model whose every request is paid from a budget before it is sent, and on record after."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Final, Protocol

from refute.errors import BudgetExhausted, ModelUnavailable, ModelUnpriced
from refute.guardrails.audit import AuditLog, Decision, Gate, Metadata
from refute.ledger.accounts import LOST, ModelCall, ReservationId
from refute.llm.model import Completion, Prompt, Reply, Usage
from refute.llm.pricing import total
from refute.llm.request import RequestFailed
from refute.llm.till import Clockwork, Till

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 30.0
REFUSED: Final = "refused"
"""How a request ended that the server did not take up: nothing is billed, and the ledger keeps no call."""
OVERHEAD_TOKENS: Final = 64
"""For what is put around the parts of a request."""


class EndpointSettings(Protocol):
    """What is asked of any provider's settings."""

    @property
    def project(self) -> str:
        """Who is billed there; empty where the key says it."""
        ...

    @property
    def base_url(self) -> str | None:
        """Address of a server that answers in the provider's place; None: the provider's own."""
        ...

    @property
    def timeout_s(self) -> float:
        """Of one request."""
        ...

    @property
    def attempts(self) -> int:
        """Requests at most for one answer."""
        ...

    @property
    def allow_unpriced(self) -> bool:
        """Whether models without a known price are asked."""
        ...


class Endpoint(Protocol):
    """One request at a time to a provider's models."""

    @property
    def settings(self) -> EndpointSettings:
        """How it is called."""
        ...

    def model_of(self, prompt: Prompt) -> str:
        """Id of the model that a prompt goes to."""
        ...

    def send(self, prompt: Prompt) -> Reply:
        """Send it once."""
        ...


class MeteredModel:
    """Answers prompts for one payer.

    Args:
        endpoint: what is called.
        till: what pays, for whom, at which prices, and when it is its turn.
        audit: gets a line before every request and one after it, and for every refusal.
        preflight: called before the first request; where it raises, nothing is sent.
        clockwork: the real one by default.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        till: Till,
        *,
        audit: AuditLog,
        preflight: Callable[[], None] = lambda: None,
        clockwork: Clockwork | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._till = till
        self._accounts = till.accounts
        self._payer = till.payer
        self._prices = till.prices
        self._audit = audit
        self._preflight: Callable[[], None] | None = preflight
        self._clockwork = clockwork or Clockwork()
        self.costs_usd: list[Decimal | None] = []
        """Of every request that was, or may have been, billed; lost ones at their worst case."""

    def generate(self, prompt: Prompt) -> Completion:
        """Ask once, trying again where a request fails for a passing reason.

        Raises:
            ModelUnavailable: no answer after every try.
            BudgetExhausted: the next request does not fit into a budget; it was not sent.
            ModelUnpriced: no price is known for the model, and the settings do not allow that.
        """
        settings = self._endpoint.settings
        if self._preflight is not None:
            self._preflight()
            self._preflight = None
        worst_usd = self._worst_case(prompt)
        before = len(self.costs_usd)
        for attempt in range(1, settings.attempts + 1):
            try:
                reply, latency_s = self._send(prompt, worst_usd)
            except BudgetExhausted as error:
                error.cost_usd = total(self.costs_usd[before:])  # of tries that were lost on their way
                raise
            if isinstance(reply, RequestFailed):
                if not reply.retry or attempt == settings.attempts:
                    raise self._unavailable(prompt, reply, attempt, total(self.costs_usd[before:])) from reply
                self._clockwork.sleep(self._wait_s(reply, attempt))
                continue
            return Completion(
                reply=reply,
                cost_usd=total(self.costs_usd[before:]),
                latency_s=latency_s,
                requests=attempt,
                prompt_digest=prompt.digest,
            )
        raise AssertionError("the loop ends in a reply or an error")  # attempts is at least 1

    def _send(self, prompt: Prompt, worst_usd: Decimal | None) -> tuple[Reply | RequestFailed, float]:
        """One request in its turn, paid and on record: what came of it, and how long that took without any waiting.

        What waits between two requests keeps no turn.
        """
        with self._reserved(prompt, worst_usd) as reservation:
            began = self._clockwork.monotonic()
            reply: Reply | RequestFailed
            try:
                reply = self._endpoint.send(prompt)
            except RequestFailed as failure:
                reply = failure
            latency_s = self._clockwork.monotonic() - began
            if isinstance(reply, RequestFailed):
                self._book_failure(reservation, prompt, reply, worst_usd, latency_s)
            else:
                self._book(reservation, prompt, reply, latency_s)
            return reply, latency_s

    def _worst_case(self, prompt: Prompt) -> Decimal | None:
        model = self._endpoint.model_of(prompt)
        worst = self._prices.worst_case(
            model,
            input_tokens=_input_bound(prompt),
            max_output_tokens=prompt.max_output_tokens,
            day=self._clockwork.today(),
        )
        if worst is None and not self._endpoint.settings.allow_unpriced:
            raise ModelUnpriced(
                f"model {model!r}: no price is known, so no budget can hold its cost",
                hint="Give a price list (prices: in gemini.yaml), or accept unknown cost with --allow-unpriced.",
            )
        return worst

    @contextmanager
    def _reserved(self, prompt: Prompt, worst_usd: Decimal | None) -> Iterator[ReservationId]:
        """Set the money aside, say so in the audit log, and from then on count it as sent."""
        answer_s = self._endpoint.settings.timeout_s
        try:
            with self._till.set_aside(worst_usd, valid_s=answer_s, clockwork=self._clockwork) as reservation:
                reason = "the budget holds its worst case"
                self._record(
                    Gate.MODEL_CALL, Decision.ALLOW, prompt, reason, {**_worst(worst_usd), "call": reservation}
                )
                lost = self._call(prompt, LOST, Usage(), worst_usd, answer_s)
                if not self._accounts.mark_sent(reservation, self._payer, lost, answer_s=answer_s):
                    raise ModelUnavailable(
                        "the money set aside for a model call expired before it was sent",
                        hint="The ledger answered too slowly. Run it again.",
                    )
                yield reservation
        except BudgetExhausted as error:
            self._record(Gate.BUDGET, Decision.DENY, prompt, error.message, _worst(worst_usd))
            raise

    def _record(self, gate: Gate, decision: Decision, prompt: Prompt, reason: str, more: Metadata) -> None:
        self._audit.record(
            gate,
            decision,
            run_id=self._payer.run_id,
            reason=reason,
            metadata={
                "ticket": self._payer.ticket_id,
                "purpose": prompt.name,
                "model": self._endpoint.model_of(prompt),
                "prompt": prompt.digest,
                "data_class": prompt.data_class,
                "project": self._endpoint.settings.project,
                "local_server": self._endpoint.settings.base_url is not None,
                **more,
            },
        )

    def _book_failure(
        self,
        reservation: ReservationId,
        prompt: Prompt,
        failure: RequestFailed,
        worst_usd: Decimal | None,
        latency_s: float,
    ) -> None:
        if failure.billed:
            call = self._call(prompt, LOST, Usage(), worst_usd, latency_s)
            self._accounts.settle_at_worst(reservation, call)
            self.costs_usd.append(worst_usd)
        else:
            call = self._call(prompt, REFUSED, Usage(), Decimal(0), latency_s)
            self._accounts.release(reservation)
        facts: Metadata = {**_facts(call), "call": reservation, "unreconciled": failure.billed}
        self._record(Gate.MODEL_REPLY, Decision.DENY, prompt, failure.message, facts)

    def _book(self, reservation: ReservationId, prompt: Prompt, reply: Reply, latency_s: float) -> None:
        cost_usd = self._prices.cost(self._endpoint.model_of(prompt), reply.usage, self._clockwork.today())
        call = self._call(prompt, reply.ending, reply.usage, cost_usd, latency_s)
        self._accounts.settle(reservation, call)
        self.costs_usd.append(cost_usd)
        facts: Metadata = {**_facts(call), "call": reservation, "unreconciled": False}
        self._record(Gate.MODEL_REPLY, Decision.ALLOW, prompt, f"answered: {reply.detail}", facts)

    def _call(self, prompt: Prompt, ending: str, usage: Usage, cost_usd: Decimal | None, latency_s: float) -> ModelCall:
        return ModelCall(
            purpose=prompt.name,
            tier=prompt.tier,
            model=self._endpoint.model_of(prompt),
            prompt_digest=prompt.digest,
            data_class=prompt.data_class,
            ending=ending,
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
            thinking_tokens=usage.thinking_tokens,
            cost_usd=cost_usd,
            latency_s=latency_s,
        )

    def _wait_s(self, failure: RequestFailed, attempt: int) -> float:
        """Exponential, the upper half of it by chance (never at once), and never less than the server asked for."""
        wait_s = min(FIRST_WAIT_S * 2 ** (attempt - 1), LONGEST_WAIT_S) * (0.5 + self._clockwork.chance() / 2)
        return float(max(wait_s, failure.retry_after_s or 0.0))

    def _unavailable(
        self, prompt: Prompt, failure: RequestFailed, attempts: int, cost_usd: Decimal | None
    ) -> ModelUnavailable:
        tries = f" ({attempts} tries)" if attempts > 1 else ""
        counted = "; what may have been billed for it counts at its worst case" if failure.billed else ""
        return ModelUnavailable(
            f"{self._endpoint.model_of(prompt)}: {failure.message}{tries}{counted}",
            hint="Run the ticket again later; no answer that came is paid for twice. "
            "`refute doctor` checks credentials and project.",
            cost_usd=cost_usd,
        )


def _worst(worst_usd: Decimal | None) -> Metadata:
    return {"worst_case_usd": None if worst_usd is None else f"{worst_usd:f}"}


def _facts(call: ModelCall) -> Metadata:
    """A call's ending, tokens, cost and time, as the audit log holds them."""
    return {
        "ending": str(call.ending),
        "input_tokens": call.input_tokens,
        "cached_tokens": call.cached_tokens,
        "output_tokens": call.output_tokens,
        "thinking_tokens": call.thinking_tokens,
        "cost_usd": None if call.cost_usd is None else f"{call.cost_usd:f}",
        "latency_s": round(call.latency_s, 3),
    }


def _input_bound(prompt: Prompt) -> int:
    """More tokens than the prompt can have, without asking anybody: no token is shorter than a byte."""
    sealed = prompt.sealed()  # its markers are longer than what stands for them
    told = (sealed.system, sealed.text, json.dumps(dict(prompt.answer_schema), ensure_ascii=False))
    return sum(len(part.encode(errors="replace")) for part in told) + OVERHEAD_TOKENS
