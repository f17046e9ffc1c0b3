import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from refute.adversary.judgement.reproducer import write_reproducer
from tests.refute.adversary.conftest import make_attack, make_brief, make_run, make_test

pytestmark = pytest.mark.slow

WRONG = "def double(x):\n    return x if x > 5 else 2 * x\ndef refuse(x):\n    return x\n"
RIGHT = "def double(x):\n    return 2 * x\ndef refuse(x):\n    raise ValueError('no ' + str(x))\n"

Write = Callable[[str, str], Path]


def reproducer(source: str, smallest_input: str = "", name: str = "test_a") -> str:
    run = make_run(name, smallest_input=smallest_input, error_message="assert 1 == 2\n  # line two")
    return write_reproducer(make_attack(dedent(source), [make_test(name)]), make_test(name), run, make_brief())


def run(program: str, write: Write, implementation: str, *flags: str) -> subprocess.CompletedProcess[str]:
    write("impl.py", implementation)
    path = write("reproduce.py", program)
    return subprocess.run(
        [sys.executable, *flags, path.name], cwd=path.parent, capture_output=True, text=True, check=False
    )


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
INPUT = "x=6\nday=datetime.date(2000, 1, 1)"


@pytest.mark.parametrize(
    ("source", "smallest_input"),
    [(EXAMPLE, ""), (PROPERTY, INPUT), (RAISES, "")],
    ids=["example", "property", "raises"],
)
def test_it_shows_the_bug_without_pytest_or_hypothesis(write: Write, source: str, smallest_input: str) -> None:
    program = reproducer(source, smallest_input)
    # -S leaves site-packages out, so that nothing but the standard library can be imported.
    wrong = run(program, write, WRONG, "-S")
    right = run(program, write, RIGHT, "-S")
    assert (wrong.returncode, right.returncode) == (1, 0)
    assert "REPRODUCED: C1 is violated" in wrong.stderr
    assert "Error" in wrong.stderr
    assert "NOT REPRODUCED" in right.stdout


def test_an_input_outside_the_assumption_reproduces_nothing(write: Write) -> None:
    ended = run(reproducer(PROPERTY, INPUT.replace("6", "-6")), write, WRONG, "-S")
    assert (ended.returncode, "assumption" in ended.stdout) == (0, True)


@pytest.mark.parametrize(
    ("source", "smallest_input"),
    [
        (PROPERTY, ""),
        (PROPERTY, "x=<object>\nday=1"),
        (PROPERTY, "x=Thing(1)\nday=1"),
        ("def test_a(tmp_path):\n    import impl\n    assert impl.double(7) == 14, tmp_path\n", ""),
        ("import pytest\ndef test_a():\n    import impl\n    assert impl.double(7) == pytest.approx(14)\n", ""),
    ],
    ids=["no input", "unreadable input", "unknown name", "fixture", "approx"],
)
def test_what_needs_pytest_brings_its_file_and_says_so(write: Write, source: str, smallest_input: str) -> None:
    program = reproducer(source, smallest_input)
    assert "Needs pytest and hypothesis" in program
    assert (run(program, write, WRONG).returncode, run(program, write, RIGHT).returncode) == (1, 0)


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
    assert {alias.name for node in imports for alias in node.names} == {"sys", "traceback", "math"}
    assert "\x1b" not in program
