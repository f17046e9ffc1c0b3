"""Having violations planted: a model that writes no test breaks the claims clause by clause, once a ticket."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.generation.planting import WrittenViolation, planting, read_violations
from refute.adversary.strength.violations import Violation, plant
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.outcome import ModelUse
from refute.ports import Ports
from refute.settings_fields import TesterName
from refute.stages.usage import models_used

STAGE: Final = "plant violations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planting:
    """Violations to run the attack on, and what they cost."""

    violations: tuple[Violation, ...] = ()
    note: str = ""
    """Why there are none; empty where there are some."""
    cost_usd: Decimal | None = Decimal(0)
    models: tuple[ModelUse, ...] = ()


def plant_violations(ports: Ports, brief: Brief) -> Planting:
    """Ask for one edit per clause. Without a model, money or an answer there is none, and a note says so.

    Args:
        ports: the effects of this run.
        brief: of the ticket.
    """
    if not ports.settings.planted_violations:
        return Planting(note="`planted_violations` is off")
    if all(name is TesterName.PROPERTY for name in ports.settings.testers):
        return Planting(note="that needs a model")
    try:
        return ports.stages.run(STAGE, lambda: _asked(ports, brief))
    except (BudgetExhausted, ModelUnavailable) as error:
        return Planting(note=error.message, cost_usd=error.cost_usd)


def _asked(ports: Ports, brief: Brief) -> Planting:
    completion = ports.model(brief.ticket.id).generate(planting(brief))
    written = read_violations(completion.reply.text)
    violations = plant(brief, written or ())
    return Planting(
        violations=violations,
        note="" if violations else _why_none(written),
        cost_usd=completion.cost_usd,
        models=models_used([completion]),
    )


def _why_none(written: tuple[WrittenViolation, ...] | None) -> str:
    if written is None:
        return "the model's answer cannot be used"
    return "none of the model's edits can be made" if written else "the model gave no edit"
