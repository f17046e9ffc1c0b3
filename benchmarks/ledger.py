"""How many outcomes a second the ledger takes, and whether any is lost or doubled when its writers are killed.

Usage: python benchmarks/ledger.py [--seconds 10] [--postgres URL] > benchmarks/results/ledger.md

One process, then eight, then eight that are killed at random moments and begin again, each outcome recorded twice as a
retry would. Every acknowledged outcome has to be there once, with its claims; so has its line in the cost table.
"""

import argparse
import contextlib
import csv
import itertools
import multiprocessing
import os
import random
import resource
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import func, select

from refute.ledger.costs_csv import append_missing
from refute.ledger.schema import CLAIMS
from refute.ledger.store import Ledger
from refute.outcome import StageRecord
from refute.settings import Settings
from tests.fakes.outcomes import CLAIM, fake_outcome

FORK = multiprocessing.get_context("fork")
WRITERS = 8
IN_MEMORY = Path("/dev/shm")  # noqa: S108  # a folder of our own is made in it
OUTCOME = fake_outcome(
    "T",
    run_id="",
    reason="3 of 3 claims survived",
    claims=(CLAIM,) * 3,
    stages=tuple(StageRecord(name=name, summary="", duration_s=1, sandbox_s=1) for name in ("verify", "attack")),
    adversarial_tests="x" * 3_000,
    cost_usd=Decimal("0.01"),
)


def write(settings: Settings, name: str, until: float, done: Connection, *, twice: bool) -> None:
    """Record outcomes until a moment, and say which are done."""
    ledger = Ledger.open(settings)
    for number in itertools.count():
        if time.monotonic() > until:
            break
        outcome = replace(OUTCOME, run_id=f"{name}-{number}")
        for _ in range(1 + twice):
            ledger.record(outcome)
        if twice:
            append_missing(ledger, settings.costs_csv)
        done.send(outcome.run_id)


def start(settings: Settings, name: str, until: float, *, twice: bool) -> tuple[multiprocessing.Process, Connection]:
    reader, done = FORK.Pipe(duplex=False)
    process = FORK.Process(target=write, args=(settings, name, until, done), kwargs={"twice": twice})
    process.start()
    done.close()
    return process, reader  # type: ignore[return-value]  # a forked one


def heard(reader: Connection) -> set[str]:
    """What a writer said was done."""
    found = set()
    with contextlib.suppress(EOFError):
        while True:
            found.add(reader.recv())
    return found


def rate(settings: Settings, writers: int, seconds: float) -> tuple[float, float]:
    """Outcomes a second, and milliseconds of a core for each."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    until = time.monotonic() + seconds
    started = [start(settings, f"rate{writers}-{n}", until, twice=False) for n in range(writers)]
    count = sum(len(heard(reader)) for _, reader in started)
    for process, _ in started:
        process.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    core_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return count / seconds, core_s * 1_000 / count


def killed(settings: Settings, seconds: float) -> tuple[int, int, int]:
    """Kills, outcomes acknowledged, and outcomes lost or doubled."""
    chance = random.Random(240)  # noqa: S311  # moments to kill at, no secret
    ledger = Ledger.open(settings)
    append_missing(ledger, settings.costs_csv)  # what came before, or nobody lives long enough to write it
    end, kills, acknowledged = time.monotonic() + seconds, 0, set[str]()
    while time.monotonic() < end:
        started = [start(settings, f"kill{kills}-{n}", end + 60, twice=True) for n in range(WRITERS)]
        for process, reader in started:
            process.join(timeout=chance.uniform(0.05, 0.5))
            process.kill()
            process.join()
            kills += 1
            acknowledged |= heard(reader)
    append_missing(ledger, settings.costs_csv)
    rows = Counter(row.run_id for row in ledger.cost_rows())
    with settings.costs_csv.open(newline="", encoding="utf-8") as file:
        lines = Counter(row["run_id"] for row in csv.DictReader(file))
    with ledger.transaction() as connection:
        claims = connection.execute(select(func.count()).select_from(CLAIMS)).scalar_one()
    wrong = len(acknowledged - set(rows)) + sum(count - 1 for count in rows.values())
    wrong += sum((rows - lines).values()) + sum((lines - rows).values()) + abs(claims - 3 * len(rows))
    return kills, len(acknowledged), wrong


def sync_ms(folder: str, times: int = 40) -> float:
    """How long this disk takes to keep a few kilobytes, the middle of so many times."""
    taken = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(times):
            file.write(b"x" * 8_192)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - began) * 1_000)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--postgres", metavar="URL", help="an empty database")
    options = parser.parse_args()
    print("# The ledger under many writers\n")
    print(f"{os.cpu_count()} cores, {os.getloadavg()[0]:.0f} processes wanted one when it began. Measured by")
    print("benchmarks/ledger.py; asked for: 200 outcomes a second on SQLite, none lost or doubled.")
    print(f"One sync of the disk took {sync_ms(tempfile.gettempdir()):.1f} ms.\n")
    print("| database | outcomes/s, 1 writer | ms of a core each | 8 writers | killed | acknowledged | lost, doubled |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    kinds: list[tuple[str, str | None, str | None]] = [("SQLite", None, None)]
    if IN_MEMORY.is_dir():
        kinds.append(("SQLite, files in memory", None, str(IN_MEMORY)))
    if options.postgres:
        kinds.append(("PostgreSQL", options.postgres, None))
    for name, url, folder in kinds:
        with tempfile.TemporaryDirectory(dir=folder) as directory:
            place = Path(directory)
            settings = Settings(state_dir=place, costs_csv=place / "costs.csv", ledger_url=url and SecretStr(url))
            Ledger.open(settings).close()
            (one, core_ms), (many, _) = (rate(settings, writers, options.seconds) for writers in (1, WRITERS))
            kills, acknowledged, wrong = killed(settings, options.seconds)
        figures = f"{one:.0f} | {core_ms:.1f} | {many:.0f} | {kills} | {acknowledged:,} | {wrong}"
        print(f"| {name} | {figures} |", flush=True)
    print(
        "\nEach outcome is kept by the disk before it is acknowledged (synchronous=FULL); with the files in memory that"
    )
    print("costs nothing, which leaves what refute, SQLAlchemy and SQLite take.")


if __name__ == "__main__":
    main()
