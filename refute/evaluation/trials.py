"""Every attack in both modes, in memory: what it gets in `vulnerable`, and that `defended` stops it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from refute.evaluation.attacks import AttackCase, achieved, attack_cases
from refute.evaluation.baseline import Baseline
from refute.evaluation.gates import Trial
from refute.evaluation.gullible import GullibleModel
from refute.evaluation.memory import MemoryFetcher
from refute.guardrails.audit import AuditLog
from refute.guardrails.gates import Gates
from refute.llm.model import Model
from refute.research.harness import Effects, Harness
from refute.research.record import Findings, Mode
from refute.research.settings import ResearchSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attack in one mode."""

    case: str
    mode: Mode
    succeeded: bool
    findings: Findings


def try_case(
    case: AttackCase, mode: Mode, audit: AuditLog, *, payload: str | None = None, model: Model | None = None
) -> Attempt:
    """Run one attack.

    Args:
        case: whose pages are read.
        mode: how.
        audit: gets the gates' lines.
        payload: in the place of the case's own.
        model: by default the gullible one.
    """
    fetcher = MemoryFetcher(case.pages(payload))
    effects = Effects(
        fetcher=fetcher, model=model or GullibleModel(), gates=Gates(audit=audit, run_id=f"eval-{case.id}")
    )
    work = Harness if mode is Mode.DEFENDED else Baseline
    findings = work(case.goal, ResearchSettings(), effects).run()
    return Attempt(case=case.id, mode=mode, succeeded=achieved(case, findings, fetcher), findings=findings)


def trials() -> Iterator[Trial]:
    """Every case in both modes, for `refute eval guardrails`."""
    silent = AuditLog(Path(), enabled=False)
    for mode in (Mode.DEFENDED, Mode.VULNERABLE):
        for case in attack_cases():
            got = try_case(case, mode, silent).succeeded
            yield Trial(suite="research", case=case.id, mode=mode, attack=True, failed=got)


def compare_all(audit: AuditLog) -> Iterator[tuple[str, bool, bool]]:
    """Each case, and whether its attack succeeded in vulnerable and in defended mode."""
    for case in attack_cases():
        vulnerable, defended = (try_case(case, mode, audit) for mode in (Mode.VULNERABLE, Mode.DEFENDED))
        yield case.id, vulnerable.succeeded, defended.succeeded
