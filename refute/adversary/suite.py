"""The attack as a job, and its results as records. Whatever the job left is hostile until it has been checked."""

import json
from dataclasses import replace
from typing import Any

from refute.adversary.attack import Attack, AttackRun, TestEnd, TestRun
from refute.adversary.contract import PLAN, ResultsModel, driver_job, driver_limits, read_results
from refute.adversary.judgement.provenance import Provenance
from refute.sandbox.job import Job, JobResult, Limits
from refute.settings import Settings
from refute.ticket.record import Ticket


def attack_job(outline: Job, ticket: Ticket, attack: Attack, settings: Settings, *, requirements_root: str = "") -> Job:
    """The job that runs all tests of a screened attack, of which there must be one; for the rest as `driver_job`."""
    if not attack.tests:
        raise ValueError(
            f"attack of ticket {ticket.id}: got no test, expected at least one that the screen let through"
        )
    names = [test.name for test in attack.tests]
    return driver_job(outline, ticket, attack, names, settings, requirements_root=requirements_root)


def attack_limits(settings: Settings) -> Limits:
    """What an attack may use, its driver included."""
    return driver_limits(settings, suite_timeout_s=settings.attack_timeout_s)


def read_attack_run(job: Job, result: JobResult) -> AttackRun:
    """What an attack's job left, checked.

    Args:
        job: as made by `attack_job`; holds what was asked and the nonce that only the driver has seen.
        result: how it ended.

    Returns:
        The run. Results that are missing, malformed, of another run or in contradiction to what was asked are
        tampering, and every test is then missing.

    Raises:
        SandboxFailed: the driver could not start, which says nothing about the code.
    """
    plan = json.loads(job.attack_files[PLAN])
    results = read_results(plan, result)
    fault = results if isinstance(results, str) else _contradiction(plan, results)
    if fault or isinstance(results, str):
        return _void(plan, result, fault)
    provenance = Provenance(job.attack_files[plan["test_file"]].decode(), plan["modules"])
    all_skipped = bool(results.first) and all(one.end is TestEnd.SKIPPED for one in results.first)
    return AttackRun(
        first=tuple(replace(one, attested=provenance.attests(one)) for one in results.first),
        repetitions=results.repetitions,
        tampering=(*results.tampering, *(("every test was skipped",) if all_skipped else ())),
        output=results.output,
        duration_s=results.duration_s,
        timed_out=results.timed_out,
    )


def _contradiction(plan: dict[str, Any], results: ResultsModel) -> str:
    """How the results differ from what was asked."""
    if results.variants:
        return "the results are of variants, for which nobody asked"
    if [report.name for report in results.first] != plan["tests"]:
        return "the results are of other tests than were asked for"
    failing = {report.name for report in results.first if report.end not in {TestEnd.PASSED, TestEnd.MISSING}}
    for reports in results.repetitions:
        names = [report.name for report in reports]
        if len(names) != len(set(names)) or set(names) != failing:
            return "the repetitions are of other tests than those that did not pass"
    return ""


def _void(plan: dict[str, Any], result: JobResult, fact: str) -> AttackRun:
    """A run of which nothing is known but that it cannot be trusted."""
    return AttackRun(
        first=tuple(TestRun(name=name, end=TestEnd.MISSING, error_message=fact) for name in plan["tests"]),
        repetitions=(),
        tampering=(fact,),
        output=result.stdout + result.stderr,
        duration_s=result.duration_s,
        timed_out=False,
    )
