"""Fixtures that tests of several packages share: a PostgreSQL database of its own for one test."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr
from sqlalchemy import create_engine, make_url, text

ENSURE = Path(__file__).resolve().parents[1] / "scripts" / "ensure-postgres.sh"


@pytest.fixture(scope="session")
def postgres_cluster() -> str:
    """The URL of the cluster of this machine's tests; where none can be had the test fails, it is never skipped."""
    done = subprocess.run([ENSURE], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def postgres_url(postgres_cluster: str) -> Iterator[SecretStr]:
    """The URL of a new, empty database, which is removed with all that still uses it."""
    with _database(postgres_cluster) as url:
        yield url


@pytest.fixture
def other_postgres_url(postgres_cluster: str) -> Iterator[SecretStr]:
    """Another database like that, for a Prefect server beside a ledger."""
    with _database(postgres_cluster) as url:
        yield url


@contextmanager
def _database(url: str) -> Iterator[SecretStr]:
    name = f"refute_{uuid4().hex}"
    cluster = create_engine(url, isolation_level="AUTOCOMMIT")
    with cluster.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        yield SecretStr(make_url(url).set(database=name).render_as_string(hide_password=False))
    finally:
        with cluster.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        cluster.dispose()
