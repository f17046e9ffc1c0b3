"""A test that does not know what an argument must offer, beside others that do."""

from typing import Any

import pytest

from refute.adversary.attack import AttackTest, Origin, TestEnd, TriageVerdict
from refute.adversary.judgement.triage import triage_tests
from tests.refute.adversary.conftest import make_attack, make_attack_run, make_brief, make_run, make_test

NODES = """
import impl
from types import SimpleNamespace

class Node:
    def __init__(self):
        self.successors = []

def test_plain():
    assert impl.reach({("a", "b"): 1}, "a", "b") == 1

def test_nodes():
    assert impl.reach({}, Node(), Node()) is None
"""
ERROR = "'str' object has no attribute 'successors'"


def verdict_of_plain(
    source: str, message: str = ERROR, *, nodes: TestEnd = TestEnd.PASSED, origin: Origin = Origin.MODEL
) -> TriageVerdict:
    tests: list[AttackTest] = [make_test("test_plain", origin=origin), make_test("test_nodes")]
    plain = make_run("test_plain", error_type="AttributeError", error_message=message, raised_in_implementation=True)
    other = make_run("test_nodes", end=nodes)
    if nodes is TestEnd.FAILED:
        other = make_run("test_nodes", error_type="AttributeError", error_message=ERROR, raised_in_implementation=True)
    again = [plain] if nodes is TestEnd.PASSED else [plain, other]
    run = make_attack_run([plain, other], again)
    return triage_tests(run, make_attack(source, tests), make_brief(), repetitions=1)[0].verdict


MISSES = "'NoneType' object has no attribute 'successors'"
OFFERS = NODES.replace('"a", "b") == 1', '"a", Node()) == 1')


@pytest.mark.parametrize(
    ("source", "facts", "verdict"),
    [
        pytest.param(NODES, {}, TriageVerdict.INVALID, id="other tests give what has it"),
        pytest.param(NODES.replace("self.successors", "self.x"), {}, TriageVerdict.REFUTED, id="no test offers it"),
        pytest.param(NODES, {"message": MISSES}, TriageVerdict.REFUTED, id="None is no argument that a test made up"),
        pytest.param(OFFERS, {}, TriageVerdict.REFUTED, id="the test offers it itself"),
        pytest.param(NODES, {"nodes": TestEnd.FAILED}, TriageVerdict.REFUTED, id="the offer fails in the same way"),
        pytest.param(NODES, {"origin": Origin.CLAIM_EXAMPLE}, TriageVerdict.REFUTED, id="the author's own example"),
    ],
)
def test_plain_data_refutes_nothing_where_other_tests_offer_the_attribute(
    source: str, facts: dict[str, Any], verdict: TriageVerdict
) -> None:
    assert verdict_of_plain(source, **facts) is verdict
