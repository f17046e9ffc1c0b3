"""What pytest's own report says of the tests; code that runs beside it may have written anything there."""

import dataclasses

import pytest

from refute.adversary.attack import TestEnd
from refute.adversary.plain_pytest import plain_job, read_plain_runs
from refute.sandbox.job import Exited, JobResult
from refute.sandbox.surroundings import PLAIN
from tests.refute.adversary.conftest import make_attack, make_brief, make_outline, make_test

NAMES = ["test_a"]
ATTACK = make_attack("def test_a(): pass\n", [make_test("test_a")])
TEXT = "/checks/test_x.py:5: in test_a\n    assert f(1) == 2\n"
INSIDE = "impl.py:3: in f\n    x\n"


@pytest.fixture
def job():
    return plain_job(dataclasses.replace(make_outline(), surroundings=PLAIN), make_brief().ticket, ATTACK, [NAMES])


def report(inside: str) -> bytes:
    return f'<testsuites><testsuite><testcase name="test_a">{inside}</testcase></testsuite></testsuites>'.encode()


def read(job, content: bytes | None):
    collected = {} if content is None else {"0.xml": content}
    result = JobResult(end=Exited(code=0), stdout="", stderr="", duration_s=1, overhead_s=0, collected=collected)
    (run,) = read_plain_runs(job, result, [NAMES])
    return run


def test_a_failed_assertion_and_an_error_of_the_code_are_told_apart(job):
    asserted = read(job, report(f'<failure message="assert 1 == 2">{TEXT}</failure>'))
    assert (asserted.end, asserted.error_type, asserted.error_message) == (
        TestEnd.FAILED,
        "AssertionError",
        "assert 1 == 2",
    )
    assert not asserted.raised_in_implementation
    raised = read(job, report(f'<failure message="KeyError: 1">{TEXT}{INSIDE}</failure>'))
    assert (raised.error_type, raised.error_message, raised.raised_in_implementation) == ("KeyError", "1", True)


def test_a_test_that_passed_was_skipped_or_could_not_be_collected(job):
    assert read(job, report("")).end is TestEnd.PASSED
    assert read(job, report('<skipped message="no"/>')).end is TestEnd.SKIPPED
    assert read(job, report('<error message="collection failure">…</error>')).end is TestEnd.BROKEN


@pytest.mark.parametrize(
    "content", [None, b"no xml", b'<!DOCTYPE a [<!ENTITY b "c">]><testsuites>&b;</testsuites>', b"\xff\xfe"]
)
def test_without_a_readable_report_every_test_is_missing(job, content):
    assert read(job, content).end is TestEnd.MISSING


def test_each_group_has_a_process_and_a_report_of_its_own(job):
    outline = dataclasses.replace(job, surroundings=dataclasses.replace(PLAIN, tests="/elsewhere"))
    again = plain_job(outline, make_brief().ticket, ATTACK, [NAMES, NAMES])
    assert again.collect == ("0.xml", "1.xml")
    assert again.command[-1].count("-m pytest") == len(again.collect)
    assert "--junitxml=/elsewhere/1.xml" in again.command[-1]
