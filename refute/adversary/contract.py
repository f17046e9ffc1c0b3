"""What host and driver tell each other: the plan of a run, and its results as the driver may write them.

The driver's side is `refute/driver/plan.py`. Whatever a job left is hostile until it has been checked.
"""

import json
import posixpath
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refute.adversary.attack import Attack, Name, Seconds, TestEnd, TestRun, Text
from refute.errors import SandboxFailed
from refute.sandbox.job import Exited, Job, JobResult, LimitReached, Limits, TimedOut
from refute.sandbox.surroundings import FIRST
from refute.settings import Settings
from refute.ticket.modules import implementation_modules, previous_module
from refute.ticket.record import Ticket

PLAN: Final = "plan.json"
RESULTS: Final = "results.json"
DRIVER: Final = ("python3", "-I", "/opt/refute/driver/run_suite.py")
"""Followed by the plan's path."""
CONTRACT_VERSION: Final = 1
"""Of plan and results; the same number stands in `refute/driver/plan.py`."""
GRACE_S: Final = 15.0
"""Given to the driver on top of the suite's limit, to stop its workers and write what it has."""
DRIVER_BROKEN: Final = 70
"""The driver's exit code for: no worker could be started."""
RESULTS_BYTES: Final = 20 * 1024 * 1024
WORKER_SHARE: Final = 0.75
"""Of the container's memory: what one test may allocate before it gets a MemoryError of its own."""
RECURSION_LIMITS: Final = (1_000, 1_000, 10_000)
"""Python's own limit at first. A recursion that a tenfold limit does not end either has no end."""


Runs = Annotated[tuple[TestRun, ...], Field(max_length=10_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRun:
    """The tests on one variant of the implementation, as the driver reports them."""

    name: Name
    reports: Runs
    tampering: Annotated[tuple[Text, ...], Field(max_length=10_000)]
    duration_s: Seconds = 0.0

    @property
    def ends(self) -> dict[str, TestEnd]:
        """By test; none where they cannot be trusted."""
        return {} if self.tampering else {test.name: test.end for test in self.reports}


class ResultsModel(BaseModel):
    """The whole document, just as it must be."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    version: Literal[1]
    nonce: Name
    first: Runs
    repetitions: Annotated[tuple[Runs, ...], Field(max_length=100)]
    tampering: Annotated[tuple[Text, ...], Field(max_length=10_000)]
    output: Annotated[str, Field(max_length=1_000_000)]
    timed_out: bool
    duration_s: Seconds
    variants: Annotated[tuple[VariantRun, ...], Field(max_length=1_000)] = ()


def driver_job(
    outline: Job,
    ticket: Ticket,
    attack: Attack,
    tests: Sequence[str],
    settings: Settings,
    *,
    requirements_root: str = "",
    **otherwise: Any,
) -> Job:
    """The job that runs tests of an attack; its plan has a nonce of its own.

    Args:
        outline: run, image, workspace, limits and surroundings.
        ticket: tells what the implementation is.
        attack: its file.
        tests: its functions to run.
        settings: limits and repetitions.
        requirements_root: where the image holds what the ticket requires; importable after the import roots.
        otherwise: what the plan says else than for an attack.
    """
    earlier, surroundings = previous_module(ticket), outline.surroundings
    roots = [posixpath.relpath(requirements_root, surroundings.workspace)] if requirements_root else []
    plan: dict[str, Any] = {
        "version": CONTRACT_VERSION,
        "nonce": secrets.token_hex(16),
        "attack_dir": surroundings.tests,
        "test_file": attack.file_name,
        "results_file": RESULTS,
        "workspace": surroundings.workspace,
        "import_roots": [*ticket.import_roots, *roots],
        "modules": [module.name for module in (*implementation_modules(ticket), *([earlier] if earlier else []))],
        "tests": list(tests),
        "scratch_dir": surroundings.scratch,
        "environment": dict(surroundings.environment),
        "repetitions": settings.repetitions,
        "test_timeout_s": settings.test_timeout_s,
        "suite_timeout_s": settings.attack_timeout_s,
        "memory_bytes": int(settings.memory_bytes * WORKER_SHARE),
        "recursion_limits": list(RECURSION_LIMITS),
    } | otherwise
    if surroundings == FIRST:
        # What fails only in the order that sets have with one seed fails by chance. Elsewhere the seed is what differs.
        plan["hash_seeds"] = [str(number + 1) for number in range(plan["repetitions"])]
    handed = {PLAN: json.dumps(plan).encode(), attack.file_name: attack.source.encode()}
    command = (*DRIVER, f"{surroundings.tests}/{PLAN}")
    return replace(outline, command=command, attack_files=handed, collect=(RESULTS,))


def driver_limits(settings: Settings, *, suite_timeout_s: float) -> Limits:
    """What a container with the driver may use; the driver ends its tests by itself, and has a while for that."""
    return Limits(
        timeout_s=suite_timeout_s + GRACE_S,
        memory_bytes=settings.memory_bytes,
        cpus=settings.cpus,
        output_bytes=settings.output_bytes,
    )


def read_results(plan: Mapping[str, Any], result: JobResult) -> ResultsModel | str:
    """What the driver wrote; or why nothing that the job left can be trusted.

    Args:
        plan: of the job; holds the nonce that only the driver has seen.
        result: how the job ended.

    Raises:
        SandboxFailed: the driver could not start, which says nothing about the code.
    """
    content = result.collected.get(RESULTS)
    if result.end == Exited(code=DRIVER_BROKEN) and content is None:
        raise SandboxFailed(f"the test driver could not start: {result.stderr[-500:].strip()}", hint="refute doctor")
    match result.end:
        case Exited(code=0) | LimitReached(exit_code=0):
            return _checked(content, plan["nonce"])
        case Exited(code=code):
            return f"the test driver was ended from outside: exit code {code}"
        case TimedOut(limit_s=limit_s):
            return f"the test driver was kept from ending: it was stopped after {limit_s:g} s"
        case LimitReached(detail=detail):
            return f"the attack took the test driver with it: {detail}"


def _checked(content: bytes | None, nonce: str) -> ResultsModel | str:
    if content is None:
        return "the test driver left no results"
    if len(content) > RESULTS_BYTES:
        return f"the results are {len(content)} bytes long, expected at most {RESULTS_BYTES}"
    try:
        results = ResultsModel.model_validate_json(content)
    except ValidationError as error:
        return f"the results are malformed: {error.errors()[0]['msg']}"
    told = secrets.compare_digest(results.nonce.encode(), nonce.encode())
    return results if told else "the results were not written by the test driver"
