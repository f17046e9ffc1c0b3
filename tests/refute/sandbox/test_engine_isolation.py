"""What is in effect inside a container of the real engine alone; what is on any is in tests/conformance."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, Job

pytestmark = [pytest.mark.engine]

PROBES = Path(__file__).parent / "probes"
OF_THE_C_LIBRARY = {32, 33}  # nptl(7): no program can set them but by a system call of its own, so `env` cannot either


def ignored(status: dict[str, str]) -> set[int]:
    """The signals that a process ignores, of those that programs can set: SigIgn of /proc/PID/status, proc(5)."""
    mask = int(status["SigIgn"].strip(), 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1} - OF_THE_C_LIBRARY


@pytest.fixture(scope="module")
def inside(sandbox: DockerSandbox, make_job: Callable[..., Job]) -> dict[str, Any]:
    """The report of one probe."""
    result = sandbox.run(make_job("python3 inside.py", files={"inside.py": (PROBES / "inside.py").read_bytes()}))
    assert result.end == Exited(code=0), result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def test_no_privileges_can_be_gained_and_calls_are_filtered(inside: dict[str, Any]) -> None:
    assert inside["status"]["NoNewPrivs"] == "1"
    assert inside["status"]["Seccomp"] == "2"


def test_pid_1_is_another_user_s_and_reaps_by_ignoring(inside: dict[str, Any]) -> None:
    assert "Uid:\t65531\t65531\t65531\t65531" in inside["keeper"]
    assert ignored(dict(line.split(":\t", 1) for line in inside["keeper"].splitlines())) == {signal.SIGCHLD}


def test_signals_that_the_engine_was_started_with_ignored_are_heard_inside(inside: dict[str, Any]) -> None:
    assert ignored(inside["status"]) == {signal.SIGPIPE, signal.SIGXFSZ}  # by Python itself


def test_facts_about_the_host_are_masked(inside: dict[str, Any]) -> None:
    assert set(inside["masked"].values()) == {0}
    assert inside["sys_kernel"] == []
