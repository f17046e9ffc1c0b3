"""The version before and this one on the same inputs, each alone in a container: what differs, what tests expect."""

import posixpath
import shlex
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.contract import driver_limits
from refute.adversary.property.differential import Answers, Compared, plan_of, read_answers, ways_of
from refute.adversary.property.generator import Way
from refute.caching.kind import DIFFERENCES
from refute.ports import Ports
from refute.sandbox.job import Job
from refute.sandbox.surroundings import FIRST
from refute.stages.jobs import outline_of, site_of
from refute.stages.strength import side_by_side
from refute.ticket.record import Snapshot, Ticket

LIMIT_S: Final = 60.0
_SEEDS: Final = ("0", "4711")
"""What an answer must not hang on."""
_PLAN: Final = "calls.json"
_RECORDER: Final = "recorder.py"


def compare_versions(ports: Ports, ticket: Ticket, snapshot: Snapshot, brief: Brief) -> tuple[Compared, ...]:
    """What both versions answer to the same inputs; nothing where the ticket names no version before.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    ways = ways_of(brief) if ports.earlier(ticket, snapshot) else ()
    if not ways:
        return ()
    job = _job(ports, ticket, ways)
    jobs = [
        replace(job, workspace=ports.workspace_before(ticket, snapshot)),
        replace(job, workspace=ports.workspace(snapshot)),
    ]
    ran = ports.stages.cached(DIFFERENCES, ports.result_key(jobs), lambda: _answers(ports, ways, jobs))
    return tuple(Compared(way=way, before=then, now=now) for way, then, now in zip(ways, *ran.record, strict=True))


def _answers(ports: Ports, ways: tuple[Way, ...], jobs: list[Job]) -> tuple[Answers, Answers]:
    then, now = (_recorded(ways, result.collected) for result in side_by_side(ports, jobs))
    return then, now


def _recorded(ways: tuple[Way, ...], collected: Mapping[str, bytes]) -> Answers:
    return read_answers(ways, [collected.get(f"{seed}.json", b"") for seed in _SEEDS])


def _job(ports: Ports, ticket: Ticket, ways: tuple[Way, ...]) -> Job:
    """Records the answers of whatever version its workspace holds, once for each hash seed."""
    tests = FIRST.tests
    roots = [posixpath.normpath(posixpath.join(FIRST.workspace, root)) for root in ticket.import_roots]
    roots += filter(None, [site_of(ports, ticket)])
    recorder = resources.files("refute.adversary.property").joinpath(_RECORDER).read_bytes()
    program = shlex.join(["python3", "-B", f"{tests}/{_RECORDER}", f"{tests}/{_PLAN}"])
    runs = [f"PYTHONHASHSEED={seed} {program} {tests}/{seed}.json" for seed in _SEEDS]
    job = replace(
        outline_of(ports, ticket, DIFFERENCES.name, driver_limits(ports.settings, suite_timeout_s=LIMIT_S)),
        command=("bash", "-c", "\n".join(runs)),
        attack_files={_PLAN: plan_of(ways, roots), _RECORDER: recorder},
        collect=tuple(f"{seed}.json" for seed in _SEEDS),
    )
    return ports.with_network(job)
