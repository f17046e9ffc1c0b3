"""Having tests written: by the built-in tester, by a model, or from a recording of one."""

import functools
from collections.abc import Sequence
from decimal import Decimal

from refute.adversary.attack import Brief
from refute.adversary.generation.tester import ModelTester
from refute.adversary.property.tester import PropertyTester
from refute.adversary.screen import screen
from refute.errors import BudgetExhausted
from refute.llm.model import Completion, Usage
from refute.llm.pricing import total
from refute.outcome import ModelUse, Status, Stop
from refute.ports import Ports
from refute.scan.scanner import scan_python
from refute.settings import TesterName
from refute.stages.brief import brief_of
from refute.stages.evidence import Writing
from refute.ticket.record import Snapshot, Ticket


def write_tests(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> Writing | Stop:
    """Have the tester write the attack.

    Raises:
        ModelUnavailable: a model was to write it, and gave no answer.
        SettingsInvalid: `gemini.yaml` is missing, or would let the provider keep what it is sent.
    """
    brief = brief_of(ports, ticket, snapshot)
    if ports.settings.tester is TesterName.PROPERTY:
        return Writing(attack=PropertyTester().write_tests(brief), cost_usd=Decimal(0))
    return _by_model(ports, ticket, brief)


def _by_model(ports: Ports, ticket: Ticket, brief: Brief) -> Writing | Stop:
    model = ports.model(ticket.id)
    tester = ModelTester(model, functools.partial(screen, scan=scan_python), name=ports.settings.tester)
    try:
        attack = tester.write_tests(brief)
    except BudgetExhausted as error:
        return Stop(status=Status.SKIPPED_BUDGET, reason=str(error))
    notes = [f"{one.round}: {note}" for one in tester.yields for note in one.notes]
    if any(completion.from_cache for completion in tester.completions):
        notes.append("tests come from answers kept earlier, at no cost (--fresh asks anew)")
    return Writing(
        attack=attack,
        cost_usd=total(completion.cost_usd for completion in tester.completions),
        models=_used(tester.completions),
        notes=tuple(notes),
    )


def _used(completions: Sequence[Completion]) -> tuple[ModelUse, ...]:
    """Calls summed by model."""
    used = []
    for model in dict.fromkeys(completion.reply.model for completion in completions):
        ours = [completion for completion in completions if completion.reply.model == model]
        paid = [completion for completion in ours if not completion.from_cache]
        usage = sum((completion.reply.usage for completion in paid), Usage())
        used.append(
            ModelUse(
                model=model,
                calls=len(paid),
                cached_answers=len(ours) - len(paid),
                input_tokens=usage.input_tokens,
                cached_tokens=usage.cached_tokens,
                output_tokens=usage.output_tokens,
                thinking_tokens=usage.thinking_tokens,
                cost_usd=total(completion.cost_usd for completion in ours),
                latency_s=round(sum(completion.latency_s for completion in ours), 3),
            )
        )
    return tuple(used)
