"""How strong the attack was that a ticket survived: its tests run on mutants of the implementation."""

import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.strength.record import Strength
from refute.adversary.strength.scope import Sample, draw_sample
from refute.adversary.strength.scoring import score, unmeasured
from refute.adversary.strength.trial import Trial, make_trial, read_runs, trial_jobs, trial_limits
from refute.caching.chance import left_to_chance
from refute.caching.fitness import settled
from refute.caching.kind import MUTANTS, MutantsRecord
from refute.outcome import KeptFrom, Status
from refute.ports import Ports
from refute.sandbox.job import Job, JobResult
from refute.stages.brief import brief_of
from refute.stages.evidence import Evidence, StrengthStage
from refute.stages.jobs import outline_of, site_of
from refute.stages.violations import plant_violations
from refute.ticket.record import Snapshot, Ticket
from refute.verdict import decide, in_words, weaknesses

CONTAINERS: Final = 2
"""Mutants run side by side in so many."""
MAX_CHARS: Final = 12_000_000
"""Of all mutants and controls together: what holds an attack has 64 MiB."""


def measure_strength(ports: Ports, ticket: Ticket, snapshot: Snapshot, evidence: Evidence) -> StrengthStage:
    """Run the tests that passed on mutants, where a strong attack would make the ticket pass.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    settings = ports.settings
    if not could_pass(ports, evidence):
        return StrengthStage(strength=None, summary="not needed: the verdict does not depend on it")
    if not settings.mutants:
        return _told(unmeasured("not measured: `mutants` is 0", floor=settings.strength_floor))
    brief = brief_of(ports, ticket, snapshot)
    planted = plant_violations(ports, brief)
    sample = replace(first_sample(ports, brief, snapshot), violations=planted.violations)
    measured = run_mutants(ports, snapshot, evidence, brief, sample)
    strength = replace(measured.strength, not_planted=planted.note) if measured.strength else None
    return replace(
        measured,
        strength=strength,
        violations=planted.violations,
        cost_usd=planted.cost_usd,
        models=planted.models,
    )


def first_sample(ports: Ports, brief: Brief, snapshot: Snapshot) -> Sample:
    """The mutants that an attack is measured by first; the same ones for the same files."""
    return draw_sample(brief, count=ports.settings.mutants, seed=snapshot.digest)


def run_mutants(ports: Ports, snapshot: Snapshot, evidence: Evidence, brief: Brief, sample: Sample) -> StrengthStage:
    """Score an attack by these mutants; raises as `measure_strength` does."""
    settings = ports.settings
    if not sample.mutants:
        reason = "there is nothing left in the code that a mutant could change"
        return _told(unmeasured(reason, floor=settings.strength_floor))
    room = MAX_CHARS // max(1, sum(len(one.source) for one in brief.modules)) - CONTAINERS - 2 - len(sample.violations)
    sample = replace(sample, mutants=sample.mutants[: max(0, room)])
    if not sample.mutants:
        return _told(unmeasured("the code is too large for its mutants", floor=settings.strength_floor))
    began = time.monotonic()
    measured = _Experiment(ports, snapshot, evidence, brief, sample).measure()
    return replace(measured, duration_s=round(time.monotonic() - began, 3))


class _Experiment:
    """One attack on these mutants."""

    def __init__(self, ports: Ports, snapshot: Snapshot, evidence: Evidence, brief: Brief, sample: Sample) -> None:
        self._ports = ports
        self._evidence = evidence
        self._brief = brief
        self._sample = sample
        limits = trial_limits(ports.settings)
        self._outline = outline_of(ports, brief.ticket, "strength", limits, ports.workspace(snapshot))
        self._lasting = not left_to_chance(brief, evidence.screening.attack.source, ports.contents(snapshot))

    def measure(self) -> StrengthStage:
        """The score of what the containers say now, or said before."""
        kind = replace(MUTANTS, unfit=lambda one: MUTANTS.unfit(one) or settled(self._scored(one)))
        ran = self._ports.stages.cached(kind, self._key(), lambda: self._ran(self._jobs(random.SystemRandom())))
        told = _told(self._scored(ran.record), kept=ran.kept)
        return told if ran.kept else replace(told, sandbox_s=ran.record.sandbox_s)

    def _key(self) -> str | None:
        if not self._lasting:
            return None
        jobs = self._jobs(random.Random(0))  # noqa: S311  # to look up by; never run
        return self._ports.result_key(jobs, [self._ports.settings.strength_floor])

    def _ran(self, jobs: list[Job]) -> MutantsRecord:
        """What the containers say."""
        results = side_by_side(self._ports, jobs)
        read = [read_runs(job, result) for job, result in zip(jobs, results, strict=True)]
        sandbox_s = round(sum(result.duration_s for result in results), 3)
        return MutantsRecord(containers=tuple(read), sandbox_s=sandbox_s)

    def _trial(self, chance: random.Random) -> Trial:
        attack, triaged = self._evidence.screening.attack, self._evidence.triage.triaged
        planted = self._sample.violations
        return make_trial(attack, triaged, self._brief, self._ports.settings, chance=chance, violations=planted)

    def _jobs(self, chance: random.Random) -> list[Job]:
        """What is run; the jobs hold names and places of controls that are drawn by chance."""
        ports = self._ports
        jobs = trial_jobs(
            self._trial(chance),
            self._brief,
            [*(one.mutant for one in self._sample.violations), *self._sample.mutants],
            self._outline,
            ports.settings,
            containers=CONTAINERS,
            requirements_root=site_of(ports, self._brief.ticket),
            chance=chance,
        )
        return [ports.with_network(job) for job in jobs]

    def _scored(self, record: MutantsRecord) -> Strength:
        trial = self._trial(random.Random(0))  # noqa: S311  # never run
        floor = self._ports.settings.strength_floor
        return score(trial, self._brief, self._sample, record.containers, floor=floor)


def could_pass(ports: Ports, evidence: Evidence) -> bool:
    """Whether a strong attack would make the difference between PASS_WEAK and PASS."""
    claims, triaged, run = evidence.triage.claims, evidence.triage.triaged, evidence.attacked.run
    verdict = decide(claims, triaged, run, attack_timeout_s=ports.settings.attack_timeout_s)
    return verdict.status is Status.PASS_WEAK and not weaknesses(claims)


def side_by_side(ports: Ports, jobs: Sequence[Job]) -> list[JobResult]:
    """Run jobs at the same time; where one fails, or a person will not wait, none is left running."""
    with ThreadPoolExecutor(len(jobs), thread_name_prefix="refute-mutants") as crew:
        futures = [crew.submit(ports.sandbox.run, job) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            ports.sandbox.stop_running()
            raise


def _told(strength: Strength, *, kept: KeptFrom | None = None) -> StrengthStage:
    return StrengthStage(strength=strength, summary=in_words(strength), kept=kept)
