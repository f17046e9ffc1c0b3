"""Which tests of a file hold the implementation's answers against what never came from it."""

import ast

import pytest

from refute.adversary.attack import TestEnd
from refute.adversary.judgement.provenance import Provenance
from tests.refute.adversary.conftest import make_run

HEAD = """
import json
import impl, pytest
from impl import Vec, NotFound, decode, encode, f
from hypothesis import given, strategies as st

def oracle(xs):
    return sorted(xs, reverse=True) if len(xs) < 2 else oracle(xs[1:]) + [xs[0]]

def same(a, b):
    return a == b

def told(x):
    return json.dumps(f(x))
"""

ATTESTED = [
    "assert f(3) == 4",
    "assert f(3)",
    "assert not f(3)",
    "r = f(3); assert (r.x, r.y) == (4, 6)",
    "assert 3 in f(1); assert len(f(1)) == 2; assert bool(f(1)) is True",
    "assert isinstance(f(1), Vec); assert f(1).x == 4",
    "xs = [3, 1]; assert f(xs) == sorted(xs)",
    "xs = [3, 1]; assert f(xs) == oracle(xs)",
    "xs = [3, 1]; impl.sort(xs); assert xs == [1, 3]",
    "seen = []; f(seen.append); assert seen == [1]",
    "for x, y in [(1, 2), (2, 4)]: assert f(x) == y",
    "for x, coded in [(1, 'b'), (2, 'c')]: assert decode(encode(x)) == coded",
    "assert [f(x) for x in range(3)] == [0, 2, 4]",
    "assert all(f(x) == x * 2 for x in range(3))",
    "out = f([3, 1]); assert all(a <= b for a, b in zip(out, out[1:]))",
    "assert same(f(3), 4)",
    "assert told(3) == '4'",
    "assert abs(f(2) - 1.41) < 0.01",
    "assert impl.total(impl.parse('1,2')) == 3",
    "for n in [1, 2]: assert impl.total([Vec(n, 2)]) == n * 2",
    "for ns in [[1], [2, 3]]: assert impl.total([Vec(n, 2) for n in ns]) == sum(ns)",
    "with pytest.raises(ValueError): f(1)",
    "with pytest.raises(NotFound) as caught: f(1)",
    "try: f(1)\n    except ValueError: found = True\n    else: found = False\n    assert found",
]
OWN_WORD = [
    "assert f(3) == Vec(4, 6)",
    "assert f(3) == impl.LAST",
    "assert f(3) is impl.Kind.ODD",
    "assert f(3) == f(3)",
    "assert f(f(3)) == f(3)",
    "once = f(3); twice = f(once); assert once == twice",
    "assert len({f(3) for _ in range(9)}) == 1",
    "results = [f(3) for _ in range(9)]; assert all(one == results[0] for one in results)",
    "assert f(3) - f(3) == 0",
    "assert decode(encode('abc')) == 'abc'",
    "for text in ['abc', 'd']: assert decode(encode(text)) == text",
    "text = 'abc'; kept = encode(text); assert decode(kept) == text",
    "for xs in [[1], [2, 1]]: assert decode(encode(xs)) == sorted(xs)",
    "for n in [1, 2]: assert decode(encode(n * 2)) == n * 2",
    "assert same(f(f(3)), f(3))",
    "assert told(3) == told(3)",
    "expected = Vec(4, 6); assert f(3) == expected",
    "assert f(3) == 4; assert f(3) == f(3)",
    "assert isinstance(f(3), Vec)",
    "assert 1 + 1 == 2",
    "f(3); assert True",
    "f(3); assert len([1]) == 1",
    "f(3)\n    with pytest.raises(ZeroDivisionError): 1 / 0",
    "expected = 4; assert expected == 4",
    "with pytest.raises(ValueError): raise ValueError",
]


def attests(body: str, *, aliased: bool = False, **facts: object) -> bool:
    source = f"{HEAD}\ndef test_a():\n    {body}\n"
    checks = (ast.Assert, ast.With)
    lines = tuple(sorted({node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, checks)}))
    ran = {"attested": True, "asserted_lines": lines, "aliased_lines": lines if aliased else ()}
    run = make_run("test_a", TestEnd.PASSED, **ran | facts)
    return Provenance(source, ["impl"]).attests(run)


@pytest.mark.parametrize("body", ATTESTED)
def test_an_answer_against_what_is_the_test_s_own_attests(body: str) -> None:
    assert attests(body)


@pytest.mark.parametrize("body", OWN_WORD)
def test_what_the_implementation_says_on_both_sides_does_not(body: str) -> None:
    assert not attests(body)


@pytest.mark.parametrize(
    "facts",
    [{"asserted_lines": ()}, {"attested": False}, {"changed_arguments": True}],
    ids=["no assertion ran", "an operator of theirs compared", "the argument was changed"],
)
def test_what_the_driver_saw_counts_as_well(facts: dict[str, object]) -> None:
    assert not attests("xs = [3, 1]; assert f(xs) == sorted(xs)", **facts)


@pytest.mark.parametrize(("error", "counts"), [("NotFound", False), ("TimeoutError", True)])
def test_an_exception_that_is_called_otherwise_counts_unless_it_is_theirs(error: str, counts: bool) -> None:
    assert attests(f"with pytest.raises({error}): f(1)", aliased=True) is counts


@pytest.mark.parametrize("source", ["def test_a(:", "def test_a():\n    assert " + "-" * 5000 + "1"])
def test_a_file_that_cannot_be_followed_attests_nothing(source: str) -> None:
    run = make_run("test_a", TestEnd.PASSED, attested=True, asserted_lines=(2,))
    assert not Provenance(source, ["impl"]).attests(run)
