"""One behaviour in one container, what came of it, and whether host and next job are as they were."""

import time
import uuid
from dataclasses import dataclass

from refute.sandbox.decoys import DECOYS
from refute.sandbox.job import Exited, Job, JobResult, Limits, Sandbox
from tests.fakes.jobs import tar_of
from tests.hostile.behaviour import PRELUDE, Behaviour
from tests.hostile.host import Host
from tests.hostile.known_differences import difference
from tests.hostile.stage import runtime

NEXT = f"""\
found=$(find /workspace /tmp /dev/shm /home -type f)
test "$(wc -l <<< "$found")" = {len(DECOYS) + 1} || echo "$found"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of a behaviour."""

    observed: str
    faults: list[str]
    """Of the program's own end, of the host, of the next job; empty where it was contained."""


def try_behaviour(behaviour: Behaviour, *, sandbox: Sandbox, host: Host, image_id: str) -> Trial:
    """Run a behaviour, then an ordinary job; look at the host after both.

    On a runtime with a known difference only host and next job are judged.
    """
    began = time.time()
    hostile = hostile_job(behaviour, host, image_id)
    result = sandbox.run(hostile)
    following = next_job(image_id)
    after = sandbox.run(following)
    faults = [] if difference(runtime(), behaviour.name) else behaviour.faults(result)
    faults += [f"host: {fault}" for fault in host.faults(hostile.run_id, began=began)]
    faults += [f"next job: {fault}" for fault in _next_faults(after)]
    return Trial(observed=behaviour.observed(result), faults=faults)


def hostile_job(behaviour: Behaviour, host: Host, image_id: str) -> Job:
    """The job that runs a behaviour."""
    program = PRELUDE + behaviour.python if behaviour.python else behaviour.bash
    command = ("python3", "-c", program) if behaviour.python else ("bash", "-c", program)
    return Job(
        name="hostile",
        run_id=f"hostile-{uuid.uuid4().hex}",
        ticket_id=behaviour.name,
        image_id=image_id,
        command=command,
        workspace=tar_of({"a.py": b"A = 1\n"}),
        attack_files={"plan.json": b"{}"} if "/attack" in program else {},
        environment=host.environment(),
        collect=("results.json", "plan.json") if behaviour.collects is not None else (),
        limits=Limits(**{"timeout_s": 60, **behaviour.limits}),
    )


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


def _next_faults(result: JobResult) -> list[str]:
    if result.end == Exited(code=0) and not result.stdout and result.changed_paths == () == result.decoys_touched:
        return []
    return [f"{result.end}, {result.stdout[:400]!r}, {result.stderr[-400:]!r}, {result.changed_paths}"]
