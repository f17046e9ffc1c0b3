"""What many jobs, and harnesses killed at random moments, leave on the engine: nothing.

    make endurance        (python -m benchmarks.endurance [jobs] [kills])

Prints a Markdown table; that of 23 November 2026 stands in docs/adr/0004-sandbox.md. tests/hostile runs a smaller size.
"""

import random
import resource
import subprocess
import sys
import textwrap
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import docker

from refute.errors import InfrastructureError
from refute.sandbox.connection import EngineClient, connect
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import build_image
from refute.sandbox.job import Job, Limits
from refute.sandbox.reaper import reap
from refute.sandbox.tree import pack_files

REPOSITORY = Path(__file__).resolve().parents[1]
AT_ONCE = 4
MARK = "REFUTE_ENDURANCE"
"""In the environment of every process of a job: its run."""
KILL_SEED = 20261122
KILLED_WITHIN_S = 2.5
"""A harness is killed at a moment up to this long after its first container was asked for."""
HARNESS = """
    import sys
    from refute.sandbox import profile, reaper
    profile.EXPIRY_MARGIN_S = reaper.EXPIRY_MARGIN_S = 1
    from benchmarks.endurance import job
    from refute.sandbox.engine import DockerSandbox
    sandbox = DockerSandbox()
    sandbox.facts()
    print("ready", flush=True)
    while True:
        sandbox.run(job(sys.argv[1], sys.argv[2], "sleep 0.1; rm -rf ~; yes | head -c 100000", timeout_s=2))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftovers:
    """What is on the engine and the machine of one run."""

    containers: int
    volumes: int
    processes: int

    @property
    def none(self) -> bool:
        """Whether nothing is left."""
        return not (self.containers or self.volumes or self.processes)


def job(image_id: str, run_id: str, script: str = "true", *, timeout_s: float = 60) -> Job:
    """A job of 20 files."""
    return Job(
        name="endurance",
        run_id=run_id,
        ticket_id="endurance",
        image_id=image_id,
        command=("bash", "-c", script),
        workspace=pack_files({f"module_{number}.py": b"VALUE = 1\n" for number in range(20)}),
        limits=Limits(timeout_s=timeout_s),
        environment={MARK: run_id},
    )


def run_jobs(image_id: str, count: int) -> str:
    """Run jobs, some at once, and wait until their containers are gone: their run's id."""
    run_id = f"endurance-{uuid.uuid4().hex}"
    scripts = ("true", "exit 3", "(setsid sleep 600 >/dev/null 2>&1 &); true", "touch new; mkfifo fifo")
    with DockerSandbox() as sandbox, ThreadPoolExecutor(AT_ONCE) as threads:
        for result in threads.map(
            lambda number: sandbox.run(job(image_id, run_id, scripts[number % len(scripts)])), range(count)
        ):
            assert not result.canary_files_touched
    return run_id


def kill_harnesses(image_id: str, count: int) -> str:
    """Start harnesses that run job after job, and kill each at a random moment: their run's id."""
    run_id = f"killed-{uuid.uuid4().hex}"
    moments = random.Random(KILL_SEED)  # noqa: S311  # moments, no secrets
    delays = [moments.uniform(0, KILLED_WITHIN_S) for _ in range(count)]

    def kill_after(delay_s: float) -> None:
        command = [sys.executable, "-c", textwrap.dedent(HARNESS), image_id, run_id]
        with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as harness:  # noqa: S603  # our own program
            assert harness.stdout is not None
            assert harness.stdout.readline() == b"ready\n"
            time.sleep(delay_s)
            harness.kill()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(kill_after, delays))
    return run_id


def leftovers(client: EngineClient, run_id: str) -> Leftovers:
    """What of a run is left; processes by the environment that every one of them was started with."""
    filters = {"label": f"refute.run={run_id}"}
    found = client.containers(all=True, filters=filters)
    return Leftovers(
        containers=len(found),
        volumes=len(client.volumes(filters=filters)["Volumes"] or []),
        processes=sum(_belongs(environ, run_id) for environ in Path("/proc").glob("[0-9]*/environ")),
    )


def await_none(client: EngineClient, run_id: str, *, within_s: float) -> Leftovers:
    """What is left of a run once the sweep has been, and at the latest once its containers' deadlines have passed."""
    deadline = time.monotonic() + within_s
    while not (left := leftovers(client, run_id)).none and time.monotonic() < deadline:
        try:
            reap(client)
        except InfrastructureError:
            continue  # something that it listed went away meanwhile
        time.sleep(0.3)
    return left


def _belongs(environ: Path, run_id: str) -> bool:
    try:
        return f"{MARK}={run_id}".encode() in environ.read_bytes()
    except OSError:
        return False


def main(jobs: int, kills: int) -> None:
    """Run both and print what was left."""
    image_id = build_image(docker.from_env(timeout=600), progress=lambda _: None).id
    client = connect()
    print("| | containers | volumes | processes | seconds | client's peak, MiB |\n|---|---|---|---|---|---|")
    for name, count, run in (("jobs", jobs, run_jobs), ("kills", kills, kill_harnesses)):
        began = time.monotonic()
        left = await_none(client, run(image_id, count), within_s=120)
        took_s = time.monotonic() - began
        peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        counts = f"{left.containers} | {left.volumes} | {left.processes}"
        print(f"| {count} {name} | {counts} | {took_s:.0f} | {peak_mib:.0f} |", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [1_000, 20][len(numbers) :]))
