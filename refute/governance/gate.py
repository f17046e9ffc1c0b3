"""The gate N2.5: an outcome and a policy become one document for a workflow. Its schema is published."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Self

from pydantic import TypeAdapter, ValidationError

from refute.adversary.judgement.identity import identity_reads
from refute.adversary.strength.record import Strength
from refute.errors import UsageError
from refute.governance.failures import FailureKind, GateFailure, failures_of
from refute.governance.policy import Breach, LoadedPolicy, Policy, breaches
from refute.outcome import ClaimResult, ModelUse, Outcome, Provenance, Status
from refute.outcome_document import as_json, first_faults, published_schema, write_document
from refute.ports import Ports
from refute.settings import Settings
from refute.stages.brief import brief_of
from refute.ticket.record import Ticket
from refute.ticket.snapshot import reopen_snapshot, snapshot_digest

SCHEMA_VERSION: Final = 1
SCHEMA_FILE: Final = "docs/gate.schema.json"
SKIPPED_EXIT_CODE: Final = 17
"""A ticket that was not attacked does not go through the gate unseen; `refute verify` has 0 for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStrength:
    """How strong the attack was, 0 to 1."""

    score: float | None
    low: float
    """Lower end of its interval; what the floor is held against."""
    floor: float
    suffices: bool

    @classmethod
    def of(cls, strength: Strength) -> Self:
        """What a workflow needs of it."""
        return cls(score=strength.score, low=strength.low, floor=strength.floor, suffices=strength.suffices)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """The policy of the run, and what of it is not met."""

    name: str
    sha256: str
    requirements: Policy
    breaches: tuple[Breach, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """SHA-256 of what the verdict rests on; image, profile and snapshot stand in `provenance`."""

    ticket: str
    """Of what the ticket states, without its files."""
    files: Mapping[str, str]
    """Path → digest of every file that was verified."""
    attack: str
    """Of the tests that ran."""
    outcome: str
    """Of the outcome's document, as the ledger has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDocument:
    """What `refute gate` prints."""

    schema_version: int = SCHEMA_VERSION
    node: str = "N2.5"
    """Of the issue workflow."""
    ticket_id: str
    title: str
    labels: tuple[str, ...]
    run_id: str
    status: Status
    exit_code: int
    passed: bool
    """Whether the workflow may go on by itself."""
    reason: str
    claims: tuple[ClaimResult, ...]
    failures: tuple[GateFailure, ...]
    """What to route back to the implementer; empty where that would not help."""
    caveats: tuple[str, ...]
    strength: GateStrength | None
    policy: GatePolicy
    evidence: Evidence
    provenance: Provenance
    cost_usd: Decimal | None
    """None where a model without a known price was asked."""
    models: tuple[ModelUse, ...]
    duration_s: float
    flow_run_url: str


_JSON: Final = TypeAdapter(GateDocument)


def gate_exit_code(status: Status) -> int:
    """Exit code of `refute gate`."""
    return SKIPPED_EXIT_CODE if status is Status.SKIPPED else status.exit_code


def gate_document(ticket: Ticket, outcome: Outcome, policy: LoadedPolicy, settings: Settings) -> GateDocument:
    """The gate's document.

    Args:
        ticket: that was verified.
        outcome: of its run.
        policy: that the run was made under.
        settings: of the run, for its snapshot.

    Raises:
        SnapshotCorrupted: the files that were verified are not there any more.
    """
    ports = Ports(settings, outcome.run_id)
    digest = outcome.provenance.snapshot_digest
    snapshot = reopen_snapshot(ticket, digest, store=ports.store) if digest else None
    reads: tuple[str, ...] = ()
    if snapshot is not None and policy.policy.no_environment_reads:
        reads = identity_reads(brief_of(ports, replace(ticket, claims=()), snapshot))  # no claim excuses them
    broken = breaches(policy.policy, outcome, reads) if outcome.status in {Status.PASS, Status.PASS_WEAK} else ()
    status = Status.PASS_WEAK if broken else outcome.status
    strength = outcome.strength
    return GateDocument(
        ticket_id=outcome.ticket_id,
        title=outcome.title,
        labels=outcome.labels,
        run_id=outcome.run_id,
        status=status,
        exit_code=gate_exit_code(status),
        passed=status is Status.PASS,
        reason="; ".join([outcome.reason, *(f"policy {one.field}: {one.message}" for one in broken)]),
        claims=outcome.claims,
        failures=(*failures_of(outcome), *(_by_policy(one) for one in broken if one.by_code)),
        caveats=outcome.caveats,
        strength=GateStrength.of(strength) if strength else None,
        policy=GatePolicy(name=policy.name, sha256=policy.sha256, requirements=policy.policy, breaches=broken),
        evidence=Evidence(
            ticket=ticket_digest(ticket),
            files={file.path: file.sha256 for file in snapshot.files} if snapshot else {},
            attack=_sha256(outcome.adversarial_tests),
            outcome=_sha256(write_document(outcome, indent=None)),
        ),
        provenance=outcome.provenance,
        cost_usd=outcome.cost_usd,
        models=outcome.models,
        duration_s=outcome.duration_s,
        flow_run_url=outcome.flow_run_url,
    )


def _by_policy(breach: Breach) -> GateFailure:
    return GateFailure(
        kind=FailureKind.POLICY, expected=f"the policy's requirement {breach.field}", observed=breach.message
    )


def ticket_digest(ticket: Ticket) -> str:
    """`sha256:…` over what a ticket states, wherever it stands."""
    return snapshot_digest(ticket, ())


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def write_gate(document: GateDocument) -> str:
    """The document as JSON, ASCII only."""
    return as_json(_JSON, document, indent=2)


def read_gate(text: str | bytes) -> GateDocument:
    """A document that was written.

    Raises:
        UsageError: it is none of this version.
    """
    try:
        return _JSON.validate_json(text)
    except ValidationError as error:
        told = f"{first_faults(error)}; expected schema version {SCHEMA_VERSION}"
        raise UsageError(f"gate document: {told}") from error


def gate_schema() -> str:
    """The JSON Schema (draft 2020-12) of the documents."""
    return published_schema(_JSON, title="Verdict of refute's gate N2.5", version=SCHEMA_VERSION)
