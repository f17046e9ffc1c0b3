"""What many jobs and killed harnesses leave behind, and what a flood costs the client."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.endurance import Leftovers, await_none, kill_harnesses, run_jobs
from refute.sandbox.connection import EngineClient, connect

pytestmark = pytest.mark.engine

NOTHING = Leftovers(containers=0, volumes=0, processes=0)
REPOSITORY = Path(__file__).resolve().parents[2]
FLOODED = """
    import resource, sys
    from refute.sandbox.engine import DockerSandbox
    from tests.fakes.jobs import bash_job

    def peak_mib():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    with DockerSandbox() as sandbox:
        sandbox.run(bash_job("true", image_id=sys.argv[1]))
        before = peak_mib()
        result = sandbox.run(bash_job(sys.argv[2], image_id=sys.argv[1], limits={"timeout_s": 300}))
        print(type(result.end).__name__, len(result.stdout) >> 20, len(result.stderr) >> 20, peak_mib() - before)
"""


@pytest.fixture
def client() -> Iterator[EngineClient]:
    made = connect()
    yield made
    made.close()


def test_nothing_is_left_of_forty_jobs(client: EngineClient, image_id: str) -> None:
    """`make endurance` does a thousand."""
    assert await_none(client, run_jobs(image_id, 40), within_s=300) == NOTHING


def test_nothing_is_left_of_twenty_harnesses_killed_at_random_moments(client: EngineClient, image_id: str) -> None:
    assert await_none(client, kill_harnesses(image_id, 20), within_s=300) == NOTHING


@pytest.mark.parametrize(
    "flood",
    [
        "head -c 10G /dev/zero & head -c 10G /dev/zero >&2; wait",
        "for i in $(seq 40); do truncate -s 250M sparse$i ~/sparse$i; done; yes",
        "python3 -c 'import os\nfor i in range(45000): os.mknod(\"n\" * 200 + str(i))'; yes",
    ],
    ids=["10 GB of output", "20 GB of sparse files", "45,000 files with long names"],
)
def test_a_flood_leaves_the_client_s_memory_flat(image_id: str, flood: str) -> None:
    command = [sys.executable, "-c", textwrap.dedent(FLOODED), image_id, flood]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    end, stdout_mib, stderr_mib, grown_mib = done.stdout.split()
    assert end == "LimitReached"
    assert int(stdout_mib) + int(stderr_mib) <= 20
    # Twice 10 MiB of bytes, once more as text of up to four bytes for each.
    assert int(grown_mib) < 160
