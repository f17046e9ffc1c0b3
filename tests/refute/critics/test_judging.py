"""What reviews mean: a confirmed failure fails, a grave opinion goes to a person, all else is told."""

from dataclasses import replace
from typing import Any, get_args

import pytest

from refute.critics.focus import BlockOn, CriticsSettings, Focus, focuses_of
from refute.critics.judging import judge, settle
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, Standing, verdict_of
from refute.outcome import Status
from refute.ticket.schema import TicketModel
from refute.verdict import Verdict, reviewed
from tests.refute.adversary.conftest import make_brief

DEFAULTS = (Focus.CORRECTNESS, Focus.SPEC_COMPLIANCE)


def failure(severity: Severity, standing: Standing = Standing.UNCONFIRMED, evidence: str = "a.py:1") -> ReviewFailure:
    return ReviewFailure(severity=severity, description="wrong", evidence=evidence, standing=standing, reason="r")


def review(focus: Focus, *failures: ReviewFailure) -> Review:
    return Review(critic_id=f"{focus}-1", focus=focus, verdict=verdict_of(failures), failures=failures)


def unavailable(focus: Focus) -> Review:
    return Review(critic_id=f"{focus}-1", focus=focus, verdict=ReviewVerdict.UNAVAILABLE, note="no answer")


def status(*reviews: Review, **settings: Any) -> Status | None:
    return judge(reviews, **{"block_on": BlockOn.CONFIRMED, "defaults": DEFAULTS, **settings}).status


@pytest.mark.parametrize(
    ("reviews", "means"),
    [
        ([review(Focus.CORRECTNESS)], None),
        ([review(Focus.CORRECTNESS, failure(Severity.MAJOR, Standing.CONFIRMED))], Status.FAILED_REVIEW),
        ([review(Focus.CORRECTNESS, failure(Severity.MINOR, Standing.CONFIRMED))], None),
        ([review(Focus.CORRECTNESS, failure(Severity.MAJOR))], None),
        ([review(Focus.SECURITY, failure(Severity.CRITICAL))], Status.INCONCLUSIVE),
        ([review(Focus.SECURITY, failure(Severity.CRITICAL, Standing.WITHOUT_EVIDENCE))], None),
        ([unavailable(Focus.CORRECTNESS)], Status.INCONCLUSIVE),
        ([unavailable(Focus.SECURITY)], None),
    ],
)
def test_what_one_review_means(reviews, means):
    assert status(*reviews) is means


@pytest.mark.parametrize(
    ("other", "means"),
    [("a.py:1-3", Status.INCONCLUSIVE), ("./a.py:1", Status.INCONCLUSIVE), ("a.py:2", None)],
)
def test_what_two_critics_name_goes_to_a_person(other, means):
    one = review(Focus.CORRECTNESS, failure(Severity.MAJOR))
    assert status(one, review(Focus.SECURITY, failure(Severity.MAJOR, evidence=other))) is means
    same = review(Focus.CORRECTNESS, failure(Severity.MAJOR), failure(Severity.MAJOR, evidence=other))
    assert status(same) is None


def test_the_strict_reading_blocks_on_opinion_but_not_without_evidence():
    opinion = review(Focus.CORRECTNESS, failure(Severity.MAJOR))
    invented = review(Focus.CORRECTNESS, failure(Severity.MAJOR, Standing.WITHOUT_EVIDENCE))
    assert status(opinion, block_on=BlockOn.ANY) is Status.FAILED_REVIEW
    assert status(invented, block_on=BlockOn.ANY) is None


@pytest.mark.parametrize(
    ("standing", "block_on", "means"),
    [
        (Standing.UPHELD, BlockOn.CONFIRMED, Status.FAILED_REVIEW),
        (Standing.DISMISSED, BlockOn.CONFIRMED, None),
        (Standing.UPHELD, BlockOn.ANY, Status.FAILED_REVIEW),
        (Standing.DISMISSED, BlockOn.ANY, None),
    ],
)
def test_a_person_s_word_decides_what_no_test_shows(standing, block_on, means):
    other = review(Focus.SPEC_COMPLIANCE, failure(Severity.MINOR))
    opinion = (review(Focus.CORRECTNESS, failure(Severity.CRITICAL)), other)
    before = judge(opinion, block_on=block_on, defaults=DEFAULTS)
    after = settle(opinion, before.doubts, standing, f"{standing} by Ada")
    judgement = judge(after, block_on=block_on, defaults=DEFAULTS)
    assert judgement.status is means
    assert f"{standing} by Ada" in (judgement.reason if means else judgement.caveats[0])
    assert (after[0].note, after[1]) == (f"{standing} by Ada", other)
    assert not judgement.doubts


@pytest.mark.parametrize(
    ("attack", "critics", "means"),
    [
        (Status.FAILED_ADVERSARIAL, Status.FAILED_REVIEW, Status.FAILED_ADVERSARIAL),
        (Status.INCONCLUSIVE, Status.FAILED_REVIEW, Status.FAILED_REVIEW),
        (Status.PASS, Status.INCONCLUSIVE, Status.INCONCLUSIVE),
        (Status.PASS, None, Status.PASS),
    ],
)
def test_the_graver_of_two_statuses_counts(attack, critics, means):
    fails = {Status.FAILED_REVIEW: Standing.CONFIRMED, Status.INCONCLUSIVE: Standing.UNCONFIRMED}
    reviews = [review(Focus.CORRECTNESS, failure(Severity.CRITICAL, fails[critics]))] if critics else []
    judgement = judge(reviews, block_on=BlockOn.CONFIRMED, defaults=DEFAULTS)
    assert reviewed(Verdict(status=attack, reason="attack"), judgement).status is means


def test_a_ticket_adds_critics_and_takes_none_away():
    ticket = make_brief("double(n) doubles.").ticket
    assert focuses_of(ticket, CriticsSettings()) == DEFAULTS
    asked = replace(ticket, focus_areas=("performance", "style"), labels=("security-relevant",))
    assert focuses_of(asked, CriticsSettings()) == tuple(Focus)
    folders = CriticsSettings(focus_areas=(), directories={"auth": (Focus.SECURITY,)})
    assert focuses_of(replace(ticket, implementation_files=("auth/token.py",)), folders) == (Focus.SECURITY,)
    assert focuses_of(replace(ticket, implementation_files=("author.py",)), folders) == ()


def test_a_ticket_may_ask_for_every_focus_there_is():
    (names,) = get_args(TicketModel.model_fields["focus_areas"].annotation)
    assert set(get_args(names)) == {focus.value for focus in Focus}
