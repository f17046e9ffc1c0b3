"""What is in effect inside a container of the real engine alone; what is on any is in tests/conformance."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, Job
from refute.sandbox.profile import BASE_ENVIRONMENT

pytestmark = [pytest.mark.engine]

PROBES = Path(__file__).parent / "probes"
CANARIES = {
    "PYTHONPATH": "/canary",
    "AWS_SECRET_ACCESS_KEY": "canary",
    "GEMINI_API_KEY": "canary",
    "HTTPS_PROXY": "http://canary.invalid:1",
    "no_proxy": "canary",
    "REFUTE_CANARY": "canary",
}
OF_THE_C_LIBRARY = {32, 33}  # nptl(7): no program can set them but by a system call of its own, so `env` cannot either


def ignored(status: dict[str, str]) -> set[int]:
    """The signals that a process ignores, of those that programs can set: SigIgn of /proc/PID/status, proc(5)."""
    mask = int(status["SigIgn"].strip(), 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1} - OF_THE_C_LIBRARY


@pytest.fixture(scope="module")
def inside(
    sandbox: DockerSandbox, make_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The report of one probe, run while this process and its Docker configuration are full of canaries."""
    docker_config = tmp_path_factory.mktemp("docker")
    proxies = {
        "proxies": {"default": {"httpProxy": "http://canary.invalid:1", "httpsProxy": "http://canary.invalid:1"}}
    }
    (docker_config / "config.json").write_text(json.dumps(proxies))
    job = make_job(
        "python3 inside.py",
        files={"inside.py": (PROBES / "inside.py").read_bytes()},
        environment={"PLAN": "/attack/plan.json"},
        attack_files={"plan.json": b"{}"},
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**CANARIES, "DOCKER_CONFIG": str(docker_config)}.items():
            patch.setenv(name, value)
        result = sandbox.run(job)
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


def test_s110_nothing_of_the_host_s_environment_is_inside(inside: dict[str, Any]) -> None:
    by_bash = {"PWD", "SHLVL", "_", "OLDPWD"}
    seen = {name: value for name, value in inside["environment"].items() if name not in by_bash}
    # CPython sets LC_CTYPE itself where it coerces the locale.
    seen.pop("LC_CTYPE", None)
    assert seen == {**BASE_ENVIRONMENT, "PLAN": "/attack/plan.json"}
    assert "canary" not in json.dumps({k: v for k, v in inside["environment"].items() if k != "PLAN"})


def test_limits_of_descriptors_core_and_file_size_hold(inside: dict[str, Any]) -> None:
    assert inside["limits"] == {"NOFILE": [1024] * 2, "CORE": [0] * 2, "FSIZE": [256 * 1024**2] * 2}


def test_facts_about_the_host_are_masked(inside: dict[str, Any]) -> None:
    assert set(inside["masked"].values()) == {0}
    assert inside["sys_kernel"] == []
