"""Mutants and controls as jobs for the sandbox, and what came back as records."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from refute.adversary.attack import Attack, Brief, TestRun, TriagedTest, TriageVerdict
from refute.adversary.contract import DRIVER, PLAN, RESULTS, driver_limits, make_plan, read_results
from refute.adversary.references import mentioned
from refute.adversary.strength.hollow import controls, hollow_variants
from refute.adversary.strength.mutants import Mutant
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
    tests: tuple[str, ...]
    test_timeout_s: float
    witnesses: Mapping[ClaimId, tuple[str, ...]]
    """By claim: the tests that a pass would rest on, independent of the author and attested."""
    hollow: Mapping[str, Mapping[str, str]]
    """Name → files of the variants that all tests run on, not only until one notices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRun:
    """The tests on one mutant or control."""

    name: str
    tests: tuple[TestRun, ...]
    tampering: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRuns:
    """All that one container ran."""

    runs: tuple[VariantRun, ...]
    """Without those that the time was over for."""
    lost: str = ""
    """Why nothing that it said can be used."""


def make_trial(
    attack: Attack, triaged: Sequence[TriagedTest], brief: Brief, settings: Settings, *, chance: random.Random
) -> Trial:
    """Choose what is run on mutants.

    Args:
        attack: its file.
        triaged: its tests; those that survived are run, in their order, ones that saw code last.
        brief: of the ticket.
        settings: for the limit of a test.
        chance: names what hollow variants add; for what runs, one that nobody can guess.
    """
    survived = [one for one in triaged if one.verdict is TriageVerdict.SURVIVED]
    survived.sort(key=lambda one: one.test.code_aware)  # otherwise as they ran: code may keep state from test to test
    witnesses: dict[ClaimId, tuple[str, ...]] = {}
    for one in survived:
        if one.run.attested and not one.test.origin.by_author:
            witnesses[one.test.claim_id] = (*witnesses.get(one.test.claim_id, ()), one.test.name)
    slowest_s = max((one.run.duration_s for one in survived), default=0.0)
    return Trial(
        attack=attack,
        tests=tuple(one.test.name for one in survived),
        test_timeout_s=min(settings.test_timeout_s, AT_LEAST_S + SLOWER * slowest_s),
        witnesses=witnesses,
        hollow=hollow_variants(
            brief, frozenset(mentioned(parse_python(attack.source))), f"_{chance.getrandbits(48):012x}_"
        ),
    )


def trial_jobs(  # noqa: PLR0913  # what a job is made of
    trial: Trial,
    brief: Brief,
    mutants: Sequence[Mutant],
    outline: Job,
    settings: Settings,
    *,
    containers: int,
    requirements: Sequence[str] = (),
    chance: random.Random,
) -> list[Job]:
    """The jobs: mutants shared out among containers, every container with all controls at places nobody can guess.

    Mutants keep their order, others stand among them: code that counts its runs cannot tell which one is which. None
    is the first, which such code can tell. One of the controls, in each of two containers another one, and what is
    hollow are in the first half, which is reached also where time is short.

    Args:
        trial: what is run.
        brief: of the ticket.
        mutants: to be shared out.
        outline: image, run, workspace and limits of the jobs.
        settings: limits.
        containers: at most so many jobs.
        requirements: import roots of what the ticket requires.
        chance: places and marks the controls; for what runs, one that nobody can guess.
    """
    shares = [share for number in range(containers) if (share := mutants[number::containers])]
    turn, jobs = chance.randint(0, 1), []
    for number, share in enumerate(shares):
        variants: list[dict[str, Any]] = [{"name": str(one.number), "files": {one.path: one.source}} for one in share]
        ours = [*controls(brief, chance).items()][:: 1 if (number + turn) % 2 else -1]
        hollow = sorted(trial.hollow.items())[number :: len(shares)]
        for place, (name, files) in enumerate([*ours, *hollow]):
            late = place == 1  # the second control
            at = chance.randint(1, len(variants) if late else max(1, len(variants) // 2))
            variants.insert(at, {"name": name, "files": files} | ({"all_tests": True} if name in trial.hollow else {}))
        jobs.append(variants_job(trial, brief, variants, outline, settings, requirements))
    return jobs


def variants_job(  # as trial_jobs
    trial: Trial,
    brief: Brief,
    variants: Sequence[dict[str, Any]],
    outline: Job,
    settings: Settings,
    requirements: Sequence[str],
) -> Job:
    """The job that runs a trial on these variants, as the driver's plan holds them; the rest as for `trial_jobs`."""
    plan = make_plan(brief.ticket, trial.attack.file_name, trial.tests, settings)
    plan["import_roots"] += requirements
    plan |= {
        "repetitions": 0,
        "test_timeout_s": trial.test_timeout_s,
        "suite_timeout_s": settings.mutation_timeout_s,
        "longest_s": PATIENCE * settings.mutation_timeout_s,
        "variants": variants,
        "emptied": list(EMPTIED),
    }
    return replace(
        outline,
        command=(*DRIVER, f"{FIRST.tests}/{PLAN}"),
        attack_files={PLAN: json.dumps(plan).encode(), trial.attack.file_name: trial.attack.source.encode()},
        collect=(RESULTS,),
    )


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
    return VariantRuns(
        runs=tuple(
            VariantRun(
                name=variant.name,
                tests=tuple(report.record() for report in variant.reports),
                tampering=tuple(variant.tampering),
            )
            for variant in results.variants
        )
    )
