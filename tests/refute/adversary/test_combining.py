"""Several testers' tests in one file."""

import ast
from dataclasses import replace

from refute.adversary.attack import Attack, Untested
from refute.adversary.joining import combine
from tests.refute.adversary.conftest import make_brief, make_test

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
