"""A critic's answer is read strictly, and its verdict follows from its failures."""

import json
from typing import Any

import pytest

from refute.critics.answer import ReadReview, read_remedy, read_review
from refute.critics.record import ReviewVerdict

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
