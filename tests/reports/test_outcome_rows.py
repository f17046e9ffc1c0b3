"""Rows for Prefect's table artifact."""

import json

from refute.outcome import Outcome
from reports.outcome_rows import claims_rows


def test_rows_are_plain_json_one_per_claim(outcomes: dict[str, Outcome]) -> None:
    rows = claims_rows(outcomes["failed_adversarial"])
    assert json.loads(json.dumps(rows)) == rows
    assert [(row["claim"], row["verdict"], row["evidence"]) for row in rows] == [
        ("C1", "survived", "1 test, 1 independent"),
        ("C2", "REFUTED", "test_c2_limit"),
    ]
    assert "\x1b" not in str(rows[1]["text"])


def test_a_ticket_whose_claims_were_not_judged_has_a_row_that_says_why(outcomes: dict[str, Outcome]) -> None:
    (row,) = claims_rows(outcomes["blocked"])
    assert row["verdict"] == "BLOCKED_DANGEROUS_SCRIPT"
    assert "verify.sh:7" in str(row["evidence"])
