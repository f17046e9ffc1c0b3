"""Names belong to the test that binds them; errors of one's own and pasted helpers prove nothing."""

from textwrap import dedent

import pytest

from refute.adversary.screening.screen import screen
from tests.refute.adversary.conftest import make_attack, make_brief, make_test

IMPLEMENTATION = '''
class Error(ValueError):
    pass


def runs(xs: list[int], *, least: int = 1) -> list[int]:
    """Sorted runs."""
    if len(xs) <= least:
        return xs
    first: int = xs[0]
    return runs(xs[1:], least=least) + [first]


def same(x):
    return x
'''


def rejected(source: str, *names: str) -> dict[str, str]:
    """Test → why it was rejected."""
    attack = make_attack(dedent(source), [make_test(name) for name in names])
    screening = screen(attack, make_brief(source=IMPLEMENTATION), scan=lambda _, __: ())
    return {one.test.name: one.reason for one in screening.rejected}


def test_a_name_of_one_test_says_nothing_of_another_test_s() -> None:
    source = """
        import impl
        from helpers import Clock

        def test_mocked():
            from unittest.mock import Mock
            clock = Mock()
            assert impl.same(clock) is clock

        def test_honest():
            clock = Clock()
            assert impl.same(clock) is clock
    """
    assert list(rejected(source, "test_mocked", "test_honest")) == ["test_mocked"]


@pytest.mark.parametrize(
    "body",
    [
        "m.patch('x')",
        "def unused():\n        m = 1\n    m.patch('x')",
        "def unused():\n        import os as m\n    m.patch('x')",
        "[m for m in ()]\n    m.patch('x')",
        "global later\n    later.patch('x')",
        "other = m\n    other.patch('x')",
    ],
)
def test_what_only_an_inner_scope_binds_hides_no_mock(body: str) -> None:
    source = (
        f"import impl\nfrom unittest import mock as m\n\n\ndef test_a():\n    {body}\n    assert impl.same(1)"
        " == 1\n\n\ndef set_up():\n    global later\n    from unittest import mock as later\n"
    )
    assert "mock" in rejected(source, "test_a")["test_a"]


@pytest.mark.parametrize(
    "body",
    [
        "with pytest.raises(impl.Error):\n    raise impl.Error('x')",
        "with pytest.raises((KeyError, impl.Error)):\n    impl.same(1)\n    raise impl.Error(impl.same(1))",
        "error = impl.Error('x')\nwith pytest.raises(impl.Error):\n    raise error",
        "with pytest.raises(ValueError):\n    with open('x') as file:\n        raise ValueError(impl.same(file))",
    ],
)
def test_an_error_that_the_test_raises_itself_proves_nothing(body: str) -> None:
    inside = body.replace("\n", "\n    ")
    source = f"import impl\nimport pytest\n\ndef test_a():\n    {inside}\n"
    assert rejected(source, "test_a") == {"test_a": "expects an error that it raises itself"}


HELPER = '''
        import impl

        def expected(xs, *, least=1):
            """Worked out by hand."""
            if len(xs) {sign} least:
                return xs
            first = xs[0]
            return expected(xs[1:], least=least) + [first]

        def same(x):
            return x

        def test_a():
            assert impl.runs([3, 1, 2]) == same(expected([3, 1, 2]))
'''


def test_a_helper_that_is_pasted_from_the_implementation_is_no_oracle_and_one_of_one_s_own_is() -> None:
    reason = "compares the implementation with itself: expected is a copy of runs (impl.py:6)"
    assert rejected(HELPER.format(sign="<="), "test_a") == {"test_a": reason}
    assert rejected(HELPER.format(sign="<"), "test_a") == {}
