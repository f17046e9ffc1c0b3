import ast
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from refute.adversary.judgement.reproducer import write_reproducer
from refute.ticket.record import Module
from tests.refute.adversary.conftest import make_attack, make_brief, make_run, make_test

pytestmark = pytest.mark.slow

WRONG = "def double(x):\n    return x if x > 5 else 2 * x\ndef refuse(x):\n    return x\n"
RIGHT = "def double(x):\n    return 2 * x\ndef refuse(x):\n    raise ValueError('no ' + str(x))\n"

Write = Callable[[str, str], Path]


def reproducer(source: str, smallest_input: str = "", name: str = "test_a", **facts: str) -> str:
    facts = {"error_message": "assert 1 == 2\n  # line two"} | facts
    run = make_run(name, smallest_input=smallest_input, **facts)
    return write_reproducer(make_attack(dedent(source), [make_test(name)]), make_test(name), run, make_brief())


def run(
    program: str, write: Write, implementation: str, *arguments: str, by: tuple[str, ...] = (), where: str = "."
) -> subprocess.CompletedProcess[str]:
    """Run it in a folder beside that of the code, or in that of the code."""
    path = write("reproduce_test_a.py", program)
    (path.parent / "code" / "deep").mkdir(parents=True, exist_ok=True)
    write("code/impl.py", implementation)
    command = [sys.executable, "-B", *by, str(path), *arguments]
    return subprocess.run(command, cwd=path.parent / where, capture_output=True, text=True, check=False)


EXAMPLE = """
    '''Adversarial tests.'''
    import math
    import pytest

    def _same(expected, got):
        return math.isclose(expected, got)

    def test_other():
        assert undefined

    def test_a():
        '''C1: quoted'''
        import impl
        assert _same(14, impl.double(7)), 'not the same'
"""
PROPERTY = """
    from hypothesis import HealthCheck, assume, given, settings
    from hypothesis import strategies as st

    _CHECKED = settings(max_examples=100, suppress_health_check=list(HealthCheck))

    @_CHECKED
    @given(x=st.integers(), day=st.dates())
    def test_a(x, day):
        import impl
        assume(x >= 0)
        assert impl.double(x) == 2 * x, day
"""
RAISES = """
    import pytest

    def test_a():
        import impl
        with pytest.raises(ValueError, match="no 1"):
            impl.refuse(1)
"""
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
INPUT = "x=6\nday=datetime.date(2000, 1, 1)"


DRAWN = PROPERTY.replace("st.dates()", "st.data()")
FIXTURE = "def test_a(tmp_path):\n    import impl\n    assert impl.double(7) == 14, tmp_path\n"
FUTURE = "from __future__ import annotations\nimport impl\ndef test_a():\n    assert impl.double(7) == 14\n"


@pytest.mark.parametrize(
    ("source", "smallest_input", "needs_hypothesis"),
    [
        (EXAMPLE, "", False),
        (RAISES, "", False),
        (PROPERTY, INPUT, True),
        (PROPERTY, "", True),
        (PROPERTY, "x=Thing(1)\nday=1", True),
        (DRAWN, "x=6\ndraw 1=3", True),
        (FIXTURE, "", False),
        (FUTURE, "", False),
    ],
    ids=range(8),
)
def test_it_tells_wrong_code_from_right(write: Write, source: str, smallest_input: str, needs_hypothesis: bool) -> None:
    program = reproducer(source, smallest_input)
    assert ("import hypothesis" in program) is needs_hypothesis
    wrong = run(program, write, WRONG, where="code")
    right = run(program, write, RIGHT, where="code")
    assert (wrong.returncode, right.returncode) == (1, 0), wrong.stdout + right.stdout
    assert "REPRODUCED: C1 is violated" in wrong.stderr
    assert "NOT REPRODUCED: C1 holds here" in right.stdout


