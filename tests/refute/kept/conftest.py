"""What runs came to, as a container would have said it."""

from pathlib import Path
from typing import Any

import pytest

from refute.adversary.attack import TestEnd, TestRun
from refute.adversary.contract import PLAN
from refute.file_store.folder import LOCK
from refute.kept.runs import KeptAttack, KeptRuns
from refute.sandbox.connection import EngineFacts
from refute.sandbox.job import Exited, Job, JobResult
from refute.settings import Settings
from tests.fakes.jobs import FACTS, bash_job
from tests.refute.adversary.conftest import make_attack_run, make_run

PASSED = make_run("test_a", TestEnd.PASSED, attested=True)
FAILED = make_run("test_b", TestEnd.FAILED, error_type="AssertionError", error_message="<A at 0x7f01> is not 2")


def job(**more: Any) -> Job:
    """A job with an attack whose plan has this run's nonce."""
    files = {PLAN: b'{"nonce": "1", "tests": ["test_a"]}', "test_x.py": b"A = 1"}
    return bash_job("true", **{"attack_files": files, "collect": ("results.json",), **more})


def ended(**more: Any) -> JobResult:
    """A job that came to its end."""
    return JobResult(
        **{"end": Exited(code=0), "stdout": "ok\n", "stderr": "", "duration_s": 3.5, "overhead_s": 0.2, **more}
    )


def attacked(*first: TestRun, again: tuple[tuple[TestRun, ...], ...] = (), **more: Any) -> KeptAttack:
    """An attack of these tests."""
    run = make_attack_run([*first] or [PASSED], *again, **more)
    return KeptAttack(result=ended(), run=run)


class Shelf:
    """A state directory with kept runs, seen by one run after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warnings: list[str] = []
        self.facts = FACTS
        self.asked = 0

    def run(self, run_id: str = "run-2", **options: Any) -> KeptRuns:
        """What a run with these settings sees."""
        settings = Settings.load(state_dir=self.folder / "state", **options)
        return KeptRuns(settings, run_id, facts=self._facts, warn=self.warnings.append)

    def files(self) -> list[Path]:
        """All that is kept, and what is beside it but for the sweeper's lock."""
        return sorted(path for path in (self.folder / "state" / "runs-kept").glob("*") if path.name != LOCK)

    def _facts(self) -> EngineFacts:
        self.asked += 1
        return self.facts


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Nothing is kept yet."""
    return Shelf(tmp_path)
