"""The driver where it really runs: in the hardened container, under its limits, as an unprivileged user."""

from collections.abc import Callable
from dataclasses import replace
from textwrap import dedent

import pytest

from refute.adversary.attack import AttackRun, TestEnd
from refute.adversary.suite import attack_job, attack_limits, read_attack_run
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited
from refute.settings import Settings
from tests.fakes.jobs import bash_job, tar_of
from tests.refute.adversary.conftest import make_attack, make_brief, make_outline, make_test

pytestmark = pytest.mark.engine

Attack = Callable[..., AttackRun]


@pytest.fixture
def attack(sandbox: DockerSandbox, image_id: str) -> Attack:
    """`attack(implementation, tests, *names)` → the run of these tests in a container."""

    def run(implementation: str, tests: str, *names: str, **settings: float) -> AttackRun:
        told = Settings.load(**({"repetitions": 1, "test_timeout_s": 10} | settings))
        attack = make_attack(dedent(tests), [make_test(name) for name in names])
        outline = make_outline(image_id, tar_of({"impl.py": dedent(implementation).encode()}))
        outline = replace(outline, limits=attack_limits(told))
        job = attack_job(outline, make_brief().ticket, attack, told)
        return read_attack_run(job, sandbox.run(job))

    return run


def ends(run: AttackRun) -> dict[str, TestEnd]:
    return {test.name: test.end for test in run.first}


GREEDY = """
    import os

    def allocate():
        return bytearray(10**10)

    def fork():
        while True:
            try:
                os.fork()
            except OSError:
                pass

    def fill():
        with open("big", "wb") as file:
            while True:
                file.write(bytes(10**7))

    def flood():
        while True:
            print("x" * 10_000)

    def fine():
        return 1
"""


def test_s140_a_test_that_hits_a_limit_takes_no_other_test_with_it(attack: Attack) -> None:
    names = ["allocate", "fork", "fill", "flood", "fine"]
    tests = "import impl\n" + "".join(f"def test_{name}():\n    assert impl.{name}() == 1\n" for name in names)
    run = attack(GREEDY, tests, *(f"test_{name}" for name in names), test_timeout_s=2)
    assert run.tampering == ()
    assert ends(run) == {
        "test_allocate": TestEnd.FAILED,
        "test_fork": TestEnd.TIMED_OUT,
        "test_fill": TestEnd.FAILED,
        "test_flood": TestEnd.TIMED_OUT,
        "test_fine": TestEnd.PASSED,
    }
    by_name = {test.name: test for test in run.first}
    assert by_name["test_allocate"].error_type == "MemoryError"
    assert by_name["test_fill"].error_type == "OSError"
    assert [len(again) for again in run.repetitions] == [4]


def test_s055_an_endless_suite_ends_at_its_limit_and_names_the_test(attack: Attack) -> None:
    tests = "import impl\ndef test_quick():\n    assert impl.one() == 1\ndef test_endless():\n    impl.wait()\n"
    tests += "def test_never():\n    assert True\n"
    implementation = "import time\ndef one():\n    return 1\ndef wait():\n    time.sleep(600)\n"
    names = ("test_quick", "test_endless", "test_never")
    run = attack(implementation, tests, *names, attack_timeout_s=15, test_timeout_s=60)
    assert run.timed_out
    assert run.tampering == ()
    assert ends(run)["test_quick"] is TestEnd.PASSED
    assert "was running" in run.first[1].error_message
    assert run.first[2].error_message.startswith("not run")


WITHOUT_SUBREAPERS = """
    import os, subprocess, sys
    sys.path.insert(0, "/opt")
    from refute.driver import processes

    processes.adopts_orphans = lambda: False  # as under gVisor
    processes.protect_supervisor()
    subprocess.run(["bash", "-c", "setsid sleep 600 & setsid bash -c 'while :; do (exit); done' & exit"], check=True)
    assert len(processes.descendants(1)) > 1, "no orphans"
    assert processes.kill_descendants()
    print({*processes.descendants(1)} - {os.getpid()})
"""


def test_where_orphans_go_to_pid_1_none_of_them_is_left_either(sandbox: DockerSandbox, image_id: str) -> None:
    files = {"orphans.py": dedent(WITHOUT_SUBREAPERS).encode()}
    result = sandbox.run(bash_job("python3 orphans.py", image_id=image_id, files=files))
    assert (result.end, result.stdout) == (Exited(code=0), "set()\n"), result.stderr
