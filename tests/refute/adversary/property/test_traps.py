"""Right code whose claims only look as if they said something else."""

from typing import Any

import pytest

from tests.refute.adversary.property.workbench import attack_on, cases, failures


@pytest.mark.parametrize("trap", cases("traps.yaml"), ids=lambda trap: trap["name"])
def test_right_code_is_not_refuted(trap: dict[str, Any]) -> None:
    attack = attack_on(trap["code"], trap["claim"])
    assert failures(attack, trap["code"]) == {}, attack.source
