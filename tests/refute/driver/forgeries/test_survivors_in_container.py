"""Processes that want to outlive the driver, to write its results anew between its end and the look at them."""

import pytest

from tests.refute.driver.test_in_container import Attack, attack  # noqa: F401  # fixture

pytestmark = pytest.mark.engine

FORGER = '''
import ctypes
import json
import os
import threading
import time


def forge():
    """Waits for the results, and makes every test one that passed."""
    while True:
        try:
            with open("/attack/results.json", "rb") as file:
                told = json.loads(file.read())
        except (OSError, ValueError):
            time.sleep(0.0005)
            continue
        for report in told["first"]:
            report.update(end="passed", attested=True, error_type="", error_message="", traceback="", notes=[])
            report.update(raised_in_implementation=False, raised_on_purpose=False, not_carried="")
        told.update(repetitions=[[] for _ in told["repetitions"]], tampering=[], timed_out=False)
        with open("/attack/results.json", "wb") as file:
            file.write(json.dumps(told).encode())
        return


def leaderless():
    """The first thread ends, so that the process is shown as a zombie; the forger goes on."""
    threading.Thread(target=forge).start()
    ctypes.CDLL(None).syscall(60, 0)


def leaderless_child():
    """The same in an orphan in a session of its own, while this process answers as if nothing were."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            leaderless()
        os._exit(0)
    return 0


def hopping():
    """Forks and ends all the time, so that who looks at processes one by one finds none of them alive."""
    libc = ctypes.CDLL(None)
    if os.fork() == 0:
        os.setsid()
        libc.signal(17, 1)
        before = time.monotonic()
        while time.monotonic() - before < 20:
            if os.path.exists("/attack/results.json"):
                forge()
                os._exit(0)
            for _ in range(20):
                if libc.fork():
                    libc._exit(0)
        os._exit(0)
    time.sleep(0.2)
    return 0


def value():
    return 0
'''


def test_no_process_is_left_to_rewrite_the_results(attack: Attack) -> None:  # noqa: F811
    names = ["leaderless_child", "hopping", "leaderless"]
    tests = "import impl\n" + "".join(
        f"def test_{name}():\n    impl.{name}()\n    assert impl.value() == 5\n" for name in names
    )
    run = attack(FORGER, tests, *(f"test_{name}" for name in names), test_timeout_s=3, repetitions=1)
    assert [test.name for test in run.first if test.end == "passed"] == []
    assert [len(again) for again in run.repetitions] == [3]
