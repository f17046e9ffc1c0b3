"""Each row of `withheld.toml` leaves out what it says, for its reason, and spares what it must not."""

import pytest

from refute.ticket.withheld import table, withheld_reason

ROWS = table()["rule"]


@pytest.mark.parametrize(("path", "reason"), [(path, row["reason"]) for row in ROWS for path in row["matches"]])
def test_a_row_withholds_its_examples(path: str, reason: str) -> None:
    assert withheld_reason(path) == reason


@pytest.mark.parametrize("path", [path for row in ROWS for path in row["spares"]])
def test_no_row_withholds_what_is_harmless(path: str) -> None:
    assert withheld_reason(path) is None
