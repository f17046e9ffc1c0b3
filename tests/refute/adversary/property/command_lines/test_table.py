"""Each row of command_lines.toml by its own examples."""

import pytest

from refute.adversary.property.command_lines.table import table
from tests.refute.adversary.property.command_lines.bench_of_programs import attack_on

PROGRAM = {"tool.py": "import sys\nprint(len(sys.argv))\n", "a.txt": "1\n"}
ROWS = [*table()["says"], *table()["promise"]]
EXAMPLES = ("`tool.py a.txt` prints `2`.", "`printf '1\\n' | tool.py` prints `1`.")


def _tests(claim: str) -> int:
    """How many tests are written for a claim."""
    return sum(test.claim_id == "C1" for test in attack_on(PROGRAM, claim, *EXAMPLES, programs=["tool.py"]).tests)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_row_matches_its_example(row: dict[str, str]) -> None:
    assert _tests(row["matches"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_row_leaves_other_sentences_alone(row: dict[str, str]) -> None:
    assert not _tests(row["not"])
