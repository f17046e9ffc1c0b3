"""What an implementation does to be reported as passing. None of it may look like an honest pass."""

import pytest

from tests.refute.driver.conftest import Drive

pytestmark = pytest.mark.slow

TESTS = """
import impl

def test_a():
    assert impl.f(1) == 2

def test_b():
    assert impl.f(2) == 3
"""
WRONG = "\ndef f(x):\n    return 0\n"
PATCHES = {
    "the call info": """
import _pytest.runner as runner
honest = runner.CallInfo.from_call
def forged(func, when, reraise=None):
    info = honest(func, when, reraise)
    info.excinfo = None
    return info
runner.CallInfo.from_call = staticmethod(forged)
""",
    "the calling hook": "import _pytest.python as p\np.pytest_pyfunc_call.__code__ = (lambda pyfuncitem: 1).__code__\n",
    "runtest": "import _pytest.python as p\np.Function.runtest = lambda self: None\n",
}
"""What else reaches for pytest, the results and the runner stands in tests/hostile/catalogue/deceptions.py."""


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES)
def test_patching_pytest_in_the_implementations_process_changes_nothing(drive: Drive, patch: str) -> None:
    results = drive(patch + WRONG, TESTS, ["test_a"])
    assert not results["tampering"]
    assert results["first"][0]["error_type"] == "AssertionError"


def test_killing_the_supervisor_leaves_no_results_to_trust(drive: Drive) -> None:
    implementation = """
        import os
        import signal
        from pathlib import Path
        def f(x):
            above = os.getppid()
            while above > 1 and b"/plan.json" not in Path(f"/proc/{above}/cmdline").read_bytes():
                above = int(Path(f"/proc/{above}/stat").read_text().rpartition(")")[2].split()[1])
            if above > 1:  # once it is gone, none is there
                os.kill(above, signal.SIGKILL)
    """
    results = drive(implementation, TESTS, ["test_a", "test_b"])
    assert results["exit_code"] != 0


def test_the_plan_and_its_nonce_are_gone_before_anything_submitted_runs(drive: Drive) -> None:
    implementation = (
        "from pathlib import Path\ndef f():\n    return list((Path(__file__).parents[1] / 'attack').iterdir())\n"
    )
    tests = "import impl\ndef test_a(): assert [p.name for p in impl.f()] == ['test_adversarial_x.py']\n"
    assert drive(implementation, tests, ["test_a"])["first"][0]["end"] == "passed"
