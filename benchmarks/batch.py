"""A batch with Prefect's server on SQLite and on PostgreSQL: wall time, what orchestration costs, failed runs, memory.

Usage: python benchmarks/batch.py [--tickets 100] [--parallel 2] > benchmarks/results/batch.md

Small tickets with the property tester. Figures to reach (issue 13): orchestration at most 0.45 processor seconds a
ticket, wall time at most 1.6 x (commands / cores), 1.2 with containers counted; no failed run; memory flat.
"""

import argparse
import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
from sqlalchemy import create_engine, make_url, text

from flows.containers import cores
from flows.orchestrator.keeper import server_environment, stop_process
from flows.orchestrator.server import ServerFiles, answers
from refute.ledger.store import Ledger
from refute.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PLAIN_RUNS = 9
SETTLED_S = 10.0
PORT = 4270
MODULE = '''"""Clamping."""


def clamp(value: int, low: int, high: int) -> int:
    """The value, but not below low and not above high.

    >>> clamp(5, 1, 3)
    3
    """
    return max(low, min(high, value))
'''
TICKET = """id: BENCH-{number:03}
title: Clamp
workspace: .
implementation_files: [clamping.py]
verification_script: verify.sh
claims:
  - id: C1
    text: clamp() returns a value between low and high.
    property:
      given: {{value: int, low: int, high: int}}
      assume: low <= high
      check: low <= clamp(value, low, high) <= high
  - {{id: C2, text: "`clamp(5, 1, 3)` returns 3."}}
"""


def write_tickets(directory: Path, count: int) -> None:
    for number in range(count):
        ticket = directory / f"{number:03}"
        ticket.mkdir(parents=True)
        (ticket / "clamping.py").write_text(MODULE)
        (ticket / "verify.sh").write_text("set -euo pipefail\npython -c 'import clamping'\n")
        (ticket / "ticket.yaml").write_text(TICKET.format(number=number))


def memory_kib(pid: int) -> int:
    """Resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


def processor_s(pid: int) -> float:
    """Processor time of a process so far (proc(5), fields 14 and 15)."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The batch's process and the server's at one moment."""

    at_s: float
    """Since its start."""
    memory_kib: int
    processor_s: float
    server_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One batch."""

    settings: Settings
    seen: list[Seen]
    idle: float
    """Processor seconds of the idle server in a second."""
    failed: int
    """Task runs and flow runs that Prefect's server shows as failed or crashed."""


@contextlib.contextmanager
def sqlite() -> Iterator[str]:
    """Prefect's default database."""
    yield ""


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a new database, which is removed."""
    cluster = subprocess.check_output([ROOT / "scripts" / "ensure-postgres.sh"], text=True).strip()  # noqa: S603
    name = f"bench_{uuid4().hex}"
    engine = create_engine(cluster, isolation_level="AUTOCOMMIT")
    url = make_url(cluster).set(database=name)
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    with create_engine(url).begin() as connection:
        connection.execute(text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
    yield url.set(drivername="postgresql+asyncpg").render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@contextlib.contextmanager
def server(home: Path, port: int, database: str) -> "Iterator[subprocess.Popen[bytes]]":
    """Prefect's server."""
    environment = server_environment(ServerFiles(home=home), port, ad_hoc=False)
    if database:
        environment["PREFECT_API_DATABASE_CONNECTION_URL"] = database
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603
    while not answers(f"http://127.0.0.1:{port}/api"):
        time.sleep(0.2)
    yield process
    stop_process(process)


def run(tickets: Path, settings: Settings, name: str, parallel: int, api_url: str, server_pid: int) -> list[Seen]:
    """Run the batch; what was seen of it as it went on."""
    command = [sys.executable, "-m", "flows.cli", "batch", str(tickets), "--yes", "--name", name]
    environment = {
        **os.environ,
        "PREFECT_API_URL": api_url,
        "REFUTE_STATE_DIR": str(settings.state_dir),
        "REFUTE_COSTS_CSV": str(settings.costs_csv),
        "GUARDRAIL_AUDIT_PATH": str(settings.audit_path),
        "REFUTE_BATCH_CONTAINERS": str(parallel),
        "REFUTE_RESULTS_MAX_AGE_S": "0",
    }
    began = time.monotonic()
    batch = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)  # noqa: S603
    seen = []
    while batch.poll() is None:
        with contextlib.suppress(OSError, IndexError):  # it ended between two looks
            seen.append(
                Seen(
                    at_s=time.monotonic() - began,
                    memory_kib=memory_kib(batch.pid),
                    processor_s=processor_s(batch.pid),
                    server_s=processor_s(server_pid),
                )
            )
        time.sleep(0.25)
    return seen


