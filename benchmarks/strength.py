"""How long the mutants of a ticket take, in one container and in two side by side, taking turns in one run.

Beside them the second environment: its wall time to that of attack and strength together.

    python benchmarks/strength.py [rounds] [ticket …]

Tickets are those of examples/tickets that the property tester makes pass, unless others are named.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from refute.adversary.strength.scope import draw_sample
from refute.outcome import Stop
from refute.ports import Ports
from refute.settings import Settings
from refute.stages import strength as stage
from refute.stages.admission import take_snapshot
from refute.stages.brief import brief_of
from refute.stages.evidence import Evidence, Hardening
from refute.stages.second_environment import run_elsewhere
from refute.stages.trial import run_attack, screen_tests, triage_tests
from refute.stages.writing import write_tests
from refute.ticket.parse import load_ticket
from refute.ticket.record import Snapshot, Ticket

SAMPLES = Path(__file__).resolve().parents[1] / "examples" / "tickets"
DEFAULT = ("id-reconciliation",)


def main(rounds: int, names: list[str]) -> None:
    """Measure and print; seconds, medians over the rounds."""
    print(f"2 containers or 1, {rounds} rounds in turns, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    columns = ["ticket", "tests", "mutants", "killed of n", "1 container", "2 containers", "ratio"]
    columns += ["containers' seconds", "attack", "second environment", "with it to without"]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(
            state_dir=Path(folder),
            audit_path=Path(folder) / "audit.jsonl",
            mutation_timeout_s=600,
            results_max_age_s=0,
        )
        for name in names:
            print(_measure(settings, name, rounds), flush=True)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}")


def _measure(settings: Settings, name: str, rounds: int) -> str:
    ports = Ports(settings, f"bench-{name}")
    ticket = load_ticket(SAMPLES / name)
    snapshot = take_snapshot(ports, ticket)
    began = time.perf_counter()
    evidence = _attack(ports, ticket, snapshot)
    attack_s = time.perf_counter() - began
    brief = brief_of(ports, ticket, snapshot)
    sample = draw_sample(brief, count=settings.mutants, seed=snapshot.digest)
    times: dict[int, list[float]] = {1: [], 2: []}
    inside: list[float] = []
    elsewhere: list[float] = []
    told = ""
    for _ in range(rounds):
        for containers, taken in times.items():
            stage.CONTAINERS = containers  # type: ignore[misc]
            began = time.perf_counter()
            measured = stage.run_mutants(ports, snapshot, evidence, brief, sample)
            taken.append(time.perf_counter() - began)
            inside.append(measured.sandbox_s)
            assert measured.strength is not None
            told = measured.strength.void or f"{measured.strength.killed} of {measured.strength.n}"
        began = time.perf_counter()
        hardened = Hardening(evidence=evidence, measured=measured)
        assert run_elsewhere(ports, ticket, snapshot, hardened).found is not None
        elsewhere.append(time.perf_counter() - began)
    one, two = statistics.median(times[1]), statistics.median(times[2])
    tests = len(evidence.screening.attack.tests)
    again = statistics.median(elsewhere)
    figures = f"{one:.1f} | {two:.1f} | {two / one:.2f} | {statistics.median(inside):.1f}"
    figures += f" | {attack_s:.1f} | {again:.1f} | {(attack_s + two + again) / (attack_s + two):.2f}"
    return f"| {name} | {tests} | {len(sample.mutants)} | {told} | {figures} |"


def _attack(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> Evidence:
    writing = write_tests(ports, ticket, snapshot)
    assert not isinstance(writing, Stop)
    screening = screen_tests(ports, ticket, snapshot, writing.attack)
    attacked = run_attack(ports, ticket, snapshot, screening)
    triage = triage_tests(ports, ticket, snapshot, screening, attacked)
    return Evidence(screening=screening, attacked=attacked, triage=triage)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3, sys.argv[2:] or list(DEFAULT))
