"""What a change does: lines of statements that the version before does not have."""

import pytest

from refute.adversary.change import changed_lines

BEFORE = '''def f(x, y=None):
    """Adds."""
    # both
    if x > 1:
        return x + 1
    try:
        return [x, 'a']
    except ValueError:
        return None
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f(x, y=None):", "def f(x: int, y: str | None = None) -> list[int]:"),
        ('    """Adds."""\n', '    """Adds, and more.\n\n    Much more.\n    """\n'),
        ("# both", "# neither"),
        ("[x, 'a']", '[\n            x,\n            "a",\n        ]'),
        ("if x > 1:", "if (x > 1):"),
    ],
    ids=["annotations", "docstring", "comment", "layout", "brackets"],
)
def test_what_changes_nothing_of_what_code_does_is_no_change(old, new):
    assert changed_lines(BEFORE, BEFORE.replace(old, new)) == frozenset()


def test_an_annotated_name_is_the_same_assignment():
    assert changed_lines("LIMIT = 3\n", "LIMIT: Final = 3\n") == frozenset()


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("x > 1", "x > True", {4}),
        ("x + 1", "x + 1.0", {5}),
        ("y=None", "y=0", {1}),
        ("ValueError", "(ValueError, KeyError)", {8}),
        ("    try:", "    x = (\n        2)\n    try:", {6, 7}),
        ("def f", "@cache\ndef f", {2}),
    ],
)
def test_a_changed_statement_counts_with_its_own_lines(old, new, lines):
    assert changed_lines(BEFORE, BEFORE.replace(old, new)) == frozenset(lines)


def test_a_case_of_a_match_counts_alone():
    before = "match x:\n    case 1:\n        y = 1\n    case 2:\n        y = 2\n"
    assert changed_lines(before, before.replace("case 2", "case 3")) == {4}


def test_a_new_file_is_changed_throughout_and_what_cannot_be_read_not_at_all():
    assert changed_lines("", "x = 1\ny = 2\n") == {1, 2}
    assert changed_lines("x = 1\n", "x = (\n") == frozenset()
