"""Runs forgeries and says where one got through: a test that truly fails must not be reported passed and attested."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from refute.adversary.attack import TriageVerdict
from tests.refute.driver.compat.case_file import CaseFile
from tests.refute.driver.compat.judging import told, triaged
from tests.refute.driver.driving import run_driver

FOLDER = Path(__file__).with_name("cases")
MOST_RUNS = 40


def run_case(folder: Path, case: CaseFile) -> list[dict[str, Any]]:
    """The results of as many runs as it takes to decide every test.

    Tampering ends a run with tests undecided; these would be hidden behind it, so they get a run of their own.
    """
    runs: list[dict[str, Any]] = []
    waiting = list(case.tests)
    while waiting and len(runs) < MOST_RUNS:
        place = folder / str(len(runs))
        results = run_driver(place, case.files, case.test, waiting, **({"modules": case.modules} | case.plan))
        runs.append(results)
        ends = {report["name"]: report["end"] for report in results.get("first", ())}
        undecided = [name for name in waiting if ends.get(name, "missing") == "missing"]
        waiting = [name for name in undecided if name != waiting[0]]
    return runs


def breaches(case: CaseFile, runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Each report that would count towards a pass and may not, and each honest test that did not count."""
    counted: set[str] = set()
    for results in runs:
        trusted = results["exit_code"] == 0 and not results["tampering"]
        known = "" if trusted else " (in a run known as tampered with)"
        for report in (
            report for again in [results.get("first", []), *results.get("repetitions", [])] for report in again
        ):
            if case.marks.get(report["name"]) == "dodge" and report["end"] not in {"passed", "missing"}:
                yield from _put_aside(report)
            if report["end"] == "passed" and report["attested"]:
                counted.add(report["name"])
                if case.marks.get(report["name"]) not in {"honest", "either"}:
                    yield f"{report['name']}: passed and attested{known}"
    if any(results["exit_code"] == 0 and not results["tampering"] for results in runs):
        honest = {name for name, mark in case.marks.items() if mark == "honest"}
        yield from (f"{name}: honest, and did not pass attested" for name in sorted(honest - counted))


def _put_aside(report: dict[str, Any]) -> Iterator[str]:
    """A failure that would not count: the rest of the tests would then speak for the claim."""
    verdict, reason = triaged(report)
    if verdict not in {TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW}:
        yield f"{report['name']}: triaged {verdict}: {reason} ({told(report)})"
