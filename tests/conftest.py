"""What tests of several packages share: engine, ledgers, servers and databases."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from filelock import FileLock
from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, make_url, text

from refute.ledger import database
from refute.ledger.store import Ledger
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Job
from refute.settings import Settings
from tests.fakes.jobs import bash_job
from tests.hostile.stage import build, make_sandbox
from tests.schedule import (  # noqa: F401  # pytest looks for its hooks here
    pytest_collection,
    pytest_collection_modifyitems,
    pytest_ignore_collect,
    pytest_make_collect_report,
    pytest_runtest_logreport,
    pytest_runtest_protocol,
    pytest_runtest_setup,
)

ENSURE = Path(__file__).resolve().parents[1] / "scripts" / "ensure-postgres.sh"


@pytest.fixture(scope="session", autouse=True)
def new_ledgers_are_copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new SQLite ledger of this process is a copy of one that was migrated once, and waits for no disk."""
    template = tmp_path_factory.mktemp("template") / "ledger.db"
    make_current, configure = database._make_current, database._configure_sqlite

    def copied(engine: Engine, locks: Path) -> None:
        file = database._sqlite_file(engine)
        if file is not None and not file.exists():
            copy = shutil.copyfile(template, file.with_name(f"{uuid4().hex}.copy"))
            with suppress(FileExistsError):  # another process was quicker, whose file is in use
                os.link(copy, file)
            copy.unlink()
        make_current(engine, locks)

    def unsynchronised(connection: Any, record: Any) -> None:
        configure(connection, record)
        connection.execute("PRAGMA synchronous=OFF")

    with pytest.MonkeyPatch.context() as patch:
        Ledger.open(Settings(state_dir=template.parent)).close()
        patch.setattr(database, "_make_current", copied)
        patch.setattr(database, "_configure_sqlite", unsynchronised)
        yield


@pytest.fixture(scope="session")
def of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a test run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def migrated(of_all_workers: Path) -> Callable[[Path], Path]:
    """`migrated(state_dir)` → it, with a copy of a Prefect database that was migrated once.

    A server that starts on a new one takes 4 s of a core for that.
    """
    template = of_all_workers / "prefect-template"

    def given(state_dir: Path) -> Path:
        with FileLock(f"{template}.lock"):
            if not template.exists():
                ours = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
                command = [sys.executable, "-m", "prefect", "server", "database", "upgrade", "--yes"]
                subprocess.run(command, env={**ours, "PREFECT_HOME": f"{template}.new"}, check=True)
                Path(f"{template}.new").rename(template)
            home = state_dir / "prefect"
            if not home.exists():
                home.mkdir(parents=True, mode=0o700)
                shutil.copyfile(template / "prefect.db", home / "prefect.db")
        return state_dir

    return given


@pytest.fixture(scope="session")
def state_dir(of_all_workers: Path, migrated: Callable[[Path], Path]) -> Path:
    """One state directory, so one Prefect server, for all workers of a test run.

    Ledger and server hold what other tests leave there too.
    """
    return migrated(of_all_workers / "refute-state")


@pytest.fixture(scope="session")
def image_id() -> str:
    """The image that jobs run in, built where it is missing."""
    return build()


@pytest.fixture(scope="session")
def make_job(image_id: str) -> Callable[..., Job]:
    """`make_job(script, …)`: a bash job in the real image."""
    return partial(bash_job, image_id=image_id)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[DockerSandbox]:
    """One sandbox for all tests of a process, on the runtime that `REFUTE_RUNTIME` chooses."""
    with make_sandbox() as made:
        yield made


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


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Python's own handler of SIGINT, which is ignored where pytest runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