def measured(home: Path, count: int, parallel: int, database: str, port: int) -> Measured:
    """A batch on a server of its own."""
    settings = Settings.load(state_dir=home / "state", costs_csv=home / "costs.csv", audit_path=home / "audit.jsonl")
    (home / "prefect").mkdir(parents=True)
    api_url = f"http://127.0.0.1:{port}/api"
    write_tickets(home / "warm", 1)
    write_tickets(home / "tickets", count)
    with server(home / "prefect", port, database) as process:
        run(home / "warm", settings, "warm", parallel, api_url, process.pid)
        time.sleep(SETTLED_S)
        before = processor_s(process.pid)
        time.sleep(SETTLED_S)
        idle = (processor_s(process.pid) - before) / SETTLED_S
        seen = run(home / "tickets", settings, "bench", parallel, api_url, process.pid)
        time.sleep(SETTLED_S)  # it makes task runs of the last events
        last = seen[-1]
        seen.append(
            Seen(
                at_s=last.at_s + SETTLED_S,
                memory_kib=last.memory_kib,
                processor_s=last.processor_s,
                server_s=processor_s(process.pid),
            )
        )
        return Measured(settings=settings, seen=seen, idle=idle, failed=failed_runs(api_url))


def failed_runs(api_url: str) -> int:
    """How many runs did not end as they should: all tickets of this benchmark pass."""
    wanted = {"state": {"type": {"any_": ["FAILED", "CRASHED", "CANCELLED"]}}}
    counts = [
        httpx.post(f"{api_url}/{kind}/count", json={kind: wanted}, trust_env=False, timeout=60)
        .raise_for_status()
        .json()
        for kind in ("flow_runs", "task_runs")
    ]
    return sum(counts)


def memory_at(seen: list[Seen], at_s: float) -> int:
    """Resident memory, in KiB, when it was last looked at before a moment."""
    return [one.memory_kib for one in seen if one.at_s <= at_s and one.memory_kib][-1]


def plain_container_s(image: str) -> float:
    """What `docker run` takes for a container that does nothing: the median of a few on an idle engine."""
    took = []
    for _ in range(PLAIN_RUNS):
        began = time.monotonic()
        subprocess.run(["docker", "run", "--rm", "--network=none", image, "true"], check=True)  # noqa: S603, S607
        took.append(time.monotonic() - began)
    return statistics.median(took)


def figures(count: int, one: Measured, plain_s: float) -> dict[str, str]:
    """What the table says of a batch."""
    outcomes = Ledger.open(one.settings).outcomes(run_id="bench")
    sandbox = [stage.sandbox_s for outcome in outcomes for stage in outcome.stages if stage.sandbox_s]
    first = min(outcome.started_at for outcome in outcomes)
    last = max(outcome.started_at.timestamp() + outcome.duration_s for outcome in outcomes)
    wall_s, ran_s = last - first.timestamp(), one.seen[-2].at_s
    server_s = (one.seen[-1].server_s - one.seen[0].server_s - one.idle * one.seen[-1].at_s) / count
    client_s = one.seen[-1].processor_s / count
    making_s = sum(sandbox) + len(sandbox) * plain_s
    memory = ", ".join(str(memory_at(one.seen, ran_s * share) >> 10) for share in (0.25, 0.5, 0.9, 1))
    return {
        "outcomes, statuses": f"{len(outcomes)}, {sorted({outcome.status.value for outcome in outcomes})}",
        "runs that failed, by Prefect's server": str(one.failed),
        "processor time of Prefect's server, a ticket (idle subtracted)": f"{server_s:.2f} s",
        "processor time of the batch's process, a ticket (imports, domain work and table, too)": f"{client_s:.2f} s",
        "first ticket's start to last ticket's end": f"{wall_s:.1f} s",
        "whole process, with imports and table": f"{ran_s:.1f} s",
        "commands in containers, together; containers": f"{sum(sandbox):.1f} s; {len(sandbox)}",
        "wall / (commands / cores)": f"{wall_s / (sum(sandbox) / cores()):.2f}",
        "wall / ((commands + plain containers) / cores)": f"{wall_s / (making_s / cores()):.2f}",
        "resident memory at 25, 50 and 90 % of the time, and at its end with the table": f"{memory} MiB",
    }


def main() -> None:
    """Measure both, one after the other, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tickets", type=int, default=100)
    parser.add_argument("--parallel", type=int, default=cores())
    arguments = parser.parse_args()
    columns: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="refute-bench-") as place:
        for port, (name, made) in enumerate({"SQLite": sqlite, "PostgreSQL": postgresql}.items(), start=PORT):
            with made() as database:
                one = measured(Path(place) / name, arguments.tickets, arguments.parallel, database, port)
            image = str(Ledger.open(one.settings).outcomes(run_id="warm")[0].provenance.image_id)
            columns[name] = figures(arguments.tickets, one, plain_container_s(image))
    print(f"# Batch of {arguments.tickets} small tickets, {arguments.parallel} at once, {cores()} cores\n")
    print(f"{os.getloadavg()[0]:.0f} processes wanted a core when it ended (benchmarks/batch.py).\n")
    print(f"| what | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for what in next(iter(columns.values())):
        print(f"| {what} | {' | '.join(column[what] for column in columns.values())} |")


if __name__ == "__main__":
    main()
