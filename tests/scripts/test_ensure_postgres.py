"""The PostgreSQL script: a cluster of its own that it starts once and ends, and nobody else's."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "ensure-postgres.sh"


def ensure(directory: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "REFUTE_POSTGRES_DIR": directory}
    return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=600)


@pytest.fixture
def directory() -> Iterator[str]:
    """A short path, as a unix socket needs, that the cluster's user may enter."""
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as made:
        yield made
        ensure(made, "stop")


@pytest.mark.postgres
def test_it_starts_once_answers_without_a_network_and_ends(directory: str) -> None:
    first, second = ensure(directory), ensure(directory)
    assert first.returncode == 0, first.stderr
    assert "starting PostgreSQL" in first.stderr
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")
    with create_engine(first.stdout.strip()).connect() as connection:
        assert connection.execute(text("SHOW listen_addresses")).scalar_one() == ""
    assert "stopped" in ensure(directory, "stop").stderr
    assert "none of ours runs" in ensure(directory, "stop").stderr


def test_a_directory_too_long_for_a_socket_is_told(directory: str) -> None:
    done = ensure(f"{directory}/{'x' * 90}")
    assert done.returncode == 1
    assert "too long for a unix socket" in done.stderr
    assert "REFUTE_POSTGRES_DIR" in done.stderr


def test_a_wrong_argument_is_told(directory: str) -> None:
    done = ensure(directory, "destroy")
    assert (done.returncode, done.stdout) == (1, "")
    assert "got 'destroy', expected nothing or 'stop'" in done.stderr
