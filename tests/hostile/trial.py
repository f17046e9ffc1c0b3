"""Behaviours in containers, what came of them, and whether host and next job are as they were."""

import json
import time
import uuid
from dataclasses import dataclass, field, replace

from refute.errors import EngineDied, SandboxFailed
from refute.sandbox.canary_files import CANARY_FILES
from refute.sandbox.job import Exited, Job, JobResult, Limits, Sandbox
from tests.fakes.counted_by_user import counted_by_user
from tests.fakes.jobs import tar_of
from tests.hostile.behaviour import PRELUDE, Behaviour
from tests.hostile.block import Block
from tests.hostile.host import Host
from tests.hostile.known_differences import difference
from tests.hostile.stage import bring_back, runtime

NEXT = f"""\
found=$(find /workspace /tmp /dev/shm /home -type f)
test "$(wc -l <<< "$found")" = {len(CANARY_FILES) + 1} || echo "$found"
test "$(cat a.py)" = "A = 1" || echo changed
test "$(ls -d /proc/[0-9]* | wc -l)" -le 5 || ps
python3 -c '
import os, ctypes, threading
os.openpty()
assert ctypes.CDLL(None).inotify_init() >= 0
threads = [threading.Thread(target=len, args=("",)) for _ in range(30)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert sum(bytearray(30 << 20)) == 0
open("/tmp/x", "wb").write(bytes(1 << 20))
'
"""
"""An ordinary job: it says something only where it finds traces, and fails where it lacks something."""
ONE_AFTER_ANOTHER = """\
import json, os, subprocess
programs = json.load(open("programs.json"))
os.unlink("programs.json")
said = {}
for name, words in programs.items():
    ran = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)
    code = ran.returncode if ran.returncode >= 0 else 128 - ran.returncode
    said[name] = [code, ran.stdout, ran.stderr[-600:]]
print(json.dumps(said))
"""
"""Runs the behaviours of a shared container: name → exit code and both outputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of a behaviour."""

    observed: str
    faults: list[str]
    """Of the program's own end, of the host, of the next job; empty where it was contained."""
    differs: list[str] = field(default_factory=list)
    """What of the program's own end is as expected of this runtime alone, and no fault."""


def try_block(block: Block, *, sandbox: Sandbox, host: Host, image_id: str) -> dict[str, Trial]:
    """Run a block's behaviours, looking at the host after each container, and then an ordinary job.

    Where a difference of the runtime is known, the program's own end is held to that.

    Returns:
        Behaviour → what came of it.
    """
    began = time.time()
    jobs = [shared_job(block, host, image_id)]
    if not block.together:
        jobs = [hostile_job(behaviour, host, image_id) for behaviour in block.behaviours]
    results: list[JobResult | SandboxFailed | EngineDied] = []
    harm: list[str] = []
    for job in jobs:
        exhausts = [each.exhausts_user for each in block.behaviours if block.together or each.name == job.ticket_id]
        with counted_by_user(taken_whole=any(exhausts)):
            results.append(_run(sandbox, job))
        harm += [f"host, after {job.ticket_id}: {fault}" for fault in host.touched()]
    with counted_by_user(taken_whole=False):
        after = sandbox.run(next_job(image_id))
    harm += [f"next job: {fault}" for fault in _next_faults(after)]
    harm += [f"host: {fault}" for fault in host.left_behind([job.run_id for job in jobs], began=began)]
    shared = results[0]
    each = apart(shared, block) if block.together and isinstance(shared, JobResult) else results
    return {
        behaviour.name: _trial(behaviour, result, harm)
        for behaviour, result in zip(block.behaviours, each, strict=True)
    }


