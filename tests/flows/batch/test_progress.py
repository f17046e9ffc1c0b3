"""How far a batch has come, in words."""

from flows.batch.progress import in_words
from refute.batch.tally import Tally
from refute.outcome import Status
from tests.fakes.outcomes import fake_outcome


def test_a_batch_is_told_by_its_counts_its_cost_and_the_time_that_is_left() -> None:
    tally = Tally(total=2)
    tally.add(fake_outcome("T-1", status=Status.PASS_WEAK, cost_usd=None))
    assert in_words(tally, 90) == "1 PASS_WEAK; $0.00 and 1 ticket of unknown cost, about 1 min 30 s left"
    assert in_words(tally, None) == "1 PASS_WEAK; $0.00 and 1 ticket of unknown cost"
    tally.add(fake_outcome("T-2", status=Status.PASS_WEAK))
    assert in_words(tally, 90).partition("; ")[0] == "2 PASS_WEAK"
    assert "left" not in in_words(tally, 90)
