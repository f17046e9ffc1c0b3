"""What ordinary programs do must work on any engine and runtime: the other side of every refusal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, Job, JobResult
from tests.fakes.counted_by_user import counted_by_user
from tests.hostile.known_differences import EVERYDAY
from tests.hostile.stage import runtime

pytestmark = [pytest.mark.engine]

PROGRAMS = Path(__file__).parent / "programs"
NAMES = sorted(
    line[4:-1].split("(")[0]
    for line in (PROGRAMS / "everyday.py").read_text().splitlines()
    if line.startswith("def test_")
)


@pytest.fixture(scope="module")
def everyday(sandbox: DockerSandbox, make_job: Callable[..., Job]) -> JobResult:
    """One run of all the programs, in one container."""
    files = {"test_everyday.py": (PROGRAMS / "everyday.py").read_bytes()}
    job = make_job("python3 -m pytest -q -rA test_everyday.py", files=files, limits={"timeout_s": 240})
    with counted_by_user(taken_whole=False):
        return sandbox.run(job)


@pytest.mark.parametrize("name", NAMES)
def test_it_works(everyday: JobResult, name: str) -> None:
    if name in EVERYDAY.get(runtime(), ()):
        assert f"FAILED test_everyday.py::{name}" in everyday.stdout, (
            "it works now: take it off the list of differences"
        )
        return
    assert f"PASSED test_everyday.py::{name}" in everyday.stdout, everyday.stdout[-3_000:]


def test_the_run_as_a_whole_succeeds(everyday: JobResult) -> None:
    assert everyday.end == Exited(code=1 if EVERYDAY.get(runtime()) else 0), everyday.stdout[-3_000:]
