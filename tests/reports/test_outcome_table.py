"""The terminal view: readable at any width, without colour, and never longer than a person reads."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from rich.cells import cell_len

from refute.outcome import ClaimVerdict, RoundYield, Status
from reports.artifacts import claims_rows
from reports.evidence import round_lines
from reports.outcome_formats import render_batch, render_table

EXPECTED = ["PASS_WEAK", "FAILED_ADVERSARIAL", "BLOCKED_DANGEROUS_SCRIPT", "PASS"]


@pytest.mark.parametrize("width", [80, 120])
def test_a_batch_looks_as_agreed(outcomes, width, golden):
    golden(f"batch_{width}.txt", render_batch(list(outcomes.values()), expected=EXPECTED, width=width))


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(named_outcome, width):
    text = render_table(named_outcome[1], width=width) + render_batch([named_outcome[1]], width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_the_field_that_a_claim_needs_stands_once_where_it_is_a_step(outcomes):
    bare = replace(outcomes["pass_weak"].claims[0], verdict=ClaimVerdict.UNTESTED, reason="none; add  same_as: 1")
    weak, failed = (replace(outcomes[name], claims=(bare,)) for name in ("pass_weak", "failed_adversarial"))
    for outcome in (weak, failed):
        assert render_table(outcome, width=300).count("same_as: 1") == 1


def test_what_pytest_says_of_an_error_is_told_once(outcomes):
    failure = replace(outcomes["failed_adversarial"].failures[0], error_message="5 != 4")
    failure = replace(failure, traceback="test.py:9: in test_x\n    assert f() == 4\nE   AssertionError: 5 != 4\nE")
    text = render_table(replace(outcomes["failed_adversarial"], failures=(failure,)))
    assert (text.count("5 != 4"), text.count("assert f() == 4")) == (1, 1)


def test_a_command_to_copy_is_never_wrapped(outcomes):
    path = "/a/rather/long/directory" * 6 + "/reproduce.py"
    text = render_table(outcomes["failed_adversarial"], width=80, reproducers={"test_c2_limit": path})
    assert f"python {path}\n" in text


def test_colour_is_there_for_a_terminal_and_not_where_no_color_is_set(outcomes, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[1;31m" in render_table(outcomes["failed_adversarial"], color=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in render_table(outcomes["failed_adversarial"], color=True)


@pytest.mark.parametrize("status", Status)
def test_every_status_can_be_shown(outcomes, status):
    shown = replace(outcomes["failed_verification"], status=status)
    assert status.value in render_table(shown)
    assert status.value in render_batch([shown], expected=["PASS"])


def test_costs_below_a_cent_are_not_rounded_away(outcomes):
    assert "$0.00042" in render_table(replace(outcomes["blocked"], cost_usd=Decimal("0.00042")))


def test_each_round_of_a_model_tells_what_it_brought():
    first = RoundYield(tester="gemini", round="claims-first-1", tier="flash", written=8, accepted=7, refuting=2)
    alone = RoundYield(tester="property", written=3, accepted=3)
    assert round_lines([first, alone]) == [
        "gemini, claims-first-1 (flash): 8 written, 7 accepted, 2 refuting",
        "property: 3 written, 3 accepted, 0 refuting",
    ]
    assert round_lines([alone]) == []


def test_rows_are_plain_json_one_per_claim(outcomes):
    rows = claims_rows(outcomes["failed_adversarial"])
    assert json.loads(json.dumps(rows)) == rows
    assert [(row["claim"], row["verdict"], row["evidence"]) for row in rows] == [
        ("C1", "survived", "1 test, independent"),
        ("C2", "REFUTED", "test_c2_limit"),
    ]
    assert "\x1b" not in str(rows[1]["text"])


def test_a_ticket_whose_claims_were_not_judged_has_a_row_that_says_why(outcomes):
    (row,) = claims_rows(outcomes["blocked"])
    assert row["verdict"] == "BLOCKED_DANGEROUS_SCRIPT"
    assert "verify.sh:7" in str(row["evidence"])
