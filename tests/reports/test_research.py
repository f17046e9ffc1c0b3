"""How findings read: on a terminal, as Markdown and JSON, and both modes side by side."""

import json
from decimal import Decimal

import pytest

from refute.research.record import Citation, Denial, Findings, KeyPoint, Mode, Source
from reports.research import render_comparison, render_findings

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
    assert render_findings(FOUND, "table").splitlines() == [
        "Pears keep. [1]",
        "",
        "- They keep. [1]",
        "    “they keep for long”",
        "",
        r"[1] https://docs.example.org/  Pears\x1b[31m",
        "",
        "Notes",
        "- source 2: link: to an address that was not fetched",
        "",
        "1 key point from 1 source, 1 note, $0.02",
    ]


def test_nothing_found_is_said():
    assert render_findings(NOTHING, "table").startswith("No source says anything")


@pytest.mark.parametrize("found", [FOUND, NOTHING])
def test_markdown_and_json_hold_no_markup_of_a_page(found):
    assert "\x1b" not in render_findings(found, "markdown")
    told = json.loads(render_findings(found, "json"))
    assert told["mode"] == found.mode
    assert all("text" not in source for source in told["sources"])


def test_both_modes_stand_side_by_side():
    shown = render_comparison(NOTHING, FOUND, "table")
    assert "evil.example" in shown
    assert "vulnerable" in shown.splitlines()[2]
    assert set(json.loads(render_comparison(NOTHING, FOUND, "json"))) == {"vulnerable", "defended"}
