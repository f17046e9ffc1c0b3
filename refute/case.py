"""The case file: collects what each stage returned and ends the chain on a `Stop`; `closing` makes the outcome."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import NoReturn, TypeVar, assert_never

from refute.adversary.attack import Screening
from refute.approval import Confirmation
from refute.caching.wording import age_in_words
from refute.errors import InfrastructureError, ModelUnavailable, UsageError
from refute.guardrails.audit_chain import AuditAnchor
from refute.observer import StageObserver, Unwatched
from refute.outcome import KeptFrom, Outcome, StageRecord, Status, Stop
from refute.scan.finding import ScanResult
from refute.stages.evidence import (
    AttackStage,
    Critique,
    Escalation,
    Hardening,
    References,
    Reworking,
    SecondRun,
    StrengthStage,
    Triage,
    Verification,
    Writing,
)
from refute.ticket.record import Snapshot, Ticket
from refute.verdict import Verdict
from refute.wording import counted

Reviewed = Critique | Reworking | Escalation
Kept = (
    Snapshot
    | ScanResult
    | Confirmation
    | Verification
    | References
    | Writing
    | Screening
    | AttackStage
    | Triage
    | StrengthStage
    | Hardening
    | SecondRun
    | Reviewed
    | Verdict
)
_NOTHING = Decimal(0)
R = TypeVar("R", bound=Kept)


class ChainEnded(Exception):  # control flow inside the chain, not an error
    """A stage decided the ticket; the stages after it do not run."""


@dataclass(slots=True, kw_only=True)
class CaseFile:
    """What is known about one run of one ticket so far. The only mutable record, never shared."""

    ticket: Ticket
    run_id: str
    attempt: int = 1
    flow_run_url: str = ""
    observer: StageObserver = field(default_factory=Unwatched)
    snapshot: Snapshot | None = None
    scan: ScanResult | None = None
    confirmation: Confirmation | None = None
    verification: Verification | None = None
    references: References | None = None
    writing: Writing | None = None
    screening: Screening | None = None
    attack_stage: AttackStage | None = None
    triage: Triage | None = None
    measured: StrengthStage | None = None
    hardening: Hardening | None = None
    again: SecondRun | None = None
    critique: Critique | None = None
    reworking: Reworking | None = None
    verdict: Verdict | None = None
    recorded: Outcome | None = None
    """The outcome, once it is durable."""
    audited: bool = False
    """Whether the verdict's line is in the audit log."""
    anchor: AuditAnchor | None = None
    """Where the audit log stood with that line."""
    stop: Stop | None = None
    stages: list[StageRecord] = field(default_factory=list)
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    began: float = field(default_factory=time.monotonic)
    """On the monotonic clock, in seconds."""
    _stage_began: float = field(default_factory=time.monotonic)

    def keep(self, record: R | Stop) -> R:
        """File what a stage returned.

        Raises:
            ChainEnded: the stage returned a `Stop`, or a verification that decides the ticket.
        """
        if isinstance(record, Stop):
            if record.cost_usd != 0:
                self._note("write tests", "ended before its time", cost_usd=record.cost_usd)
            self.end(record)
        self._file(record)
        self.unless(record.stop if isinstance(record, Verification | AttackStage | Hardening | Critique) else None)
        return record

    def unless(self, stop: Stop | None) -> None:
        """Go on unless a policy says stop.

        Raises:
            ChainEnded: it does.
        """
        if stop is not None:
            self.end(stop)

    def end(self, stop: Stop) -> NoReturn:
        """End the chain here.

        Raises:
            ChainEnded: always.
        """
        self.stop = stop
        raise ChainEnded

    @contextmanager
    def chain(self) -> Iterator[None]:
        """Run the stages: whatever ends them early becomes the case's stop, so no outcome is ever lost.

        Faults of the ticket itself (`UsageError`) pass through: there is nothing to give a verdict about.
        """
        try:
            yield
        except ChainEnded:
            return
        except UsageError:
            raise
        except InfrastructureError as error:
            if isinstance(error, ModelUnavailable) and error.cost_usd != 0:
                self._note("write tests", "no model answered", cost_usd=error.cost_usd)
            self.stop = Stop(status=Status.ERROR, reason=str(error))
        except KeyboardInterrupt as interrupt:
            self.stop = Stop(status=Status.CANCELLED, reason=str(interrupt) or "interrupted")
        except BaseException as error:  # noqa: BLE001  # the flow's boundary: a fault of refute, or an orchestrator
            # that takes the run away, is ERROR and recorded, never a verdict and never lost
            self.stop = Stop(status=Status.ERROR, reason=f"internal error: {type(error).__name__}: {error}")

    def end_state(self) -> Stop | Verdict:
        """How the case stands; fails closed to ERROR where the chain neither stopped nor reached a verdict."""
        return self.stop or self.verdict or Stop(status=Status.ERROR, reason="the flow ended without a verdict")

    def _file(self, record: Kept) -> None:
        """Put the record in its field and note the stage."""
        match record:
            case Snapshot():
                self.snapshot = record
                left_out = f", {len(record.left_out)} left out" if record.left_out else ""
                self._note("snapshot", f"{counted(len(record.files), 'file')}, {record.total_bytes:,} bytes{left_out}")
            case ScanResult():
                self.scan = record
                allowed = f", {len(record.suppressed)} allowed" if record.suppressed else ""
                found = f"{counted(len(record.findings), 'finding')}, {len(record.blocking)} blocking"
                self._note("scan", f"{found}{allowed}")
            case Confirmation():
                self.confirmation = record
                self._note("confirm", record.note)
            case Verification():
                self.verification = record
                self._note("verify", record.summary, sandbox_s=record.sandbox_s, kept=record.kept)
            case References():
                self.references = record
                if record.summary:
                    self._note("research", record.summary, cost_usd=record.cost_usd)
            case Writing(attack=attack):
                self.writing = record
                untestable = counted(len(attack.untestable), "claim")
                summary = f"{counted(len(attack.tests), 'test')}, {untestable} untestable"
                self._note("write tests", summary, cost_usd=record.cost_usd)
            case Screening():
                self.screening = record
                self._note("screen", f"{len(record.attack.tests)} accepted, {len(record.rejected)} rejected")
            case _:
                self._file_evidence(record)

    def _file_evidence(
        self, record: AttackStage | Triage | StrengthStage | Hardening | SecondRun | Reviewed | Verdict
    ) -> None:
        """From the attack on."""
        match record:
            case AttackStage():
                self.attack_stage = record
                self._note("attack", record.summary, sandbox_s=record.sandbox_s, kept=record.kept)
            case Triage():
                self.triage = record
                self._note("triage", record.summary, sandbox_s=record.sandbox_s, cost_usd=record.cost_usd)
            case StrengthStage():
                self.measured = record
                sandbox_s, cost_usd = record.sandbox_s, record.cost_usd
                self._note("strength", record.summary, sandbox_s=sandbox_s, cost_usd=cost_usd, kept=record.kept)
            case Hardening():
                self._file_hardening(record)
            case SecondRun():
                self.again, self.triage = record, record.evidence.triage
                if record.summary:
                    self._note("second environment", record.summary, sandbox_s=record.sandbox_s, kept=record.kept)
            case Verdict():
                self.verdict = record
                self._note("verdict", record.status)
            case _:
                self._file_review(record)

    def _file_review(self, record: Reviewed) -> None:
        """What critics say, what is done about it, and what a person says; nothing is noted of what did not happen."""
        match record:
            case Critique(sandbox_s=sandbox_s, cost_usd=cost_usd, kept=kept):
                self.critique, name = record, "critics"
            case Reworking(sandbox_s=sandbox_s, cost_usd=cost_usd):
                self.reworking, name, kept = record, "rework", None
            case Escalation():
                self.critique, name, sandbox_s, cost_usd, kept = record.critique, "judge", 0.0, _NOTHING, None
            case _:
                assert_never(record)
        if record.summary:
            self._note(name, record.summary, sandbox_s=sandbox_s, cost_usd=cost_usd, kept=kept)

    def _file_hardening(self, record: Hardening) -> None:
        """What the round led to takes the place of what was there before; nothing is noted where none was held."""
        if not record.summary:
            return
        evidence = record.evidence
        again = evidence.attacked if evidence.attacked is not self.attack_stage else None
        sandbox_s = again.sandbox_s + evidence.triage.sandbox_s + record.measured.sandbox_s if again else 0.0
        self.hardening, self.measured = record, record.measured
        self.screening, self.attack_stage, self.triage = evidence.screening, evidence.attacked, evidence.triage
        kept = again.kept if again and not sandbox_s else None
        self._note("harden", record.summary, sandbox_s=sandbox_s, cost_usd=record.cost_usd, kept=kept)

    def _note(
        self,
        name: str,
        summary: str,
        *,
        sandbox_s: float = 0.0,
        cost_usd: Decimal | None = _NOTHING,
        kept: KeptFrom | None = None,
    ) -> None:
        now = time.monotonic()
        duration_s = round(now - self._stage_began, 3)
        record = StageRecord(
            name=name,
            summary=f"{summary} (not run again: as {age_in_words(kept.age_s)} ago)" if kept else summary,
            duration_s=duration_s,
            sandbox_s=sandbox_s,
            cost_usd=cost_usd,
            kept=kept,
        )
        self.stages.append(record)
        self._stage_began = now
        self.observer.ended(record)
