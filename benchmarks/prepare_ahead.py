"""What preparing a container ahead saves: the same job on demand and prepared, alternating in one run.

    python benchmarks/prepare_ahead.py [rounds]

Writes nothing; the table that it prints stands in docs/adr/0010-prepare-ahead.md.
"""

import statistics
import sys
import time
from collections.abc import Callable

import docker

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import build_image
from refute.sandbox.job import Job, JobResult, Limits
from refute.sandbox.tree import pack_files

FILES = {f"module_{number}.py": b"VALUE = 1\n" for number in range(20)}
AHEAD_S = 0.6
"""Less than a person reads, about what writing and screening tests takes on this machine."""


def main(rounds: int) -> None:
    """Measure and print a Markdown table; medians in ms."""
    image = build_image(docker.from_env(), progress=lambda _: None)
    ways: dict[str, list[float]] = {"on demand": [], "prepared": []}
    with DockerSandbox() as sandbox:
        sandbox.run(_job(image.id))
        for _ in range(rounds):
            ways["on demand"].append(_timed(lambda: sandbox.run(_job(image.id))))
            time.sleep(AHEAD_S)
            sandbox.prepare(_job(image.id))
            time.sleep(AHEAD_S)
            ways["prepared"].append(_timed(lambda: sandbox.run(_job(image.id))))
            time.sleep(AHEAD_S)
    print("| a job of 20 files, `true` | median | minimum |\n|---|---|---|")
    for way, times in ways.items():
        print(f"| {way} | {statistics.median(times) * 1000:.0f} | {min(times) * 1000:.0f} |")
    print(f"\nratio of medians {statistics.median(ways['prepared']) / statistics.median(ways['on demand']):.2f}")


def _job(image_id: str) -> Job:
    return Job(
        name="bench",
        run_id="bench",
        ticket_id="bench",
        image_id=image_id,
        command=("true",),
        workspace=pack_files(FILES),
        limits=Limits(timeout_s=60),
    )


def _timed(run: Callable[[], JobResult]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
