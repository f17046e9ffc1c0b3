"""Runs the driver on one module and its tests."""

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.refute.driver.driving import run_driver

Drive = Callable[..., dict[str, Any]]


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """`drive(implementation, tests, names, **plan)` → the results; `results["exit_code"]` is the driver's."""

    def run(implementation: str | Mapping[str, str], tests: str, names: list[str], **plan: Any) -> dict[str, Any]:
        files = {"impl.py": implementation} if isinstance(implementation, str) else implementation
        dedented = {name: dedent(content) for name, content in files.items()}
        return run_driver(tmp_path, dedented, dedent(tests), names, **{"test_timeout_s": 30} | plan)

    return run


def by_name(reports: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Test name → report."""
    return {report["name"]: report for report in reports}
