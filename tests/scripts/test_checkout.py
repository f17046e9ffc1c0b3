"""What a fresh machine relies on: locks, make targets, the CI entry."""

import ast
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "deployments/sandbox/requirements.lock")


def make(*arguments: str) -> str:
    done = subprocess.run(["make", *arguments], cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_a_hash_and_no_line_names_an_index(name: str) -> None:
    text = (REPOSITORY / name).read_text()
    pins = re.findall(r"^\S+==\S+.*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    assert pins
    assert len(pins) == len(re.findall(r"^[a-z]", text, re.MULTILINE))
    assert not re.search(r"https?://|index-url|find-links", text)


def test_every_dependency_of_the_project_is_locked() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = set(re.findall(r"^([a-z0-9-]+)==", (REPOSITORY / LOCKS[0]).read_text(), re.MULTILINE))
    names = {re.split(r"[^A-Za-z0-9_.-]", entry)[0].lower().replace("_", "-") for entry in wanted}
    assert names <= locked


def test_make_test_runs_everything_but_live_tests_with_combined_coverage() -> None:
    planned = make("-n", "test")
    quick = "not engine and not prefect and not postgres and not browser and not gvisor and not slow and not live"
    assert f'-m "{quick}"' in planned
    assert '-m "(engine or prefect or postgres or browser or slow) and not gvisor and not live"' in planned
    assert planned.count("--cov-append") == 2
    assert "coverage report" in planned


def test_ci_runs_what_a_person_runs() -> None:
    script = REPOSITORY / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text().splitlines()
    assert "set -euo pipefail" in lines
    assert [line for line in lines if line.startswith("make ")] == ["make -j2 check test"]


@pytest.mark.slow
def test_no_test_is_skipped_for_want_of_an_engine() -> None:
    """A missing engine fails: a suite that skips its walls proves nothing."""
    skipping = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno}"
        for path in sorted((REPOSITORY / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Attribute) and node.attr in {"skip", "importorskip"}
    ]
    assert skipping == []


@pytest.mark.parametrize(
    "script", ["setup.sh", "ensure-engine.sh", "ensure-postgres.sh", "ensure-browser.sh", "lock.sh"]
)
def test_scripts_are_sound_bash(script: str) -> None:
    path = REPOSITORY / "scripts" / script
    assert os.access(path, os.X_OK)
    assert subprocess.run(["bash", "-n", path], capture_output=True, check=False).returncode == 0
    assert "set -euo pipefail" in path.read_text()
