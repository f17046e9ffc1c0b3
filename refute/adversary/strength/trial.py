"""Mutants and controls as jobs for the sandbox, and what came back as records."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from refute.adversary.attack import Attack, Brief, TriagedTest, TriageVerdict
from refute.adversary.contract import PLAN, VariantRun, driver_job, driver_limits, read_results
from refute.adversary.references import mentioned
from refute.adversary.strength.hollow import CONTROL, control, hollow_variants
from refute.adversary.strength.mutants import Mutant
from refute.adversary.strength.violations import Violation
from refute.python_syntax import parse_python
from refute.sandbox.job import Job, JobResult, Limits
from refute.sandbox.surroundings import FIRST
from refute.settings import Settings
from refute.ticket.record import ClaimId

EMPTIED: Final = ("/tmp", "/dev/shm", "/home/subject", FIRST.tests)  # noqa: S108  # inside the container
SLOWER: Final = 4.0
"""A test gets so many times what it took on the code as submitted …"""
AT_LEAST_S: Final = 5.0
"""… and this on top, before a mutant counts as hanging."""
PATIENCE: Final = 3.0
"""Times their limit that mutants get by the clock, where a busy machine does not let them have it of a processor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What is run on mutants: an attack's tests that passed, the ones that saw no code first."""

    attack: Attack
    """Its source holds the tests of violations as well."""
    tests: tuple[str, ...]
    violation_tests: tuple[str, ...]
    """They run behind the attack's, of which they are no part: they tell violations from the code."""
    test_timeout_s: float
    witnesses: Mapping[ClaimId, tuple[str, ...]]
    """By claim: the tests that a pass would rest on, independent of the author and attested."""
    hollow: Mapping[str, Mapping[str, str]]
    """Name → files of the variants that all tests run on, not only until one notices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRuns:
    """All that one container ran."""

    runs: tuple[VariantRun, ...]
    """Without those that the time was over for."""
    lost: str = ""
    """Why nothing that it said can be used."""


def make_trial(
    attack: Attack,
    triaged: Sequence[TriagedTest],
    brief: Brief,
    settings: Settings,
    *,
    chance: random.Random,
    violations: Sequence[Violation] = (),
) -> Trial:
    """Choose what is run on mutants.

    Args:
        attack: its file.
        triaged: its tests; those that survived are run, in their order, ones that saw code last.
        brief: of the ticket.
        settings: for the limit of a test.
        chance: names what hollow variants add; for what runs, one that nobody can guess.
        violations: edits by a model, whose tests run as well.
    """
    survived = [one for one in triaged if one.verdict is TriageVerdict.SURVIVED]
    survived.sort(key=lambda one: one.test.code_aware)  # otherwise as they ran: code may keep state from test to test
    witnesses: dict[ClaimId, tuple[str, ...]] = {}
    for one in survived:
        if one.run.attested and not one.test.origin.by_author:
            witnesses[one.test.claim_id] = (*witnesses.get(one.test.claim_id, ()), one.test.name)
    slowest_s = max((one.run.duration_s for one in survived), default=0.0)
    named = frozenset(mentioned(parse_python(attack.source)))
    return Trial(
        attack=replace(attack, source="\n\n\n".join([attack.source, *(one.witness for one in violations)])),
        tests=tuple(one.test.name for one in survived),
        violation_tests=tuple(one.witness_name for one in violations),
        test_timeout_s=min(settings.test_timeout_s, AT_LEAST_S + SLOWER * slowest_s),
        witnesses=witnesses,
        hollow=hollow_variants(brief, named, f"_{chance.getrandbits(48):012x}_"),
    )


def trial_jobs(  # noqa: PLR0913  # what a job is made of
    trial: Trial,
    brief: Brief,
    mutants: Sequence[Mutant],
    outline: Job,
    settings: Settings,
    *,
    containers: int,
    requirements_root: str = "",
    chance: random.Random,
) -> list[Job]:
    """The jobs: mutants shared out among containers, every container with a control at a place nobody can guess.

    Mutants keep their order, others stand among them: code that counts its runs cannot tell which one is which. None
    is the first, which such code can tell; all are in the first half, which is reached also where time is short.

    Args:
        trial: what is run.
        brief: of the ticket.
        mutants: to be shared out.
        outline: image, run, workspace and limits of the jobs.
        settings: limits.
        containers: at most so many jobs.
        requirements_root: as `driver_job`.
        chance: places and marks the controls; for what runs, one that nobody can guess.
    """
    shares = [share for number in range(containers) if (share := mutants[number::containers])]
    jobs = []
    for number, share in enumerate(shares):
        others = [(CONTROL, control(brief, chance)), *sorted(trial.hollow.items())[number :: len(shares)]]
        jobs.append(
            driver_job(
                outline,
                brief.ticket,
                trial.attack,
                (*trial.tests, *trial.violation_tests),
                settings,
                requirements_root=requirements_root,
                repetitions=0,
                test_timeout_s=trial.test_timeout_s,
                suite_timeout_s=settings.mutation_timeout_s,
                longest_s=PATIENCE * settings.mutation_timeout_s,
                variants=_among(others, share, chance),
                emptied=list(EMPTIED),
            )
        )
    return jobs


def _among(
    others: Iterable[tuple[str, Mapping[str, str]]], mutants: Iterable[Mutant], chance: random.Random
) -> list[dict[str, Any]]:
    """The variants of one container: mutants in their order, the others in the first half, but not first."""
    variants: list[dict[str, Any]] = [{"name": str(one.number), "files": {one.path: one.source}} for one in mutants]
    for name, files in others:
        place = chance.randint(1, max(1, len(variants) // 2))
        variants.insert(place, {"name": name, "files": files, "all_tests": True})
    return variants


def trial_limits(settings: Settings) -> Limits:
    """What a container of mutants may use."""
    return driver_limits(settings, suite_timeout_s=PATIENCE * settings.mutation_timeout_s)


def read_runs(job: Job, result: JobResult) -> VariantRuns:
    """What a container says of its mutants, checked.

    Raises:
        SandboxFailed: the driver could not start, which says nothing about the code.
    """
    plan = json.loads(job.attack_files[PLAN])
    results = read_results(plan, result)
    if isinstance(results, str):
        return VariantRuns(runs=(), lost=results)
    asked, told = [variant["name"] for variant in plan["variants"]], [variant.name for variant in results.variants]
    names = [[report.name for report in variant.reports] for variant in results.variants]
    if (
        results.first
        or told != asked[: len(told)]
        or any(len({*n}) != len(n) or {*n} - {*plan["tests"]} for n in names)
    ):
        return VariantRuns(runs=(), lost="the results are of other mutants or tests than were asked for")
    if results.tampering:
        return VariantRuns(runs=(), lost=results.tampering[0])
    return VariantRuns(runs=results.variants)
