"""A gate's policy: what a verdict needs besides the settings. It only ever makes a run stricter."""

import hashlib
from collections.abc import Iterator, Sequence
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
    return (*_by_evidence(policy, outcome), *_by_limits(policy, outcome, environment_reads))


def _by_evidence(policy: Policy, outcome: Outcome) -> Iterator[Breach]:
    """What the verdict does not rest on although it must."""
    ran = {test.tester for test in outcome.tests if test.verdict is not None}
    if policy.require_tester and policy.require_tester not in ran:
        got = ", ".join(sorted(ran)) or "nobody"
        yield Breach(field="require_tester", message=f"requires a test by {policy.require_tester}, got tests by {got}")
    low = outcome.strength.low if outcome.strength and not outcome.strength.void else None
    if policy.strength_floor and (low is None or low < policy.strength_floor):
        got = "it was not measured" if low is None else f"got {low:.0%}"
        yield Breach(
            field="strength_floor", message=f"requires an attack of strength {policy.strength_floor:.0%}, {got}"
        )
    answered = {review.focus for review in outcome.reviews if review.verdict is not ReviewVerdict.UNAVAILABLE}
    if missing := [focus for focus in in_order(policy.critics) if focus not in answered]:
        yield Breach(field="critics", message=f"requires an answer of the critics {', '.join(missing)}, got none")


def _by_limits(policy: Policy, outcome: Outcome, environment_reads: Sequence[str]) -> Iterator[Breach]:
    """What the run or its code did although it must not."""
    hosts, cost, cap = outcome.provenance.allowed_hosts, outcome.cost_usd, policy.max_cost_usd
    if policy.no_network and hosts:
        message = f"allows no network, but the code could reach {', '.join(hosts)}"
        yield Breach(field="no_network", message=message)
    if cap is not None and (cost is None or cost > cap):
        got = "an unknown cost" if cost is None else f"{cost:f}"
        yield Breach(field="max_cost_usd", message=f"allows {cap:f} USD, got {got}")
    if policy.no_environment_reads and environment_reads:
        message = f"the code inspects where it runs: {', '.join(environment_reads)}"
        yield Breach(field="no_environment_reads", message=message, by_code=True)
