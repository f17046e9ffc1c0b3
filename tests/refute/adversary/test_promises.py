"""What claims rule out: each row of the table by its own examples."""

from typing import Any

import pytest

from refute.adversary.promises import promised, rules_out
from refute.adversary.tables import rows


@pytest.mark.parametrize("row", rows("promises"), ids=lambda row: row["says"][0])
def test_a_row_matches_what_it_says_and_its_kind_nothing_else(row: dict[str, Any]) -> None:
    assert all(row["pattern"].search(text) for text in row["says"])
    assert not promised(row["not"], row["kind"])


@pytest.mark.parametrize(
    ("claim", "duration_s", "ruled_out"),
    [
        ("It returns within 2 seconds.", 3.0, True),
        ("It returns within 2 seconds.", 1.0, False),
        ("It takes at most 1.5 minutes.", 100.0, True),
        ("It responds in 20 ms.", 0.1, True),
        ("It always terminates.", 0.1, True),
        ("It doubles.", 100.0, False),
    ],
)
def test_a_time_is_ruled_out_by_the_claim_s_own_bound(claim: str, duration_s: float, *, ruled_out: bool) -> None:
    assert rules_out(claim, "time", duration_s) is ruled_out
