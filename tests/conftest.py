"""What tests of several packages share: engine, ledgers, servers and databases; long tests first; what is traced."""

import gc
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from coverage import Coverage
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

HEAVY = ("engine", "prefect", "postgres", "browser", "slow")
MARKS = re.compile(rf"\bmark\.({'|'.join(HEAVY)})\b")
TRACING = "COVERAGE_PROCESS_CONFIG"
"""By this variable coverage follows a process into those that it starts (its `patch = subprocess`)."""
TRACED = pytest.StashKey[str | None]()
LONGEST = (
    "scenarios/test_two_workers.py",
    "hostile/test_behaviours.py",
    "scenarios/test_tutorial.py",
    "scenarios/test_samples.py",
    "scenarios/test_critics.py",
    "scenarios/test_batch.py",
    "scenarios/test_second_environment.py",
    "scenarios/test_deployed.py",
    "scenarios/test_gemini.py",
    "forgeries/test_no_forgery_counts.py",
    "scenarios/test_attack.py",
    "hostile/test_deceptions.py",
    "compat/test_cases_hold_in_two_processes.py",
    "driver/test_in_container.py",
    "scenarios/test_personas.py",
    "scenarios/test_cached_results.py",
    "scenarios/test_ui.py",
    "scenarios/test_confirmation_form.py",
    "flows/test_lost_server.py",
    "scenarios/test_network.py",
    "scenarios/test_gate.py",
    "judgement/test_reproducer.py",
    "scenarios/test_interruption.py",
    "evaluation/test_attacks.py",
    "scenarios/test_killed_runs.py",
    "forgeries/test_in_container.py",
    "sandbox/test_image.py",
    "scenarios/test_engine_death.py",
    "scenarios/test_bench.py",
)
"""Files that take longest, each run by one worker: begun last, one would keep that busy while the others stand idle.

`test_two_workers` and `test_deployed` wait for servers: side by side they would leave the cores to one worker.
Behaviours need no `state_dir`, which the first of the others makes while those beside it wait.
"""
REPEATING = (
    "scenarios/test_forgeries.py",
    "scenarios/test_personas.py",
    "scenarios/test_samples.py",
    "scenarios/test_killed_runs.py",
    "scenarios/test_two_workers.py",
    "hostile/test_behaviours.py",
    "hostile/test_deceptions.py",
    "hostile/test_endurance.py",
    "forgeries/test_no_forgery_counts.py",
    "reports/test_report_in_a_browser.py",
    "property/test_styles.py",
    "property/test_traps.py",
    "scan/test_hostile.py",
    "guardrails/test_injection.py",
    "evaluation/test_attacks.py",
    "research/test_non_interference.py",
)
"""Files that put other code through the same lines of ours as the files beside them: coverage stops meanwhile."""
ENSURE = Path(__file__).resolve().parents[1] / "scripts" / "ensure-postgres.sh"


@contextmanager
def uncovered(*, when: bool) -> Iterator[None]:
    """Coverage does not follow this process meanwhile: it adds 70 to 140 % to the processor time of our code."""
    measuring = Coverage.current() if when else None
    if measuring is not None:
        measuring.stop()
    try:
        yield
    finally:
        if measuring is not None:
            measuring.start()


def _is_heavy(config: pytest.Config) -> bool:
    return "(engine or" in config.option.markexpr


def _may_be_heavy(path: Path) -> bool:
    """Whether a file of tests, or what lies beside it for them, names a mark of heavy ones."""
    beside = path.with_name("conftest.py")
    return any(MARKS.search(one.read_text()) for one in (path, beside) if one.exists())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The heavy run leaves alone what has none of its tests: half of what each of its workers did before the first."""
    is_quick = collection_path.match("test_*.py") and _is_heavy(config) and not _may_be_heavy(collection_path)
    return True if is_quick else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """A file whose heavy tests the heavy run would not find is an error of every other."""
    report = yield
    found = [one for one in report.result or () if any(map(one.get_closest_marker, HEAVY))]
    if found and isinstance(collector, pytest.Module) and not _may_be_heavy(collector.path):
        report.outcome, report.longrepr = "failed", f"{found[0].nodeid} is heavy, and its file names no mark of {HEAVY}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is imported and collected stays: the collector need not walk a million objects again and again.

    The heavy run imports what the quick one has imported and covered: 4 s of a core for each of its workers.
    """
    gc.disable()
    try:
        with uncovered(when=_is_heavy(session.config)):
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Follow no test that repeats others' ways through our code."""
    with uncovered(when=item.path.as_posix().endswith(REPEATING)):
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first; `--no-loadscope-reorder` keeps it so. Others stay in their order."""
    items.sort(key=lambda item: _rank(item.path.as_posix()))


def _rank(path: str, longest: Sequence[str] = LONGEST) -> int:
    return next((rank for rank, name in enumerate(longest) if path.endswith(name)), len(longest))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Coverage follows no process that a heavy test starts, unless it is marked `traced`.

    It doubles the processor time of Prefect's server (24 s instead of 11 for a first start) and adds 60 % to a command
    line's, for lines that one such process has covered as well as fifty.
    """
    stash = item.config.stash
    tracing = stash.setdefault(TRACED, os.environ.get(TRACING))
    if tracing is None:
        return
    os.environ[TRACING] = tracing
    if any(map(item.get_closest_marker, HEAVY)) and item.get_closest_marker("traced") is None:
        del os.environ[TRACING]


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


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Tell a failure at once: a run that is stopped by its time limit prints none of pytest's own reports."""
    if report.failed and not os.environ.get("PYTEST_XDIST_WORKER"):
        told = f"\nFAILED {report.nodeid} ({report.when}, {report.duration:.0f} s)\n{report.longreprtext[-1500:]}\n"
        sys.stderr.write(told)
