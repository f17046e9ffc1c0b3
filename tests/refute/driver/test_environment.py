"""What a worker's environment holds: nothing of the job's own but the way to hosts that a person allowed."""

import pytest

from refute.driver.plan import VERSION, Plan
from refute.driver.supervisor import environment


def plan() -> Plan:
    fields = {"attack_dir": "/attack", "test_file": "test_a.py", "results_file": "r.json", "workspace": "/workspace"}
    lists: dict[str, list[str]] = {"import_roots": [], "modules": [], "tests": []}
    limits = {
        "repetitions": 0,
        "test_timeout_s": 1,
        "suite_timeout_s": 1,
        "memory_bytes": 1,
        "recursion_limits": [1000],
    }
    return Plan(version=VERSION, nonce="n", scratch_dir="/tmp/s", **fields, **lists, **limits)  # type: ignore[arg-type]


def test_a_worker_knows_the_proxy_to_allowed_hosts_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://10.0.0.2:3128")
    monkeypatch.setenv("SECRET", "canary")
    made = environment(plan())
    assert made["HTTPS_PROXY"] == "http://10.0.0.2:3128"
    assert "SECRET" not in made
