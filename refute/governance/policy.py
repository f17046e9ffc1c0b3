"""A gate's policy: what a verdict needs besides the settings. It only ever makes a run stricter."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from refute.critics.focus import Focus, in_order
from refute.critics.record import ReviewVerdict
from refute.outcome import Outcome
from refute.settings import Settings
from refute.settings_fields import AttackPolicy
from refute.ticket.fields import Label
from refute.ticket.record import Ticket
from refute.yaml_file import YamlFile

HINT: Final = "Fields and examples: docs/governance.md."


class Policy(BaseModel):
    """The fields of a policy file (YAML); each may be left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    require_tester: Literal["property", "gemini"] | None = None
    """A tester of whose tests at least one must have run; `gemini` means the live model, not recorded answers."""
    strength_floor: Annotated[float, Field(ge=0, le=1, strict=True)] = 0.0
    """Raises the setting of that name."""
    attack_labels: tuple[Label, ...] = ()
    """Tickets with one of these labels are attacked, whatever `attack_policy` says."""
    critics: tuple[Focus, ...] = ()
    """Critics that every ticket gets, and each of which must have answered."""
    no_environment_reads: Annotated[bool, Field(strict=True)] = False
    """Code may not ask who runs it where, even if a claim speaks of it."""
    no_network: Annotated[bool, Field(strict=True)] = False
    """Nothing may have been reachable for the code."""
    max_cost_usd: Annotated[Decimal, Field(ge=0)] | None = None
    """Lowers the setting of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPolicy:
    """A policy and the file it came from."""

    policy: Policy = field(default_factory=Policy)
    name: str = ""
    """Of the file; empty without one."""
    sha256: str = ""
    """Of the file's bytes; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One requirement of a policy that a run does not meet."""

    field: str
    message: str
    by_code: bool = False
    """Whether the implementation is what does not meet it, so that its author can act."""


def load_policy(path: Path | None) -> LoadedPolicy:
    """Read a policy file; None is the policy that requires nothing.

    Raises:
        SettingsInvalid: it cannot be read, or with every fault of it.
    """
    if path is None:
        return LoadedPolicy()
    file = YamlFile(path=path, what="policy", hint=HINT)
    data = file.content()
    policy = file.check(Policy, file.parse(data))
    return LoadedPolicy(policy=policy, name=path.name, sha256=hashlib.sha256(data).hexdigest())


def tightened(settings: Settings, policy: Policy, ticket: Ticket) -> Settings:
    """The settings of a run under a policy: never weaker than before."""
    critics = settings.critics
    wanted = in_order([*critics.focus_areas, *policy.critics])
    changes: dict[str, Any] = {
        "strength_floor": max(settings.strength_floor, policy.strength_floor),
        "critics": critics.model_copy(update={"focus_areas": wanted}),
    }
    if policy.max_cost_usd is not None:
        changes["max_cost_usd"] = min(settings.max_cost_usd, policy.max_cost_usd)
    if set(policy.attack_labels) & set(ticket.labels):
        changes["attack_policy"] = AttackPolicy.MANDATORY
    return settings.model_copy(update=changes)


def breaches(policy: Policy, outcome: Outcome, environment_reads: Sequence[str]) -> tuple[Breach, ...]:
    """What a run does not meet.

    Args:
        policy: the requirements.
        outcome: of the run.
        environment_reads: every place where the code inspects where it runs, also those that claims speak of.
    """
    found = ((field, rule(policy, outcome)) for field, rule in _RULES.items())
    told = [Breach(field=field, message=message) for field, message in found if message]
    if policy.no_environment_reads and environment_reads:
        message = f"the code inspects where it runs: {', '.join(environment_reads)}"
        told.append(Breach(field="no_environment_reads", message=message, by_code=True))
    return tuple(told)


def _tester(policy: Policy, outcome: Outcome) -> str:
    ran = {test.tester for test in outcome.tests if test.verdict is not None}
    if policy.require_tester is None or policy.require_tester in ran:
        return ""
    return f"requires a test by {policy.require_tester}, got tests by {', '.join(sorted(ran)) or 'nobody'}"


def _strength(policy: Policy, outcome: Outcome) -> str:
    low = outcome.strength.low if outcome.strength and not outcome.strength.void else None
    if not policy.strength_floor or (low is not None and low >= policy.strength_floor):
        return ""
    got = "it was not measured" if low is None else f"got {low:.0%}"
    return f"requires an attack of strength {policy.strength_floor:.0%}, {got}"


def _critics(policy: Policy, outcome: Outcome) -> str:
    answered = {review.focus for review in outcome.reviews if review.verdict is not ReviewVerdict.UNAVAILABLE}
    missing = [focus for focus in in_order(policy.critics) if focus not in answered]
    return f"requires an answer of the critics {', '.join(missing)}, got none" if missing else ""


def _network(policy: Policy, outcome: Outcome) -> str:
    hosts = ", ".join(outcome.provenance.allowed_hosts)
    return f"allows no network, but the code could reach {hosts}" if policy.no_network and hosts else ""


def _cost(policy: Policy, outcome: Outcome) -> str:
    if policy.max_cost_usd is None or (outcome.cost_usd is not None and outcome.cost_usd <= policy.max_cost_usd):
        return ""
    got = "an unknown cost" if outcome.cost_usd is None else f"{outcome.cost_usd:f}"
    return f"allows {policy.max_cost_usd:f} USD, got {got}"


_RULES: Final[Mapping[str, Callable[[Policy, Outcome], str]]] = {
    "require_tester": _tester,
    "strength_floor": _strength,
    "critics": _critics,
    "no_network": _network,
    "max_cost_usd": _cost,
}
"""Field → what is wrong with a run by it, in words; empty where nothing is."""
