"""Unusual tests: what hides a mock, a failure or a name that is made up is seen."""

import pytest

from refute.adversary.screening.screen import screen
from tests.refute.adversary.conftest import CLAIM, make_attack, make_brief, make_test
from tests.refute.adversary.screening.test_screen import GOOD, no_scan, reason

HEAD = """
import contextlib, pytest
from unittest import mock
def quiet(f):
    def inner():
        with contextlib.suppress(Exception):
            f()
    return inner
"""


@pytest.mark.parametrize(
    ("decorator", "kept"),
    [
        ("@quiet", False),
        ("@impl.retried", False),
        ("@pytest.mark.parametrize('x', [1])", True),
        ("@given(x=st.integers())", True),
        ("@QUICK\n@given(x=st.integers())", True),
    ],
)
def test_only_what_is_known_may_be_wrapped_around_a_test(decorator: str, kept: bool) -> None:
    head = f"import impl\nfrom hypothesis import given, settings, strategies as st\nQUICK = settings()\n{HEAD}"
    told = reason("assert impl.double(x) == 2 * x", head=f"{head}\n{decorator}", signature="test_a(x)")
    assert told == ("" if kept else f"is wrapped by {decorator[1:]}, which may keep its failure from being seen")


@pytest.mark.parametrize(
    ("head", "signature"),
    [
        ("def setup_module():\n    mock.patch('impl.double').start()", "test_a()"),
        ("def pytest_generate_tests(metafunc):\n    mock.patch('impl.double').start()", "test_a()"),
        ("@pytest.fixture(name='box')\ndef made():\n    return mock.Mock()", "test_a(box)"),
        ("@pytest.fixture\ndef box():\n    mock.patch('impl.x').start()\n@pytest.mark.usefixtures('box')", "test_a()"),
    ],
)
def test_what_pytest_runs_around_a_test_may_not_mock_either(head: str, signature: str) -> None:
    assert "mock" in reason(GOOD, head=f"{HEAD}\n{head}", signature=signature)


def test_a_name_that_is_bound_anew_after_the_test_is_not_that_test() -> None:
    source = f"import impl\n{HEAD}\ndef test_a():\n    assert impl.f() == 1\ntest_a = quiet(test_a)\n"
    result = screen(make_attack(source, [make_test("test_a")]), make_brief(), scan=no_scan)
    assert "got 2" in result.rejected[0].reason


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("import impl\n    with pytest.raises(Exception):\n        impl.dubble('x')", False),
        ("from impl import dubble\n    assert dubble(2) == 4", False),
        ("import impl as i\n    assert i.dubble(2) == 4", False),
        ("import impl\n    assert impl.double(2) == 4", True),
        ("import impl\n    assert impl.triple(2) == 6", True),
        ("import impl\n    assert impl.__doc__ and impl.double(2) == 4", True),
    ],
    ids=["an error of any kind", "imported", "under another name", "of the code", "of a claim", "of Python"],
)
def test_a_name_that_neither_the_code_nor_a_claim_knows_is_made_up(body: str, kept: bool) -> None:
    code = "def double(x):\n    return 2 * x\n"
    brief = make_brief(CLAIM, "triple(x) returns three times its argument.", source=code)
    attack = make_attack(f"import pytest\ndef test_a():\n    {body}\n", [make_test("test_a")])
    rejected = screen(attack, brief, scan=no_scan).rejected
    assert [one.reason for one in rejected] == (
        [] if kept else ["uses impl.dubble, which neither the code nor a claim knows"]
    )


def test_code_that_makes_names_while_it_runs_may_have_any() -> None:
    brief = make_brief(source="def __getattr__(name):\n    return len\n")
    attack = make_attack("import impl\ndef test_a():\n    assert impl.dubble('') == 0\n", [make_test("test_a")])
    assert screen(attack, brief, scan=no_scan).rejected == ()


@pytest.mark.parametrize(("module", "kept"), [("impl", True), ("time", False)])
def test_an_attribute_by_a_computed_name_may_be_the_implementation_s_alone(module: str, kept: bool) -> None:
    body = f"for name in ('sleep', 'time'):\n    assert impl.f(getattr({module}, name))"
    assert reason(body, head="import time") == ("" if kept else "reads a computed attribute of time")
