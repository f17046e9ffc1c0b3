"""Wall time of a batch against the time its containers ran, orchestration per ticket, and memory of the process.

Usage: python benchmarks/batch.py [--tickets 40] > benchmarks/results/batch.md

Small tickets with the property tester. Figures to reach: wall time at most 1.25 x sandbox seconds / cores; memory flat.
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
from dataclasses import dataclass
from pathlib import Path

from flows.batch.slots import cores
from refute.ledger.store import Ledger
from refute.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PLAIN_RUNS = 9
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
    """The batch's process at one moment."""

    at_s: float
    """Since its start."""
    memory_kib: int
    processor_s: float


def run(tickets: Path, settings: Settings, name: str) -> list[Seen]:
    """Run the batch; what was seen of it as it went on."""
    command = [sys.executable, "-m", "flows.cli", "batch", str(tickets), "--yes", "--name", name]
    environment = {
        **os.environ,
        "REFUTE_STATE_DIR": str(settings.state_dir),
        "REFUTE_COSTS_CSV": str(settings.costs_csv),
        "GUARDRAIL_AUDIT_PATH": str(settings.audit_path),
        "REFUTE_SERVER_IDLE_S": "60",
        "REFUTE_RESULTS_MAX_AGE_S": "0",
    }
    began = time.monotonic()
    batch = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)  # noqa: S603
    seen = []
    while batch.poll() is None:
        with contextlib.suppress(OSError, IndexError):  # it ended between two looks
            used = processor_s(batch.pid)
            seen.append(Seen(at_s=time.monotonic() - began, memory_kib=memory_kib(batch.pid), processor_s=used))
        time.sleep(0.25)
    return seen


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tickets", type=int, default=40)
    count = parser.parse_args().tickets
    with tempfile.TemporaryDirectory(prefix="refute-bench-") as place:
        home = Path(place)
        settings = Settings.load(
            state_dir=home / "state", costs_csv=home / "costs.csv", audit_path=home / "audit.jsonl"
        )
        write_tickets(home / "warm", 1)
        run(home / "warm", settings, "warm")  # starts the server, which a night's batch finds running
        write_tickets(home / "tickets", count)
        image = str(Ledger.open(settings).outcomes(run_id="warm")[0].provenance.image_id)
        plain_s = plain_container_s(image)
        seen = run(home / "tickets", settings, "bench")
        report(settings, count, seen, plain_s)


def report(settings: Settings, count: int, seen: list[Seen], plain_s: float) -> None:
    outcomes = Ledger.open(settings).outcomes(run_id="bench")
    containers = sum(bool(stage.sandbox_s) for one in outcomes for stage in one.stages)
    sandbox_s = sum(stage.sandbox_s for one in outcomes for stage in one.stages)
    first = min(one.started_at for one in outcomes)
    last = max(one.started_at.timestamp() + one.duration_s for one in outcomes)
    wall_s, started_s = last - first.timestamp(), seen[-1].at_s
    ideal_s = sandbox_s / cores()
    held_kib = [memory_at(seen, started_s * share) for share in (0.25, 0.5, 0.9, 1)]
    print(f"# Batch of {count} small tickets, {cores()} cores, property tester\n")
    print(f"{os.getloadavg()[0]:.0f} processes wanted a core when it ended (benchmarks/batch.py).\n")
    print("| what | figure |\n|---|---|")
    print(f"| outcomes, statuses | {len(outcomes)}, {sorted({one.status.value for one in outcomes})} |")
    print(f"| first ticket's start to last ticket's end | {wall_s:.1f} s |")
    print(f"| whole process, with imports and table | {started_s:.1f} s |")
    print(f"| commands in containers, together | {sandbox_s:.1f} s |")
    print(f"| `docker run` of a container that does nothing, on the idle engine | {plain_s:.2f} s |")
    print(f"| containers | {containers} |")
    print(f"| wall / (commands / cores) | {wall_s / ideal_s:.2f} |")
    with_making_s = (sandbox_s + containers * plain_s) / cores()
    print(f"| wall / ((commands + plain containers) / cores) | {wall_s / with_making_s:.2f} |")
    print(f"| more than the containers' share, a ticket | {(wall_s - ideal_s) / count:.2f} s |")
    memory = ", ".join(str(one >> 10) for one in held_kib)
    print(f"| resident memory at 25, 50 and 90 % of the time, and at its end with the table | {memory} MiB |")
    print(f"| processor time of the batch's process, a ticket | {seen[-1].processor_s / count:.2f} s |")
    print("\nMeans of a ticket, in seconds. The rest of it is making and reading containers, and our own work.\n")
    print("| stage | in all | in containers |\n|---|---:|---:|")
    for name in dict.fromkeys(stage.name for one in outcomes for stage in one.stages):
        stages = [stage for one in outcomes for stage in one.stages if stage.name == name]
        in_all, inside = (sum(getattr(one, field) for one in stages) / count for field in ("duration_s", "sandbox_s"))
        print(f"| {name} | {in_all:.2f} | {inside:.2f} |")


if __name__ == "__main__":
    main()
