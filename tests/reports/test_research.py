"""How findings read: on a terminal, as Markdown and JSON, and both modes side by side."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from refute.critics.judging import Judgement
from refute.critics.record import ReviewVerdict
from refute.ledger.reviews import ReviewRow
from refute.research.record import Citation, Denial, Findings, KeyPoint, Mode, Source
from refute.stages.evidence import Critique
from reports.research import render_comparison, render_findings
from reports.reviews import render_critique, render_reviews

FOUND = Findings(
    goal_id="1",
    mode=Mode.DEFENDED,
    summary="Pears keep. [1]",
    key_points=(KeyPoint(text="They keep.", quote="they keep for long", source=1, start=3, end=21),),
    citations=(Citation(number=1, url="https://docs.example.org/", title="Pears\x1b[31m"),),
    notes=("source 2: link: to an address that was not fetched",),
    denials=(Denial(gate="url", what="https://evil.example/", reason="not allowed"),),
    actions=('{"tool": "fetch"}',),
    sources=(Source(number=1, url="https://docs.example.org/", text="Oh they keep for long"),),
    cost_usd=Decimal("0.02"),
)
NOTHING = Findings(goal_id="1", mode=Mode.VULNERABLE, summary="", key_points=(), citations=(), notes=())


def test_findings_are_told_with_passages_sources_notes_and_cost():
    assert render_findings(FOUND, "table").split("\n\n") == [
        "Pears keep. [1]",
        "- They keep. [1]\n    “they keep for long”",
        r"[1] https://docs.example.org/  Pears\x1b[31m",
        "Notes\n- source 2: link: to an address that was not fetched",
        "1 key point from 1 source, 1 note, $0.02",
    ]


@pytest.mark.parametrize("found", [FOUND, NOTHING])
def test_markdown_and_json_hold_no_markup_of_a_page(found):
    assert "\x1b" not in render_findings(found, "markdown")
    told = json.loads(render_findings(found, "json"))
    assert told["mode"] == found.mode
    assert all("text" not in source for source in told["sources"])


def test_both_modes_stand_side_by_side():
    shown = render_comparison(NOTHING, FOUND, "table")
    assert "evil.example" in shown
    assert "vulnerable" in shown.splitlines()[1]
    assert set(json.loads(render_comparison(NOTHING, FOUND, "json"))) == {"vulnerable", "defended"}


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
