"""What an implementation does to be reported as passing. None of it may look like an honest pass."""

from typing import Any

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
FORGERIES = {
    "leaves at import": "import os\nos._exit(0)" + WRONG,
    "exits at import": "import sys\nsys.exit(0)" + WRONG,
    "leaves in a call": "import os\ndef f(x):\n    os._exit(0)\n",
    "patches reports": """
import _pytest.reports as reports
honest = reports.TestReport.from_item_and_call
def forged(item, call):
    report = honest(item, call)
    report.outcome, report.longrepr = "passed", None
    return report
reports.TestReport.from_item_and_call = staticmethod(forged)
"""
    + WRONG,
    "patches runtest": "import _pytest.python as p\np.Function.runtest = lambda self: None\n" + WRONG,
    "patches the call info": """
import _pytest.runner as runner
honest = runner.CallInfo.from_call
def forged(func, when, reraise=None):
    info = honest(func, when, reraise)
    info.excinfo = None
    return info
runner.CallInfo.from_call = staticmethod(forged)
"""
    + WRONG,
    "patches the calling hook": """
import _pytest.python as p
p.pytest_pyfunc_call.__code__ = (lambda pyfuncitem: True).__code__
"""
    + WRONG,
    "skips": "import pytest\ndef f(x):\n    pytest.skip('later')\n",
    "skips like unittest": "import unittest\ndef f(x):\n    raise unittest.SkipTest('later')\n",
    "ends the session": "import pytest\ndef f(x):\n    pytest.exit('done', 0)\n",
    "writes to every descriptor": """
import json
import os
for descriptor in range(3, 60):
    try:
        os.write(descriptor, json.dumps({"key": "", "event": "done"}).encode() + b"\\n")
    except OSError:
        pass
"""
    + WRONG,
    "closes every descriptor": "import os\nimport time\ndef f(x):\n    os.closerange(3, 100)\n    time.sleep(1)\n",
    "prints a pass": "def f(x):\n    print('2 passed in 0.01s')\n    return 0\n",
    "runs tests twice": "import os\ndef f(x):\n    os.fork()\n    return 0\n",
    "rewrites results at exit": """
import atexit
import json
from pathlib import Path
attack = Path(__file__).parents[1] / "attack"
def forge():
    (attack / "results.json").write_text(json.dumps({"first": []}))
atexit.register(forge)
"""
    + WRONG,
}


def looks_like_a_pass(results: dict[str, Any]) -> bool:
    honest = results["exit_code"] == 0 and not results.get("tampering")
    return honest and any(report["end"] == "passed" for report in results["first"])


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_no_forgery_looks_like_an_honest_pass(drive: Drive, forgery: str) -> None:
    assert not looks_like_a_pass(drive(forgery, TESTS, ["test_a", "test_b"], test_timeout_s=10))


@pytest.mark.parametrize("name", ["patches reports", "patches the call info"])
def test_patching_pytest_in_the_implementations_process_changes_nothing(drive: Drive, name: str) -> None:
    results = drive(FORGERIES[name], TESTS, ["test_a"])
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
