"""Claims and docstrings as people write them: wrong code must fail a test, right code none."""

from typing import Any

import pytest

from tests.refute.adversary.property.workbench import attack_on, cases, failures

STYLES = [pytest.param(style, id=style["name"]) for style in cases("styles.yaml")]


@pytest.mark.parametrize("style", STYLES)
def test_right_code_fails_no_test(style: dict[str, Any]) -> None:
    attack = attack_on(style["right"], style["claim"])
    assert attack.tests, attack.untestable
    assert failures(attack, style["right"]) == {}


@pytest.mark.parametrize("style", STYLES)
def test_wrong_code_fails_a_test(style: dict[str, Any]) -> None:
    attack = attack_on(style["wrong"], style["claim"])
    assert failures(attack, style["wrong"]), attack.source
