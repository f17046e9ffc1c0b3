"""The attack as a job, and its results as records. Whatever the job left is hostile until it has been checked."""

import json
import posixpath
import secrets
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refute.adversary.attack import Attack, AttackRun, TestEnd, TestRun
from refute.adversary.counterexample import smallest_input
from refute.errors import SandboxFailed
from refute.sandbox.job import Exited, Job, JobResult, LimitReached, Limits, TimedOut
from refute.settings import Settings
from refute.ticket.modules import implementation_modules
from refute.ticket.record import Ticket

PLAN, RESULTS = "plan.json", "results.json"
DRIVER = ("python3", "-I", "/opt/refute/driver/run_suite.py", f"/attack/{PLAN}")
CONTRACT_VERSION = 1
"""Of plan and results; the same number stands in `refute/driver/plan.py`."""
GRACE_S = 15.0
"""Given to the driver on top of the suite's limit, to stop its workers and write what it has."""
DRIVER_BROKEN = 70
"""The driver's exit code for: no worker could be started."""
RESULTS_BYTES = 20 * 1024 * 1024
WORKER_SHARE = 0.75
"""Of the container's memory: what one test may allocate before it gets a MemoryError of its own."""
RECURSION_LIMITS = (1_000, 1_000, 10_000)
"""Python's own limit at first. A recursion that a tenfold limit does not end either has no end."""

Text = Annotated[str, Field(max_length=100_000)]
Name = Annotated[str, Field(max_length=300)]


