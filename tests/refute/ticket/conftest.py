"""Tickets on disk, small and complete, to be broken by the tests."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FIELDS: dict[str, Any] = {
    "id": "TCK-1",
    "title": "A thing",
    "implementation_files": ["thing.py"],
    "verification_script": "verify.sh",
    "claims": ["thing() returns 1."],
}

MakeTicket = Callable[..., Path]
Git = Callable[..., str]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A directory with an implementation and a verification script, outside any git checkout."""
    directory = tmp_path / "workspace"
    directory.mkdir()
    (directory / "thing.py").write_text("def thing():\n    return 1\n")
    (directory / "verify.sh").write_text("python -c 'import thing'\n")
    return directory


@pytest.fixture
def make_ticket(workspace: Path) -> MakeTicket:
    """Writes a ticket of the workspace with some fields replaced; None removes one."""

    def make(**fields: Any) -> Path:
        document = {name: value for name, value in (FIELDS | fields).items() if value is not None}
        path = workspace / "ticket.yaml"
        path.write_text(json.dumps(document))  # JSON is YAML
        return path

    return make


@pytest.fixture
def git() -> Git:
    """Runs git in a directory as a fixed author."""

    def run(directory: Path, *arguments: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        command = ["git", "-C", str(directory), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run
