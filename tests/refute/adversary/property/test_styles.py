"""Claims and docstrings as people write them: wrong code must fail a test, right code none."""

import ast
from typing import Any

import pytest

from refute.adversary.attack import TestEnd, TestRun
from refute.adversary.judgement.provenance import Provenance
from refute.adversary.references import function_of
from tests.refute.adversary.property.workbench import attack_on, cases, failures

STYLES = [pytest.param(style, id=style["name"]) for style in cases("styles.yaml")]
AGAINST_ITSELF = {"idempotent", "an object as it shows itself"}
"""What these hold against the code's answer comes from the code as well."""


@pytest.mark.parametrize("style", STYLES)
def test_right_code_fails_no_test_and_is_attested(style: dict[str, Any]) -> None:
    attack = attack_on(style["right"], style["claim"])
    assert attack.tests, attack.untestable
    assert failures(attack, style["right"]) == {}
    provenance = Provenance(attack.source, ["subject"])
    for test in attack.tests:
        function = function_of(attack.source, test.name)
        assert function is not None
        lines = tuple(node.lineno for node in ast.walk(function) if isinstance(node, ast.Assert | ast.With))
        run = TestRun(name=test.name, end=TestEnd.PASSED, attested=True, asserted_lines=lines)
        assert provenance.attests(run) is (style["name"] not in AGAINST_ITSELF), attack.source


@pytest.mark.parametrize("style", STYLES)
def test_wrong_code_fails_a_test(style: dict[str, Any]) -> None:
    attack = attack_on(style["wrong"], style["claim"])
    assert failures(attack, style["wrong"]), attack.source
