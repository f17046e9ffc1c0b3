"""What runs came to, as a container would have said it."""

from typing import Any

from refute.adversary.attack import TestEnd, TestRun
from refute.adversary.contract import PLAN
from refute.caching.kind import AttackRecord
from refute.sandbox.job import Exited, Job, JobResult
from tests.fakes.jobs import bash_job
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


def attacked(*first: TestRun, again: tuple[tuple[TestRun, ...], ...] = (), **more: Any) -> AttackRecord:
    """An attack of these tests."""
    run = make_attack_run([*first] or [PASSED], *again, **more)
    return AttackRecord(result=ended(), run=run)