class _Report(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Name
    end: Literal["passed", "failed", "broken", "timed_out", "died", "skipped", "missing"]
    duration_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    error_type: Name
    error_message: Text
    traceback: Text
    notes: Annotated[list[Text], Field(max_length=20)]
    reached_implementation: bool
    raised_in_implementation: bool
    raised_on_purpose: bool
    attested: bool = False
    not_carried: Text = ""
    not_carried_back: bool = False

    def record(self) -> TestRun:
        return TestRun(
            name=self.name,
            end=TestEnd(self.end),
            duration_s=self.duration_s,
            error_type=self.error_type,
            error_message=self.error_message,
            traceback=self.traceback,
            reached_implementation=self.reached_implementation,
            raised_in_implementation=self.raised_in_implementation,
            raised_on_purpose=self.raised_on_purpose,
            attested=self.attested,
            not_carried=self.not_carried,
            not_carried_back=self.not_carried_back,
            smallest_input=smallest_input(self.notes),
        )


Reports = Annotated[list[_Report], Field(max_length=10_000)]


class _Results(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    version: Literal[1]
    nonce: Name
    first: Reports
    repetitions: Annotated[list[Reports], Field(max_length=100)]
    tampering: Annotated[list[Text], Field(max_length=10_000)]
    output: Annotated[str, Field(max_length=1_000_000)]
    timed_out: bool
    duration_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]


def attack_job(  # noqa: PLR0913  # what a job is made of
    ticket: Ticket,
    attack: Attack,
    *,
    run_id: str,
    archive: bytes,
    image_id: str,
    settings: Settings,
    requirements_root: str = "",
) -> Job:
    """The job that runs a screened attack.

    Args:
        ticket: what is attacked; its import roots and modules tell the driver what the implementation is.
        attack: at least one test.
        run_id: of this run.
        archive: the snapshot's tar.
        image_id: of the sandbox image.
        settings: limits and repetitions.
        requirements_root: where the image holds what the ticket requires; importable after the import roots.
    """
    if not attack.tests:
        raise ValueError(
            f"attack of ticket {ticket.id}: got no test, expected at least one that the screen let through"
        )
    plan = _plan(ticket, attack, settings)
    if requirements_root:
        plan["import_roots"].append(posixpath.relpath(requirements_root, plan["workspace"]))
    return Job(
        name="attack",
        run_id=run_id,
        ticket_id=ticket.id,
        image_id=image_id,
        command=DRIVER,
        workspace=archive,
        limits=attack_limits(settings),
        attack_files={PLAN: json.dumps(plan).encode(), attack.file_name: attack.source.encode()},
        collect=(RESULTS,),
    )


def attack_limits(settings: Settings) -> Limits:
    """What an attack may use, its driver included."""
    return Limits(
        timeout_s=settings.attack_timeout_s + GRACE_S,
        memory_bytes=settings.memory_bytes,
        cpus=settings.cpus,
        output_bytes=settings.output_bytes,
    )


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
    match result.end:
        case Exited(code=0) | LimitReached(exit_code=0):
            return _read(plan, result)
        case Exited(code=code) if code == DRIVER_BROKEN and RESULTS not in result.collected:
            raise SandboxFailed(
                f"the test driver could not start: {result.stderr[-500:].strip()}", hint="refute doctor"
            )
        case Exited(code=code):
            fact = f"the test driver was ended from outside: exit code {code}"
        case TimedOut(limit_s=limit_s):
            fact = f"the test driver was kept from ending: it was stopped after {limit_s:g} s"
        case LimitReached(detail=detail):
            fact = f"the attack took the test driver with it: {detail}"
    return _void(plan, result, fact)


def _plan(ticket: Ticket, attack: Attack, settings: Settings) -> dict[str, Any]:
    return {
        "version": CONTRACT_VERSION,
        "nonce": secrets.token_hex(16),
        "attack_dir": "/attack",
        "test_file": attack.file_name,
        "results_file": RESULTS,
        "workspace": "/workspace",
        "import_roots": list(ticket.import_roots),
        "modules": [module.name for module in implementation_modules(ticket)],
        "tests": [test.name for test in attack.tests],
        "scratch_dir": "/tmp/attack",  # noqa: S108  # inside the container
        "repetitions": settings.repetitions,
        "test_timeout_s": settings.test_timeout_s,
        "suite_timeout_s": settings.attack_timeout_s,
        "memory_bytes": int(settings.memory_bytes * WORKER_SHARE),
        "recursion_limits": list(RECURSION_LIMITS),
    }


def _read(plan: dict[str, Any], result: JobResult) -> AttackRun:
    content = result.collected.get(RESULTS)
    if content is None:
        return _void(plan, result, "the test driver left no results")
    if len(content) > RESULTS_BYTES:
        return _void(plan, result, f"the results are {len(content)} bytes long, expected at most {RESULTS_BYTES}")
    try:
        results = _Results.model_validate_json(content)
    except ValidationError as error:
        return _void(plan, result, f"the results are malformed: {error.errors()[0]['msg']}")
    if not secrets.compare_digest(results.nonce.encode(), plan["nonce"].encode()):
        return _void(plan, result, "the results were not written by the test driver")
    if fault := _contradiction(plan, results):
        return _void(plan, result, fault)
    return AttackRun(
        first=tuple(report.record() for report in results.first),
        repetitions=tuple(tuple(report.record() for report in reports) for reports in results.repetitions),
        tampering=(*results.tampering, *_suspicions(results)),
        output=results.output,
        duration_s=results.duration_s,
        timed_out=results.timed_out,
    )


def _contradiction(plan: dict[str, Any], results: _Results) -> str:
    """How the results differ from what was asked."""
    if [report.name for report in results.first] != plan["tests"]:
        return "the results are of other tests than were asked for"
    failing = {report.name for report in results.first if report.end not in {"passed", "missing"}}
    for reports in results.repetitions:
        names = [report.name for report in reports]
        if len(names) != len(set(names)) or set(names) != failing:
            return "the repetitions are of other tests than those that did not pass"
    return ""


def _suspicions(results: _Results) -> tuple[str, ...]:
    if results.first and all(report.end == "skipped" for report in results.first):
        return ("every test was skipped",)
    return ()


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