def hostile_job(behaviour: Behaviour, host: Host, image_id: str) -> Job:
    """The job that runs a behaviour."""
    command = argv(behaviour)
    return Job(
        name="hostile",
        run_id=f"hostile-{uuid.uuid4().hex}",
        ticket_id=behaviour.name,
        image_id=image_id,
        command=command,
        workspace=tar_of({"a.py": b"A = 1\n"}),
        attack_files={"plan.json": b"{}"} if "/attack" in command[-1] else {},
        environment=host.environment(),
        collect=("results.json", "plan.json") if behaviour.collects is not None else (),
        limits=Limits(**{"timeout_s": 60, **behaviour.limits}),
    )


def shared_job(block: Block, host: Host, image_id: str) -> Job:
    """The job that runs a block's behaviours in one container, each as a process of its own."""
    programs = {behaviour.name: argv(behaviour) for behaviour in block.behaviours}
    return Job(
        name="hostile",
        run_id=f"hostile-{uuid.uuid4().hex}",
        ticket_id=f"shared-{block.name}",
        image_id=image_id,
        command=("python3", "-I", "-c", ONE_AFTER_ANOTHER),
        workspace=tar_of({"a.py": b"A = 1\n", "programs.json": json.dumps(programs).encode()}),
        environment=host.environment(),
        limits=Limits(timeout_s=240),
    )


def apart(shared: JobResult, block: Block) -> list[JobResult]:
    """What came of each behaviour of a shared container, as if it had had one of its own.

    A program that ended the whole container, or that prints where the others' answers are, fails all.
    """
    nothing = replace(
        shared, stdout="", stderr=f"its container said {shared.stdout[-200:]!r}, {shared.stderr[-400:]!r}"
    )
    if shared.end != Exited(code=0):
        return [nothing] * len(block.behaviours)
    said = [json.loads(shared.stdout)[behaviour.name] for behaviour in block.behaviours]
    return [replace(shared, end=Exited(code=code), stdout=out, stderr=err) for code, out, err in said]


def argv(behaviour: Behaviour) -> tuple[str, ...]:
    """The command that is the behaviour's program."""
    if behaviour.python:
        return ("python3", "-c", PRELUDE + behaviour.python)
    return ("bash", "-c", behaviour.bash)


def next_job(image_id: str) -> Job:
    """An ordinary job that looks for traces of the one before."""
    return Job(
        name="next",
        run_id=f"next-{uuid.uuid4().hex}",
        ticket_id="next",
        image_id=image_id,
        command=("bash", "-ec", NEXT),
        workspace=tar_of({"a.py": b"A = 1\n"}),
        limits=Limits(timeout_s=120),
    )


def _run(sandbox: Sandbox, job: Job) -> JobResult | SandboxFailed | EngineDied:
    """The job's result; where its runtime is known to end in its place, also that there was none."""
    try:
        return sandbox.run(job)
    except (SandboxFailed, EngineDied) as error:
        known = difference(runtime(), job.ticket_id)
        if known is None or not known.may_have_no_verdict:
            raise
        if isinstance(error, EngineDied):
            bring_back()
        return error


def _trial(behaviour: Behaviour, result: JobResult | SandboxFailed | EngineDied, harm: list[str]) -> Trial:
    if isinstance(result, EngineDied):
        return Trial(observed="no verdict: the engine stopped answering", faults=harm, differs=[result.message])
    if isinstance(result, SandboxFailed):
        return Trial(observed="no verdict: gVisor itself ended", faults=harm, differs=[result.message])
    own = behaviour.faults(result)
    observed = behaviour.observed(result)
    known = difference(runtime(), behaviour.name)
    if known is None or not own:
        return Trial(observed=observed, faults=own + harm)
    return Trial(observed=observed, faults=known.expected(behaviour).faults(result) + harm, differs=own)


def _next_faults(result: JobResult) -> list[str]:
    if result.end == Exited(code=0) and not result.stdout and result.changed_paths == () == result.canary_files_touched:
        return []
    return [f"{result.end}, {result.stdout[:400]!r}, {result.stderr[-400:]!r}, {result.changed_paths}"]
