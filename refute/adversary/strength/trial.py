"""Mutants and controls as jobs for the sandbox, and what came back as records."""

import ast
import json
import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from refute.adversary.attack import Attack, Brief, TestRun, TriagedTest, TriageVerdict
from refute.adversary.contract import (
    DRIVER,
    PLAN,
    RESULTS,
    RESULTS_BYTES,
    ResultsModel,
    driver_limits,
    make_plan,
    refuse_broken_driver,
)
from refute.adversary.references import ImplementationUse, mentioned
from refute.adversary.strength.controls import padded, rewritten
from refute.adversary.strength.hollow import hollow_variants
from refute.adversary.strength.mutants import Mutant
from refute.python_syntax import UNPARSABLE, parse_python
from refute.sandbox.job import Exited, Job, JobResult, LimitReached, Limits
from refute.sandbox.surroundings import FIRST
from refute.settings import Settings
from refute.ticket.record import ClaimId

CONTROL: Final = "control"
"""How the names of controls begin; those of mutants are their numbers."""
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
    source: str
    """The attack's file with the probe."""
    probe: str
    """A test of ours that only imports what the attack imports; empty where that is nothing."""
    tests: tuple[str, ...]
    """Without the probe."""
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
        chance: names the probe and what hollow variants add; for what runs, one that nobody can guess.
    """
    survived = [one for one in triaged if one.verdict is TriageVerdict.SURVIVED]
    survived.sort(key=lambda one: one.test.code_aware)  # otherwise as they ran: code may keep state from test to test
    slowest_s = max((one.run.duration_s for one in survived), default=0.0)
    imports = _imports(attack.source, brief)
    probe = f"test_import_{chance.getrandbits(64):016x}" if imports else ""
    body = "".join(f"    import {name}\n" for name in imports)
    return Trial(
        attack=attack,
        source=f"{attack.source.rstrip()}\n\n\ndef {probe}():\n{body}" if probe else attack.source,
        probe=probe,
        tests=tuple(one.test.name for one in survived),
        test_timeout_s=min(settings.test_timeout_s, AT_LEAST_S + SLOWER * slowest_s),
        witnesses=_witnesses(survived),
        hollow=hollow_variants(
            brief, frozenset(mentioned(parse_python(attack.source))), f"_{chance.getrandbits(48):012x}_"
        ),
    )


def _witnesses(survived: Sequence[TriagedTest]) -> dict[ClaimId, tuple[str, ...]]:
    found: dict[ClaimId, tuple[str, ...]] = {}
    for one in survived:
        if one.run.attested and not one.test.origin.by_author:
            found[one.test.claim_id] = (*found.get(one.test.claim_id, ()), one.test.name)
    return found


def controls(brief: Brief, chance: random.Random) -> dict[str, dict[str, str]]:
    """Name → files of the controls; modules that cannot be parsed have no mutants, and no part in these."""
    plain: dict[str, str] = {}
    filled: dict[str, str] = {}
    name = f"_{chance.getrandbits(48):012x}"
    for one in brief.modules:
        try:
            plain[one.module.path], filled[one.module.path] = rewritten(one.source), padded(one.source, name)
        except UNPARSABLE:
            continue
    return {f"{CONTROL}, written anew": plain, f"{CONTROL}, with statements that do nothing": filled}


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
    hollow = [sorted(trial.hollow)[number :: len(shares)] for number in range(len(shares))]
    early = chance.sample(sorted(controls(brief, chance)), 2)
    variants = [
        _shuffled(share, _first(controls(brief, chance), early[number % 2]), _only(trial.hollow, names), chance)
        for number, (share, names) in enumerate(zip(shares, hollow, strict=True))
    ]
    return [variants_job(trial, brief, share, outline, settings, requirements) for share in variants]


def read_runs(job: Job, result: JobResult) -> VariantRuns:
    """What a container says of its mutants, checked.

    Raises:
        SandboxFailed: the driver could not start, which says nothing about the code.
    """
    refuse_broken_driver(result)
    plan = json.loads(job.attack_files[PLAN])
    match result.end:
        case Exited(code=0) | LimitReached(exit_code=0):
            return _checked(plan, result.collected.get(RESULTS))
        case end:
            return VariantRuns(runs=(), lost=f"a mutant took the test driver with it ({end})")


def variants_job(  # as trial_jobs
    trial: Trial,
    brief: Brief,
    variants: Sequence[dict[str, Any]],
    outline: Job,
    settings: Settings,
    requirements: Sequence[str],
) -> Job:
    """The job that runs a trial on these variants, as the driver's plan holds them; the rest as for `trial_jobs`."""
    names = [*([trial.probe] if trial.probe else []), *trial.tests]
    plan = make_plan(brief.ticket, trial.attack.file_name, names, settings)
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
        attack_files={PLAN: json.dumps(plan).encode(), trial.attack.file_name: trial.source.encode()},
        collect=(RESULTS,),
    )


