"""`python -m tests.fakes.gemini.examples`: record anew the answers that are bundled in `examples/recordings`.

Needed where a prompt's version, a sample ticket or its code changes, as recordings are found by exactly what was asked.
The answers are what an honest model writes to these claims; they were written by hand, from claims, signatures and
docstrings.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.fakes.gemini.server import GeminiServer, is_planting
from tests.fakes.gemini.voters import is_vote, votes
from tests.fakes.gemini.wire import Answer, Asked, json_answer

ROOT: Final = Path(__file__).parents[3]
RECORDINGS: Final = ROOT / "examples" / "recordings"
RIGHT, WRONG = "interval-merger", "interval-merger-in-place"
SETTINGS: Final = """\
enterprise: true
data_retention: none
project: {project}
location: europe-west4
base_url: {url}
"""
SECOND_ROUND: Final = "second round"


def written(name: str, claim_id: str, quote: str, lines: str, *, category: str = "edge") -> dict[str, str]:
    """A test as a model answers it.

    Args:
        name: of the function, without `test_`.
        claim_id: of the claim.
        quote: part of it.
        lines: of the function, `; ` between.
        category: of the attack.
    """
    body = "".join(f"    {line}\n" for line in lines.split("; "))
    code = f"def test_{name}():\n{body}"
    return {"name": f"test_{name}", "claim_id": claim_id, "quote": quote, "category": category, "code": code}


C1, C2 = "no two of them overlap or touch", "merge() does not modify its argument"
C3, C4 = "merge() is idempotent", "Touching intervals become one"
C5, C6 = "merge([(2, 1)]) raises ValueError", "What is covered twice counts once in total_length()"
OF_RIGHT: Final[Mapping[str, Any]] = {
    "preamble": "import pytest\nfrom intervals import gaps, merge, overlaps, total_length",
    "tests": [
        written(
            "sorted_apart",
            "C1",
            "returns the intervals in sorted order",
            "assert merge([(5, 8), (1, 3), (2, 4)]) == [(1, 4), (5, 8)]",
        ),
        written("inside", "C1", C1, "assert merge([(0, 10), (2, 3), (4, 11)]) == [(0, 11)]"),
        written("negative", "C1", C1, "assert merge([(3, 4), (-5, -1), (-2, 0)]) == [(-5, 0), (3, 4)]"),
        written("list_as_before", "C2", C2, "x = [(5, 8), (1, 3)]; merge(x); assert x == [(5, 8), (1, 3)]"),
        written("twice", "C3", C3, "once = merge([(4, 6), (1, 2), (5, 9)]); assert merge(once) == [(1, 2), (4, 9)]"),
        written("chain", "C4", C4, "assert merge([(3, 5), (1, 3), (5, 7)]) == [(1, 7)]"),
        written("no_touch", "C4", C4, "assert merge([(1, 3), (4, 5)]) == [(1, 3), (4, 5)]"),
        written(
            "reversed",
            "C5",
            C5,
            "with pytest.raises(ValueError):;     merge([(2, 1)])",
            category="failure_mode",
        ),
        written("length_twice", "C6", C6, "assert total_length([(0, 4), (2, 6), (10, 11)]) == 7"),
        written("length_nested", "C6", C6, "assert total_length([(0, 10), (2, 3), (2, 3)]) == 10"),
    ],
}
OF_RIGHT_SEEN: Final[Mapping[str, Any]] = {
    "preamble": OF_RIGHT["preamble"],
    "tests": [
        written("empty_ones_vanish", "C1", C1, "assert merge([(2, 2), (5, 6), (6, 6)]) == [(5, 6)]"),
        written(
            "late_fault",
            "C5",
            C5,
            "with pytest.raises(ValueError):;     merge([(1, 2), (2, 1)])",
            category="failure_mode",
        ),
    ],
}

D1, D2 = "merge_slots() does not modify its argument", "Adjacent slots are merged as well"
D3, D4 = "Merged slots come out by their start", "counts a minute once even if it is booked twice"
OF_WRONG: Final[Mapping[str, Any]] = {
    "preamble": "from booking import busy_minutes, merge_slots",
    "tests": [
        written("as_before", "C1", D1, "x = [(60, 90), (30, 50)]; merge_slots(x); assert x == [(60, 90), (30, 50)]"),
        written("adjacent", "C2", D2, "assert merge_slots([(60, 90), (90, 120)]) == [(60, 120)]"),
        written("three_adjacent", "C2", D2, "assert merge_slots([(0, 10), (10, 20), (20, 30)]) == [(0, 30)]"),
        written(
            "by_start", "C3", D3, "assert merge_slots([(50, 60), (1, 9), (20, 30)]) == [(1, 9), (20, 30), (50, 60)]"
        ),
        written("booked_twice", "C4", D4, "assert busy_minutes([(0, 10), (5, 15)]) == 15"),
        written("booked_inside", "C4", D4, "assert busy_minutes([(0, 60), (10, 20)]) == 60"),
    ],
}
VOTES: Final[Mapping[str, Mapping[str, str]]] = {
    "(30, 50)": {"demand": "returns", "value": "[(60, 90), (30, 50)]"},
    "(90, 120)": {"demand": "returns", "value": "[(60, 120)]"},
    "(20, 30)": {"demand": "returns", "value": "[(0, 30)]"},
}


def breaking(claim_id: str, original: str, replacement: str, behaviour: str, lines: str) -> dict[str, Any]:
    """An edit of `intervals` as a model answers it; the lines are those of its witness, `; ` between."""
    body = "".join(f"    {line}\n" for line in ("from intervals import merge, total_length", *lines.split("; ")))
    return {
        "claim_id": claim_id,
        "clause": 1,
        "module": "intervals",
        "original": original,
        "replacement": replacement,
        "behaviour": behaviour,
        "witness": f"def test_witness():\n{body}",
    }


BREAKING: Final = [
    breaking(
        "C1",
        "    return sorted(kept)",
        "    return kept",
        "intervals come out in the order in which they were given",
        "assert merge([(5, 8), (1, 3)]) == [(1, 3), (5, 8)]",
    ),
    breaking(
        "C2",
        "    merged: list[Interval] = []\n",
        "    merged: list[Interval] = []\n    if isinstance(intervals, list):\n        intervals.sort()\n",
        "the list that is handed over is sorted",
        "given = [(5, 8), (1, 3)]; merge(given); assert given == [(5, 8), (1, 3)]",
    ),
    breaking(
        "C4",
        "start <= merged[-1][1]",
        "start < merged[-1][1]",
        "intervals that only touch stay apart",
        "assert merge([(1, 3), (3, 5)]) == [(1, 5)]",
    ),
    breaking(
        "C6",
        "for start, end in merge(intervals))",
        "for start, end in _checked(intervals))",
        "what is covered twice counts twice",
        "assert total_length([(0, 4), (2, 6)]) == 6",
    ),
]


def honest(asked: Asked) -> Answer:
    """What an honest model says to the prompts of both tickets."""
    if is_vote(asked):
        return votes(asked, VOTES)
    if is_planting(asked):
        return json_answer({"violations": BREAKING})
    right = "total_length" in asked.text
    if SECOND_ROUND in asked.text:
        return json_answer(OF_RIGHT_SEEN if right else {"tests": []})
    return json_answer(OF_RIGHT if right else OF_WRONG)


def main() -> None:
    """Record the answers of both tickets, in place of what is there."""
    for old in RECORDINGS.glob("*.json"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder, GeminiServer(honest, port=8787) as server:
        server.plant = honest
        home = Path(folder)
        (home / "gemini.yaml").write_text(SETTINGS.format(project=server.project, url=server.url))
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "GOOGLE_APPLICATION_CREDENTIALS": str(server.write_credentials(home)),
            "REFUTE_STATE_DIR": str(home / "state"),
        }
        for ticket in (RIGHT, WRONG):
            command = [sys.executable, "-m", "flows.cli", "verify", str(ROOT / "examples" / "tickets" / ticket)]
            command += ["--yes", "--fresh", "--tester", "gemini", "--record", str(RECORDINGS)]
            subprocess.run(command, cwd=home, env=environment, check=False)  # its exit code is the verdict


if __name__ == "__main__":
    main()