def test_an_input_outside_the_assumption_reproduces_nothing(write: Write) -> None:
    program = reproducer(PROPERTY.replace("st.integers()", "st.integers(-9, -1)"), INPUT.replace("6", "-6"))
    assert run(program, write, WRONG, where="code").returncode != 1


@pytest.mark.parametrize("by", [(), PYTEST], ids=["python", "pytest"])
def test_it_runs_from_anywhere(write: Write, monkeypatch: pytest.MonkeyPatch, by: tuple[str, ...]) -> None:
    program = reproducer(EXAMPLE)
    assert run(program, write, WRONG, by=by, where="code/deep").returncode == 1
    lost = run(program, write, WRONG, by=by)
    assert lost.returncode == 2
    assert "cannot import; run it in the workspace" in lost.stdout + lost.stderr
    monkeypatch.setenv("REFUTE_WORKSPACE", "code")
    assert run(program, write, WRONG, by=by).returncode == 1
    monkeypatch.setenv("REFUTE_WORKSPACE", "elsewhere")
    assert run(program, write, WRONG, by=by, where="code").returncode == 2


def test_the_workspace_may_be_an_argument(write: Write) -> None:
    assert run(reproducer(EXAMPLE), write, WRONG, "code").returncode == 1
    assert run(reproducer(EXAMPLE), write, WRONG, "elsewhere", where="code").returncode == 2


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import not_installed\n", "cannot import; run it in the workspace"),
        ("def other(): ...\n", "got AttributeError, expected AssertionError"),
        ("1 / 0\n", "got ZeroDivisionError, expected AssertionError"),
    ],
)
def test_only_the_claim_s_own_failure_is_a_reproduction(write: Write, code: str, said: str) -> None:
    ended = run(reproducer(EXAMPLE), write, code, where="code")
    assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr


def test_an_error_of_the_code_s_own_is_one_where_it_was_one_then(write: Write) -> None:
    program = reproducer(EXAMPLE, error_type="impl.Refused")
    code = "class Refused(Exception): ...\ndef double(x):\n    raise Refused\n"
    assert run(program, write, code, where="code").returncode == 1
    assert run(program, write, WRONG, where="code").returncode == 2


def test_code_named_like_a_module_of_pytest_s_is_the_workspace_s(write: Write, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    brief = make_brief()
    ticket = replace(brief.ticket, implementation_files=("pluggy.py",))
    module = replace(brief.modules[0], module=Module(path="pluggy.py", name="pluggy"))
    brief = replace(brief, ticket=ticket, modules=(module,))
    attack = make_attack("def test_a():\n    import pluggy\n    assert pluggy.double(7) == 14\n", [make_test("test_a")])
    program = write_reproducer(attack, make_test("test_a"), make_run("test_a"), brief)
    for code, exit_code in ((WRONG, 1), (RIGHT, 0)):
        write("code/pluggy.py", code)
        assert run(program, write, code, where="code").returncode == exit_code


def test_without_pytest_it_says_what_it_needs(write: Write) -> None:
    ended = run(reproducer(EXAMPLE), write, WRONG, by=("-S",), where="code")
    assert (ended.returncode, "pip install pytest" in ended.stderr) == (2, True)


def test_the_header_tells_the_claim_the_failure_and_the_input_in_comments_only() -> None:
    program = reproducer(PROPERTY, INPUT)
    head = program.split("\n\n")[0].splitlines()
    assert all(line.startswith("# ") for line in head)
    assert any("double(x) returns twice" in line for line in head)
    assert any("x=6" in line for line in head)


def test_hostile_text_cannot_leave_the_comments() -> None:
    program = write_reproducer(
        make_attack(dedent(EXAMPLE), [make_test("test_a")]),
        make_test("test_a"),
        make_run(error_message="x\rimport os\x0cimport sys\u2028import re\x00\x1b[0m"),
        make_brief(),
    )
    imports = [node for node in ast.parse(program).body if isinstance(node, ast.Import)]
    assert {alias.name for node in imports for alias in node.names} == {"os", "sys", "math"}
    assert "\x1b" not in program
