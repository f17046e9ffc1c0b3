"""Runs the driver on this machine, in throwaway folders, on code that harms nobody."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

DRIVER = Path(__file__).parents[3] / "refute" / "driver" / "run_suite.py"
FILE = "test_adversarial_x.py"

Drive = Callable[..., dict[str, Any]]


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """`drive(implementation, tests, names, **plan)` → the results; `results["exit_code"]` is the driver's."""

    def run(implementation: str | Mapping[str, str], tests: str, names: list[str], **plan: Any) -> dict[str, Any]:
        workspace, attack = tmp_path / "workspace", tmp_path / "attack"
        attack.mkdir()
        files = {"impl.py": implementation} if isinstance(implementation, str) else implementation
        for name, content in files.items():
            path = workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(content))
        (attack / FILE).write_text(dedent(tests))
        defaults = {
            "version": 1,
            "nonce": "of this run",
            "attack_dir": str(attack),
            "test_file": FILE,
            "results_file": "results.json",
            "workspace": str(workspace),
            "import_roots": ["."],
            "modules": ["impl"],
            "tests": names,
            "scratch_dir": str(tmp_path / "scratch"),
            "repetitions": 0,
            "test_timeout_s": 30,
            "suite_timeout_s": 120,
            "memory_bytes": 1536 * 1024 * 1024,
            "recursion_limits": [1000],
        }
        (attack / "plan.json").write_text(json.dumps(defaults | plan))
        ended = subprocess.run(
            [sys.executable, "-I", str(DRIVER), str(attack / "plan.json")], capture_output=True, text=True, check=False
        )
        results = attack / "results.json"
        return (json.loads(results.read_text()) if results.exists() else {}) | {"exit_code": ended.returncode}

    return run


def by_name(reports: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Test name → report."""
    return {report["name"]: report for report in reports}
