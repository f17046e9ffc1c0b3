"""A test that does not know what an argument must offer, beside others that do."""

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
    source: str,
    message: str = ERROR,
    *,
    inside: bool = True,
    nodes: TestEnd = TestEnd.PASSED,
    origin: Origin = Origin.MODEL,
) -> TriageVerdict:
    tests: list[AttackTest] = [make_test("test_plain", origin=origin), make_test("test_nodes")]
    plain = make_run("test_plain", error_type="AttributeError", error_message=message, raised_in_implementation=inside)
    other = make_run("test_nodes", end=nodes)
    if nodes is TestEnd.FAILED:
        other = make_run("test_nodes", error_type="AttributeError", error_message=ERROR, raised_in_implementation=True)
    again = [plain] if nodes is TestEnd.PASSED else [plain, other]
    run = make_attack_run([plain, other], again)
    return triage_tests(run, make_attack(source, tests), make_brief(), repetitions=1)[0].verdict


def test_plain_data_where_other_tests_give_what_has_the_attribute_refutes_nothing() -> None:
    assert verdict_of_plain(NODES) is TriageVerdict.INVALID


def test_what_no_test_offers_may_be_the_codes_own_mistake() -> None:
    assert verdict_of_plain(NODES.replace("self.successors", "self.other")) is TriageVerdict.REFUTED


def test_none_is_no_argument_that_a_test_made_up() -> None:
    assert verdict_of_plain(NODES, "'NoneType' object has no attribute 'successors'") is TriageVerdict.REFUTED


def test_a_test_that_offers_the_attribute_itself_refutes() -> None:
    source = NODES.replace('"a", "b") == 1', '"a", Node()) == 1')
    assert verdict_of_plain(source) is TriageVerdict.REFUTED


def test_an_offer_that_fails_in_the_same_way_excuses_nothing() -> None:
    assert verdict_of_plain(NODES, nodes=TestEnd.FAILED) is TriageVerdict.REFUTED


def test_an_example_of_the_author_stands_as_it_was_written() -> None:
    assert verdict_of_plain(NODES, origin=Origin.CLAIM_EXAMPLE) is TriageVerdict.REFUTED
