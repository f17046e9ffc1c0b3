"""How long `refute report` takes over a large ledger, and what it holds in memory; the table is committed.

Usage: python benchmarks/report.py [--outcomes 1000000] [--directory DIR] > benchmarks/results/report.md

The ledger is made once and kept in DIR: SQLite, each outcome with three claims, two stages in a container and a
document of 4 kB; every fifth with a model call, every twentieth refuted.
"""

import argparse
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from refute.ledger.store import Ledger
from refute.outcome import ClaimVerdict, Status
from refute.outcome_document import write_document
from refute.settings import Settings
from tests.fakes.outcomes import CLAIM, FAILURE, fake_outcome

ROOT = Path(__file__).resolve().parents[1]
STATUSES = [*[Status.PASS] * 11, *[Status.PASS_WEAK] * 4, Status.FAILED_VERIFICATION, Status.INCONCLUSIVE, Status.ERROR]
TESTERS = ("property", "gemini")
LABELS: tuple[list[str], ...] = ([], ["needs-adversarial"], ["complexity:high", "team-a"], ["team-b"])
START = datetime(2025, 11, 22, tzinfo=UTC)
DAYS = 365
CHUNK = 20_000
MEASURED = """\
import atexit, os, pathlib, runpy
peak = pathlib.Path(os.environ["PEAK"])
atexit.register(lambda: peak.write_text(pathlib.Path("/proc/self/status").read_text()))
runpy.run_module("flows.cli", run_name="__main__")
"""
"""What is measured tells its own peak: `ru_maxrss` of a child is at least that of whoever forked it."""
TABLES = {
    "runs": 3,
    "outcomes": 26,
    "claims": 10,
    "failures": 8,
    "sandbox_runs": 5,
    "confirmations": 9,
    "reservations": 12,
    "model_calls": 16,
}
OUTCOME_COLUMNS = (
    *("id", "run_id", "ticket_id", "attempt", "title", "status", "reason", "started_at", "duration_s", "cost_nanousd"),
    *("tester", "claims_total", "claims_refuted", "snapshot_digest", "image_id", "profile_digest", "labels"),
    *("document", "csv_state", "sandbox_s", "claim_counts", "test_counts"),
    *("strength", "mutants_killed", "mutants_counted", "tiers"),
)
"""Others keep what the database gives them: later versions of refute add some."""
Rows = dict[str, list[tuple[object, ...]]]


def document(*, refuted: bool) -> tuple[str, str]:
    """A document of an outcome, cut where run and ticket go."""
    outcome = fake_outcome(
        "T", run_id="@", reason="", started_at=START, claims=(CLAIM,) * 3, adversarial_tests="x" * 3_000
    )
    if refuted:
        claims = (replace(CLAIM, verdict=ClaimVerdict.REFUTED), CLAIM, CLAIM)
        outcome = replace(outcome, status=Status.FAILED_ADVERSARIAL, claims=claims, failures=(FAILURE,))
    head, tail = write_document(outcome, indent=None).split('"@"')
    return head + '"', '"' + tail


def rows_of(number: int, chance: random.Random, documents: dict[bool, tuple[str, str]]) -> Rows:
    """The rows of one outcome in every table."""
    key, run_id, ticket_id = number + 1, f"{number:08x}-0000-4000-8000-000000000000", f"TCK-{number % 30_000}"
    refuted = number % 20 == 0
    at = START + timedelta(seconds=DAYS * 86_400 * number / 1_000_000)
    moment = f"{at:%Y-%m-%d %H:%M:%S.%f}"
    status = Status.FAILED_ADVERSARIAL if refuted else chance.choice(STATUSES)
    cost = chance.randrange(10_000_000) if number % 5 == 0 else 0
    head, tail = documents[refuted]
    fixed = ("sha256:" + "a" * 64, "sha256:" + "b" * 64, "sha256:" + "c" * 64)
    outcome = (key, run_id, ticket_id, 1, "A title", status.value, "reason", moment, chance.expovariate(0.1), cost)
    labels = json.dumps(chance.choice(LABELS))
    verdicts = ("refuted" if refuted else "survived", "survived", "untested")
    edge = "edge/refuted" if refuted else "edge/survived"
    tests = {edge: 4, "import/survived": 1, "smoke/flaky": chance.randrange(2), "smoke/rejected": chance.randrange(5)}
    counted: tuple[object, ...] = (
        4.3,
        json.dumps(Counter(verdicts), sort_keys=True),
        json.dumps(tests, sort_keys=True),
    )
    counted += (*measured(chance, refuted=refuted), "flash" if cost else "")
    rest = (TESTERS[number % 2], 3, int(refuted), *fixed, labels, head + run_id + tail, "written", *counted)
    made: Rows = {
        "runs": [(run_id, moment, "0.1.0")],
        "outcomes": [outcome + rest],
        "claims": [(key, n, f"C{n + 1}", "It sorts.", v, "passed", "", 5, 3, 0) for n, v in enumerate(verdicts)],
        "sandbox_runs": [(key, 1, "verify", 1.0, 0.8), (key, 2, "attack", 4.0, 3.5)],
        "confirmations": [(key, 0, "confirmed", "--yes (x)", "approved by --yes (x)", None, moment, fixed[0], "[]")],
        "failures": [(key, 0, "test_c1", "C1", "AssertionError", "[2, 1] != [1, 2]", "xs=[2, 1]", "property")]
        * refuted,
    }
    if cost:
        day = f"{at:%Y-%m-%d}"
        held = (key, run_id, ticket_id, day[:7], day, "settled", moment, moment, cost * 2, cost, cost, 0)
        call = (key, run_id, ticket_id, moment, "tester", "pro", "gemini-pro", "0" * 64, "code", "complete")
        made |= {"reservations": [held], "model_calls": [(*call, 4_000, 1_000, 900, 2_000, cost, 12.0)]}
    return made


