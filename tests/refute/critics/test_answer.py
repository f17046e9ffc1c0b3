"""A critic's answer is read strictly, and its verdict follows from its failures."""

import json
from dataclasses import replace
from typing import Any

import pytest

from refute.critics.answer import ReadReview, read_remedy, read_review
from refute.critics.material import change_of, missing_evidence, promises_of
from refute.critics.record import ReviewVerdict
from tests.refute.adversary.conftest import make_brief

FAILURE = {"severity": "major", "description": "loses\nthe sign", "evidence": "impl.py:1"}


def read(verdict: str, *failures: Any) -> ReadReview:
    review = read_review(json.dumps({"verdict": verdict, "failures": failures}))
    assert isinstance(review, ReadReview), review
    return review


@pytest.mark.parametrize(
    ("said", "severities", "means"),
    [
        ("pass", [], ReviewVerdict.PASS),
        ("pass", ["critical"], ReviewVerdict.FAIL),
        ("fail", [], ReviewVerdict.PASS),
        ("fail", ["minor"], ReviewVerdict.CONDITIONAL_PASS),
        ("conditional_pass", ["minor", "major"], ReviewVerdict.FAIL),
    ],
)
def test_a_verdict_that_contradicts_its_failures_is_theirs_and_told(said, severities, means):
    review = read(said, *({**FAILURE, "severity": one} for one in severities))
    assert review.verdict is means
    assert bool(review.note) is (said != means.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I find nothing wrong.",
        "[]",
        '{"verdict": "pass"}',
        '{"verdict": "fine", "failures": []}',
        json.dumps({"verdict": "fail", "failures": [{**FAILURE, "severity": "blocker"}]}),
        json.dumps({"verdict": "fail", "failures": [{**FAILURE, "evidence": ""}]}),
        json.dumps({"verdict": "fail", "failures": [{**FAILURE, "fix": "add abs"}]}),
        json.dumps({"verdict": "fail", "failures": [FAILURE] * 31}),
        json.dumps({"verdict": "fail", "failures": [FAILURE]})[:-2],
        "[" * 100_000,
    ],
)
def test_what_is_not_of_the_form_is_no_review(text):
    assert isinstance(read_review(text), str)


def test_text_of_a_failure_is_one_printable_line():
    (failure,) = read("fail", FAILURE).failures
    assert failure.description == "loses the sign"


@pytest.mark.parametrize(
    ("text", "remedy"), [('{"remediation": "keep it"}', "keep it"), ("no", ""), ('{"remediation": 1}', "")]
)
def test_a_remedy_is_text_or_nothing(text, remedy):
    assert read_remedy(text) == remedy


FILES = {"pkg/impl.py": b"def double(n):\n    return n + n\n", "data.bin": b"\xff\xfe"}


@pytest.mark.parametrize(
    ("evidence", "there"),
    [
        ("pkg/impl.py:2", True),
        ("./pkg/impl.py:1-2", True),
        ("see pkg/impl.py:1 and pkg/impl.py:2", True),
        ("`return n + n`", True),
        ("def double(n): return n + n", True),
        ("pkg/impl.py:9", False),
        ("pkg/impl.py:0", False),
        ("pkg/impl.py:2-1", False),
        ("other.py:1", False),
        ("return n * n", False),
        ("n", False),
        ("everywhere", False),
    ],
)
def test_evidence_is_looked_up(evidence, there):
    assert (missing_evidence(evidence, FILES) == "") is there


def test_all_that_a_ticket_promises_can_be_broken():
    ticket = replace(
        make_brief("double(n) doubles.").ticket,
        success_criteria=("it is quick",),
        anti_criteria=("it prints nothing",),
        description="Double numbers.",
    )
    assert [one.id for one in promises_of(ticket)] == ["C1", "S1", "A1", "TASK"]


def test_a_change_is_a_diff_where_there_is_a_version_before_and_never_longer_than_allowed():
    brief = make_brief("double(n) doubles.", max_prompt_chars=1_000)
    assert "# file" in change_of(brief)
    assert "-old = 1" in change_of(replace(brief, earlier={"impl.py": "old = 1\n"}))
    long = replace(brief, modules=(replace(brief.modules[0], source="x = 1\n" * 1_000),))
    assert "[cut: " in change_of(long)
    assert len(change_of(long)) < 1_100
