"""What critics said, as a person and as a program reads it."""

import json
from datetime import UTC, datetime
from decimal import Decimal

from refute.critics.judging import Judgement
from refute.critics.record import ReviewVerdict
from refute.ledger.reviews import ReviewRow
from refute.stages.evidence import Critique
from reports.reviews import render_critique, render_reviews


def row(**facts: object) -> ReviewRow:
    known: dict[str, object] = dict.fromkeys(ReviewRow.__dataclass_fields__, "")
    known |= {"at": datetime(2026, 3, 1, tzinfo=UTC), "ticket_id": "T-1", "focus": "correctness"}
    known |= {"verdict": ReviewVerdict.PASS, "failures": 0, "confirmed": 0, "input_tokens": 10, "output_tokens": 5}
    return ReviewRow(**{**known, "cost_usd": Decimal("0.02"), **facts})  # type: ignore[arg-type]  # by name


def test_reviews_are_counted_by_focus_and_the_last_ones_listed() -> None:
    rows = [row(), row(verdict=ReviewVerdict.FAIL, failures=2, confirmed=1, cost_usd=None)]
    shown = render_reviews(rows, "table")
    assert "correctness: fail, 2 failures, 1 confirmed" in shown
    assert shown.splitlines()[0].split()[0] == "focus"
    told = json.loads(render_reviews(rows, "json"))
    assert (told["by_focus"][0]["confirmed"], told["reviews"][1]["cost_usd"]) == (1, None)
    assert render_reviews([], "table").startswith("no review yet")


def test_one_ticket_s_critique_ends_with_what_it_means() -> None:
    critique = Critique(reviews=(), judgement=Judgement(status=None))
    assert "no objection: no finding blocks" in render_critique(critique, "table")
    assert json.loads(render_critique(critique, "json"))["reviews"] == []
