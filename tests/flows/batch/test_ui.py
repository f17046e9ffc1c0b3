"""What a batch leaves for whoever opens its run at eight in the morning."""

from decimal import Decimal

import pytest

from flows.batch.document import render_result
from flows.batch.progress import in_words
from flows.batch.result import BatchResult
from flows.batch.ui import closing_lines, render_summary, row_of
from refute.batch.tally import Tally
from refute.ledger.batches import Batch
from refute.outcome import Outcome, Status
from tests.fakes.outcomes import AT, FAILURE, fake_outcome


class FakeBatches:
    """Holds these outcomes."""

    def __init__(self, *outcomes: Outcome) -> None:
        self._outcomes = outcomes

    def outcomes(self, _batch_id: str) -> tuple[Outcome, ...]:
        return self._outcomes

    def find(self, batch_id: str) -> Batch:
        return Batch(id=batch_id, source="tickets", created_at=AT)

    def tickets(self, _batch_id: str) -> tuple[()]:
        return ()


def result_of(*outcomes: Outcome) -> BatchResult:
    tally = Tally(total=len(outcomes))
    for outcome in outcomes:
        tally.add(outcome)
    return BatchResult(batch_id="nightly", tally=tally)


REFUTED = fake_outcome("T-1", status=Status.FAILED_ADVERSARIAL, failures=(FAILURE,), title="A long title")
UNPRICED = fake_outcome("T-2", cost_usd=None)


def test_the_reason_stands_before_the_title_which_may_run_out_of_the_page() -> None:
    summary = render_summary(result_of(REFUTED), [row_of(REFUTED)])
    why = r"C1 refuted: xs=\[2, 1\] → AssertionError: \[2, 1\] \!= \[1, 2\]"
    assert rf"| FAILED\_ADVERSARIAL | T-1 | {why} | A long title |" in summary


def test_the_log_ends_with_what_needs_somebody() -> None:
    rows = [row_of(fake_outcome(f"T-{n}", status=Status.ERROR, reason="no engine")) for n in range(22)]
    lines = closing_lines([*rows, row_of(fake_outcome("GOOD"))])
    assert lines[0] == "T-0: ERROR: no engine"
    assert (len(lines), lines[-1]) == (21, "and 2 more: artifact batch-summary")


@pytest.mark.parametrize("form", ["table", "json"])
def test_what_nobody_knows_the_cost_of_costs_not_nothing(form: str) -> None:
    priced = fake_outcome("T-3", cost_usd=Decimal("0.25"))
    result = result_of(UNPRICED, priced)
    shown = render_result(result, FakeBatches(UNPRICED, priced), form, color=False)  # type: ignore[arg-type]
    expected = {"table": "$0.25 and 1 ticket of unknown cost", "json": '"cost_unknown": 1'}
    assert expected[form] in shown
    assert "$0.25 and 1 ticket of unknown cost" in render_summary(result, [])


def test_the_state_of_a_batch_names_what_failed_and_where_more_is_said() -> None:
    failed = [fake_outcome(name, status=Status.FAILED_VERIFICATION) for name in "GFEDCBA"]
    result = result_of(*failed, fake_outcome("H", status=Status.ERROR))
    assert (result.headline, result.status) == (Status.FAILED_VERIFICATION, Status.ERROR)
    assert render_summary(result, []).startswith("# ✗ nightly")
    said = result.story()
    assert said.startswith("7 FAILED_VERIFICATION, 1 ERROR. Failed: A, B, C, D, E and 2 more. Details: artifact ")


def test_a_batch_is_told_by_its_counts_its_cost_and_the_time_that_is_left() -> None:
    tally = Tally(total=2)
    tally.add(fake_outcome("T-1", status=Status.PASS_WEAK, cost_usd=None))
    assert in_words(tally, 90) == "1 PASS_WEAK; $0.00 and 1 ticket of unknown cost, about 1 min 30 s left"
    assert in_words(tally, None) == "1 PASS_WEAK; $0.00 and 1 ticket of unknown cost"
    tally.add(fake_outcome("T-2", status=Status.PASS_WEAK))
    assert in_words(tally, 90).partition("; ")[0] == "2 PASS_WEAK"
    assert "left" not in in_words(tally, 90)
