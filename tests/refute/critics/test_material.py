"""What critics are shown, and whether what they point at is there."""

from dataclasses import replace

import pytest

from refute.critics.material import change_of, missing_evidence, promises_of
from tests.refute.adversary.conftest import make_brief

FILES = {"pkg/impl.py": b"def double(n):\n    return n + n\n", "data.bin": b"\xff\xfe"}


@pytest.mark.parametrize(
    ("evidence", "there"),
    [
        ("pkg/impl.py:2", True),
        ("./pkg/impl.py:1-2", True),
        ("see pkg/impl.py:1 and pkg/impl.py:2", True),
        ("`return n + n`", True),
        ("def double(n): return n + n", True),
        ("pkg/impl.py:9", False),
        ("pkg/impl.py:0", False),
        ("pkg/impl.py:2-1", False),
        ("other.py:1", False),
        ("return n * n", False),
        ("n", False),
        ("everywhere", False),
    ],
)
def test_evidence_is_looked_up(evidence, there):
    assert (missing_evidence(evidence, FILES) == "") is there


def test_all_that_a_ticket_promises_can_be_broken():
    ticket = replace(
        make_brief("double(n) doubles.").ticket,
        success_criteria=("it is quick",),
        anti_criteria=("it prints nothing",),
        description="Double numbers.",
    )
    assert [one.id for one in promises_of(ticket)] == ["C1", "S1", "A1", "TASK"]


def test_a_change_is_a_diff_where_there_is_a_version_before_and_never_longer_than_allowed():
    brief = make_brief("double(n) doubles.", max_prompt_chars=1_000)
    assert "# file" in change_of(brief)
    assert "-old = 1" in change_of(replace(brief, earlier={"impl.py": "old = 1\n"}))
    long = replace(brief, modules=(replace(brief.modules[0], source="x = 1\n" * 1_000),))
    assert "[cut: " in change_of(long)
    assert len(change_of(long)) < 1_100