def trial_limits(settings: Settings) -> Limits:
    """What a container of mutants may use."""
    return driver_limits(settings, suite_timeout_s=PATIENCE * settings.mutation_timeout_s)


def _first(variants: Mapping[str, Mapping[str, str]], name: str) -> dict[str, Mapping[str, str]]:
    return {name: variants[name], **variants}


def _only(variants: Mapping[str, Mapping[str, str]], names: Sequence[str]) -> dict[str, Mapping[str, str]]:
    return {name: variants[name] for name in names}


def _shuffled(
    mutants: Sequence[Mutant],
    others: Mapping[str, Mapping[str, str]],
    hollow: Mapping[str, Mapping[str, str]],
    chance: random.Random,
) -> list[dict[str, Any]]:
    """Mutants in their order, others among them: code that counts its runs cannot tell which one is which.

    None is the first, which such code can tell. The first of the controls, in each of two containers another one, and
    what is hollow are in the first half, which is reached also where time is short.
    """
    variants: list[dict[str, Any]] = [{"name": str(one.number), "files": {one.path: one.source}} for one in mutants]
    for number, name in enumerate(others):
        place = chance.randint(1, len(variants) if number else max(1, len(variants) // 2))
        variants.insert(place, {"name": name, "files": others[name]})
    for name, files in hollow.items():
        place = chance.randint(1, max(1, len(variants) // 2))
        variants.insert(place, {"name": name, "files": files, "all_tests": True})
    return variants


def _checked(plan: dict[str, Any], content: bytes | None) -> VariantRuns:
    if content is None or len(content) > RESULTS_BYTES:
        return VariantRuns(runs=(), lost="the test driver left no results that can be read")
    try:
        results = ResultsModel.model_validate_json(content)
    except ValidationError as error:
        return VariantRuns(runs=(), lost=f"the results on mutants are malformed: {error.errors()[0]['msg']}")
    asked = [variant["name"] for variant in plan["variants"]]
    told = [variant.name for variant in results.variants]
    tests = set(plan["tests"])
    names = [[report.name for report in variant.reports] for variant in results.variants]
    if not secrets.compare_digest(results.nonce.encode(), plan["nonce"].encode()):
        return VariantRuns(runs=(), lost="the results on mutants were not written by the test driver")
    if results.first or told != asked[: len(told)] or any(len(set(n)) != len(n) or set(n) - tests for n in names):
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


def _imports(source: str, brief: Brief) -> list[str]:
    """Modules of the implementation that a test file imports anywhere."""
    use = ImplementationUse("", [one.module.name for one in brief.modules])
    return sorted(set(_imported(source, use)))


def _imported(source: str, use: ImplementationUse) -> Iterator[str]:
    for node in ast.walk(parse_python(source)):
        match node:
            case ast.ImportFrom(module=str(name), level=0) if use.imports(node):
                yield name
            case ast.Import(names=aliases):
                for alias in aliases:
                    if use.imports(ast.Import(names=[alias])):
                        yield alias.name
            case _:
                continue
