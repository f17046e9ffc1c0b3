"""What the driver may say of a test, held against what the case says; every breach is one line to read."""

from collections.abc import Iterator
from typing import Any

from refute.adversary.attack import TestEnd, TriageVerdict
from refute.adversary.judgement.triage import triage_tests
from tests.refute.adversary.conftest import make_attack, make_attack_run, make_brief, make_run, make_test
from tests.refute.driver.compat.case_file import CaseFile

CARRIED = (
    "error_type", "error_message", "raised_in_implementation", "raised_on_purpose", "reached_implementation",
    "not_carried", "not_carried_back",
)  # fmt: skip


def breaches_of_right_code(case: CaseFile, reports: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What is wrong about the reports on right code."""
    for name in case.tests:
        report, mark = reports[name], case.marks.get(name, "attested")
        if mark == "cannot":
            verdict, reason = triaged(report)
            if report["end"] == "passed" or verdict not in {TriageVerdict.INVALID, TriageVerdict.NEEDS_REVIEW}:
                yield f"{name}: ended {told(report)}, triaged {verdict}: {reason}"
        elif report["end"] != "passed":
            yield f"{name}: ended {told(report)}"
        elif mark != "either" and report["attested"] != (mark == "attested"):
            yield f"{name}: passed, attested={report['attested']}, expected {mark}"


def breaches_of_wrong_code(case: CaseFile, reports: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What is wrong about the reports on the wrong variants."""
    for name in case.tests:
        report = reports[name]
        if case.marks.get(name) == "cannot":
            continue
        if name in case.caught and report["end"] != "failed":
            yield f"{name}: must fail on the wrong variant, ended {told(report)}"
        if name in case.caught and report["not_carried"]:
            yield f"{name}: fails on the wrong variant, and {report['not_carried']}"
        if report["end"] == "failed" and not (report["reached_implementation"] or name in case.by_process):
            yield f"{name}: failed rightly, but is said not to have reached the implementation: {told(report)}"
        if name not in case.caught and report["end"] != "passed":
            yield f"{name}: is not about the wrong variant, ended {told(report)}"


def triaged(report: dict[str, Any]) -> tuple[TriageVerdict, str]:
    """The triage of a model's test that ended thus in each of four runs."""
    test = make_test("test_a")
    run = make_run("test_a", TestEnd(report["end"]), **{field: report[field] for field in CARRIED})
    source = "import impl\ndef test_a():\n    assert impl.double(2) == 4\n"
    (result,) = triage_tests(
        make_attack_run([run], [run], [run], [run]), make_attack(source, [test]), make_brief(), repetitions=3
    )
    return result.verdict, result.reason


def told(report: dict[str, Any]) -> str:
    """A report in one line."""
    message = " ".join(str(report["error_message"]).split())[:300]
    where = " (raised in the implementation)" if report["raised_in_implementation"] else ""
    return f"{report['end']} {report['error_type']}: {message}{where}"
