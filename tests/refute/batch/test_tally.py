from collections import Counter

import pytest

from refute.batch.tally import WORST_FIRST, Tally, worst
from refute.outcome import Status


def test_every_status_has_a_place_in_the_order():
    assert sorted(WORST_FIRST) == sorted(Status)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["PASS", "SKIPPED"], 0),
        (["PASS", "PASS_WEAK", "SKIPPED", "DRY_RUN"], 11),
        (["PASS_WEAK", "FAILED_ADVERSARIAL", "SKIPPED"], 10),
        (["FAILED_ADVERSARIAL", "BLOCKED_DANGEROUS_SCRIPT"], 12),
        (["BLOCKED_DANGEROUS_SCRIPT", "ERROR", "FAILED_IMPORT"], 1),
        (["PENDING", "PASS_WEAK"], 16),
        (["INCONCLUSIVE", "PASS_WEAK"], 15),
    ],
)
def test_a_batch_exits_with_its_worst_ticket(statuses, code):
    found = worst(map(Status, statuses))
    assert found is not None
    assert found.exit_code == code


def test_without_a_ticket_nothing_is_the_worst():
    assert worst([]) is None


def test_time_left_goes_by_the_pace_of_this_process_alone(outcome):
    tally = Tally(total=10)
    tally.add(outcome("T-1"), earlier=True)
    assert tally.left_s(5.0) is None
    tally.add(outcome("T-2"))
    tally.add(outcome("T-3"))
    assert tally.left_s(4.0) == pytest.approx(14.0)
    assert tally.fraction == pytest.approx(0.3)


def test_counts_are_told_worst_first(outcome):
    tally = Tally(total=3)
    for status in (Status.PASS_WEAK, Status.ERROR, Status.PASS_WEAK):
        tally.add(outcome(status=status))
    assert tally.words() == "1 ERROR, 2 PASS_WEAK"


def test_an_empty_batch_is_done():
    assert Tally(total=0).fraction == 1.0


def test_what_was_found_out_about_code_is_told_before_what_could_not_run():
    tally = Tally(total=3, counts=Counter({Status.ERROR: 1, Status.PASS: 1, Status.FAILED_ADVERSARIAL: 1}))
    assert tally.words() == "1 FAILED_ADVERSARIAL, 1 ERROR, 1 PASS"
    assert worst(tally.counts) is Status.ERROR