def measured(chance: random.Random, *, refuted: bool) -> tuple[float | None, int | None, int | None]:
    """Strength, mutants killed, mutants that count."""
    if refuted:
        return None, None, None
    count = chance.randrange(10, 31)
    killed = chance.randrange(count + 1)
    return 0.8 * killed / count, killed, count


def chunks(outcomes: int) -> Iterator[Rows]:
    """All rows, by table, some at a time."""
    chance = random.Random(7)  # noqa: S311  # data to measure with, no secret
    documents = {refuted: document(refuted=refuted) for refuted in (False, True)}
    for start in range(0, outcomes, CHUNK):
        chunk: Rows = {name: [] for name in TABLES}
        for number in range(start, min(start + CHUNK, outcomes)):
            for name, rows in rows_of(number, chance, documents).items():
                chunk[name] += rows
        yield chunk


def make_ledger(directory: Path, outcomes: int) -> None:
    """Make the ledger where it is not there yet."""
    if (directory / "ready").exists():
        return
    Ledger.open(Settings(state_dir=directory)).close()
    connection = sqlite3.connect(directory / "ledger.db")
    connection.execute("PRAGMA synchronous=OFF")
    for chunk in chunks(outcomes):
        with connection:
            for name, rows in chunk.items():
                places = ", ".join("?" * TABLES[name])
                into = f"{name} ({', '.join(OUTCOME_COLUMNS)})" if name == "outcomes" else name
                connection.executemany(f"INSERT INTO {into} VALUES ({places})", rows)  # noqa: S608  # names from above
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    (directory / "ready").touch()


def forget_cached(path: Path) -> None:
    """Let the kernel drop what it keeps of a file in memory, as on the morning after a reboot."""
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def measure(directory: Path, *arguments: str) -> tuple[float, float, float, float]:
    """Of one `refute report` as a process of its own: seconds, seconds of a core, peak and read megabytes."""
    peak = directory / "peak"
    environment = {**os.environ, "REFUTE_STATE_DIR": str(directory), "PEAK": str(peak)}
    started = time.monotonic()
    command = [sys.executable, "-c", MEASURED, "report", *arguments]
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=silent, stderr=silent)  # noqa: S603  # ours
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in {0, 14, 18}, process.returncode  # the budget of this ledger is used up
    core_s = usage.ru_utime + usage.ru_stime
    seconds = time.monotonic() - started
    peak_kb = re.search(r"VmHWM:\s+(\d+) kB", peak.read_text())
    assert peak_kb is not None
    return seconds, core_s, int(peak_kb[1]) / 1024, usage.ru_inblock * 512 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outcomes", type=int, default=1_000_000)
    parser.add_argument("--directory", type=Path, default=Path("/tmp/refute-report-benchmark"))  # noqa: S108  # kept
    options = parser.parse_args()
    directory = options.directory / str(options.outcomes)
    directory.mkdir(parents=True, exist_ok=True)
    make_ledger(directory, options.outcomes)
    size_gb = (directory / "ledger.db").stat().st_size / 1e9
    print(f"# Reports over {options.outcomes:,} outcomes\n")
    print(f"SQLite, {size_gb:.1f} GB with the documents, {os.cpu_count()} cores. Measured by benchmarks/report.py;")
    print(f"asked for: at most 10 s and 1,500 MB. {os.getloadavg()[0]:.0f} processes wanted a core when it began.\n")
    print("| `refute report` | seconds | of a core | peak MB | read from the disk, MB |\n|---|---:|---:|---:|---:|")
    page = str(directory / "report.html")
    last_days = f"{START + timedelta(days=DAYS - 30):%Y-%m-%d}"
    forget_cached(directory / "ledger.db")
    shapes = ((), (), ("--html", page), ("--json",), ("--since", last_days), ("--label", "team-a"), ("--budget",))
    for number, arguments in enumerate(shapes):
        seconds, core_s, megabytes, read_mb = measure(directory, *arguments)
        shown = " ".join(arguments).replace(page, "report.html") or "(terminal)"
        shown += "" if number else ", nothing of it in memory"
        print(f"| {shown} | {seconds:.1f} | {core_s:.1f} | {megabytes:.0f} | {read_mb:.0f} |", flush=True)


if __name__ == "__main__":
    main()
