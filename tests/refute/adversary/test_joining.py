"""Pieces of generated code, and tests of several testers, in one file leave each other alone."""

import ast
import decimal
from dataclasses import replace
from typing import Any

import pytest

from refute.adversary.attack import Attack, Untested
from refute.adversary.joining import combine, join, self_contained, statements_of
from refute.adversary.references import ImplementationUse
from tests.refute.adversary.conftest import make_brief, make_test


def run(*pieces: str) -> tuple[dict[str, Any], list[dict[str, str]], str]:
    """What the file gives in which each piece's last function is a test that carries what it uses."""
    made = []
    for piece in pieces:
        *beside, last = statements_of(piece) or [ast.Pass()]
        made.append(self_contained(last, beside) if isinstance(last, ast.FunctionDef) else [*beside, last])
    source, names = join(made)
    space: dict[str, Any] = {}
    exec(compile(source, "joined", "exec"), space)  # noqa: S102  # written in this file
    return space, names, source


def test_helpers_of_one_name_keep_their_meaning() -> None:
    first = "LIMIT = 1\ndef helper():\n    return LIMIT\ndef test_a():\n    'why'\n    return helper()\n"
    second = "LIMIT = 2\ndef helper():\n    return LIMIT\ndef test_b():\n    return helper()\n"
    space, names, _ = run(first, second)
    assert (space["test_a"](), space["test_b"](), space["test_a"].__doc__) == (1, 2, "why")
    assert names == [{}, {}]


def test_what_acts_on_a_module_acts_in_every_test_and_what_is_global_stands_beside_them() -> None:
    beside = (
        "import decimal\ndecimal.getcontext().prec = 40\nSEEN = []\nCASES = {}\nfor n in range(3):\n    CASES[n] = n\n"
        "def note(x):\n    global SEEN\n    SEEN = [*SEEN, x]\n"
    )
    body = "    global SEEN\n    note(1)\n    SEEN = SEEN + [len(CASES)]\n    note(2)\n    return SEEN\n"
    space, _, _ = run(f"{beside}def test_a():\n{body}", f"{beside}def test_b():\n{body}")
    before, decimal.getcontext().prec = decimal.getcontext().prec, 5
    try:
        assert (space["test_a"](), decimal.getcontext().prec, space["test_b"]()) == ([1, 3, 2], 40, [1, 3, 2, 1, 3, 2])
    finally:
        decimal.getcontext().prec = before
    on_a_fixture_s = "import pytest\nROWS = []\nROWS.append(1)\n@pytest.fixture\ndef rows():\n    return ROWS\n"
    space, _, _ = run(f"{on_a_fixture_s}def test_c(rows):\n    return rows\n")
    assert space["ROWS"] == [1]


def test_of_files_that_are_joined_names_are_told_apart() -> None:
    first = "import math as m\nsize = 1\ndef test_a():\n    return size\n"
    second = (
        "import json as m\n"
        "size = 2\n"
        "def outer(size):\n    return [size for _ in 'x']\n"
        "def test_a():\n    return outer(size=7), (lambda size: size)(8), size, m.dumps(1)\n"
    )
    source, names = join([statements_of(first), statements_of(second)])
    space: dict[str, Any] = {}
    exec(compile(source, "joined", "exec"), space)  # noqa: S102  # written in this file
    assert names[1] == {"m": "m_2", "size": "size_2", "test_a": "test_a_2"}
    assert (space["test_a"](), space["test_a_2"]()) == (1, ([7], 8, 2, "1"))


def test_what_both_need_beside_them_stands_there_once() -> None:
    piece = "import math\nfrom json import dumps, loads\n@mark(loads)\ndef test_{}():\n    return math.pi\n"
    source, names = join([self_contained(*_last(statements_of(piece.format(name)))) for name in "ab"])
    assert names == [{}, {}]
    assert source.startswith("from json import loads\n")
    assert (source.count("import math"), source.count("loads\n")) == (2, 1)


def _last(statements: list[ast.stmt]) -> tuple[ast.FunctionDef, list[ast.stmt]]:
    *beside, last = statements
    return last, beside


@pytest.mark.parametrize("imported", ["from impl_gone import gone", "import math, nowhere as gone"])
def test_an_import_that_fails_is_one_test_s_own_fault(imported: str) -> None:
    space, _, source = run(f"{imported}\ndef test_a():\n    return gone()\n", "def test_b():\n    return 2\n")
    assert space["test_b"]() == 2
    with pytest.raises(ImportError):
        space["test_a"]()
    assert "    import math" not in source


def test_a_future_import_inside_the_file_is_left_out() -> None:
    space, _, _ = run("x = 1\n", "from __future__ import annotations\ndef test_b() -> int:\n    return 2\n")
    assert space["test_b"]() == 2


def test_fixtures_of_one_name_are_used_by_their_new_one() -> None:
    piece = "import pytest\n@pytest.fixture\ndef box():\n    return {n}\ndef test_{n}(box):\n    return box\n"
    _, names, source = run(piece.format(n=1), piece.format(n=2))
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    assert names[1] == {"box": "box_2"}
    assert ast.unparse(functions["test_2"].args) == "box_2"


@pytest.mark.parametrize(
    ("body", "uses"), [("run('add.py 1')", True), ("'C1: add.py prints the sum.'\n    run('ls')", False)]
)
def test_a_docstring_that_names_the_code_does_not_use_it(body: str, *, uses: bool) -> None:
    assert ImplementationUse(f"def test_a():\n    {body}\n", ["add"], ["add.py"]).refers("test_a") is uses


BRIEF = make_brief("double(x) returns twice its argument.", "Bad input raises ValueError.", max_tests=3)
BODY = '"""By {who}."""\n\nfrom impl import double\n\n\ndef check(x):\n    return double(x) == {n}\n\n\n{tests}'
TEST = "def test_{k}():\n    assert check({k})\n\n\n"


def attack(who: str, count: int, **changed: object) -> Attack:
    source = BODY.format(who=who, n=len(who), tests="".join(TEST.format(k=k) for k in range(count)))
    tests = tuple(replace(make_test(f"test_{k}"), tester=who) for k in range(count))
    untestable = (Untested(claim=BRIEF.ticket.claims[1], reason="vague"),)
    made = Attack(file_name="test_adversarial_t.py", source=source, tests=tests, untestable=untestable, tester=who)
    return replace(made, **changed)  # type: ignore[arg-type]


def test_every_test_says_who_wrote_it_and_stands_in_the_file_under_its_name() -> None:
    both = combine([attack("gemini", 2), attack("property", 2)], BRIEF)
    functions = {node.name for node in ast.parse(both.source).body if isinstance(node, ast.FunctionDef)}
    assert [(test.name, test.tester) for test in both.tests] == [
        ("test_0", "gemini"),
        ("test_0_2", "property"),
        ("test_1", "gemini"),
        ("test_1_2", "property"),
    ]
    assert functions == {test.name for test in both.tests} | {"check", "check_2"}
    assert both.tester == "gemini,property"
    assert "By gemini." in both.source
    assert "By property." in both.source


def test_a_claim_is_untestable_where_all_say_so_with_each_one_s_reason() -> None:
    both = combine([attack("gemini", 1), attack("property", 1)], BRIEF)
    assert [(one.claim.id, one.reason) for one in both.untestable] == [("C2", "gemini: vague; property: vague")]


def test_one_tester_s_attack_stays_byte_for_byte() -> None:
    alone = attack("property", 2)
    assert combine([alone], BRIEF) is alone
