"""Planted violations in the strength stage, with a scripted model and a sandbox that answers what it is told."""

from pathlib import Path
from typing import Any

import pytest

from refute.adversary.strength.record import ViolationEnd
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.model import Reply
from refute.stages.hardening import harden
from refute.stages.trial import reach_verdict
from tests.fakes.scripted_model import ScriptedModel, says
from tests.refute.adversary.test_suite import report
from tests.refute.stages.test_hardening import more
from tests.refute.stages.test_strength import ToldSandbox, World, killed

VIOLATION = {
    "claim_id": "C1",
    "clause": 1,
    "module": "impl",
    "original": "        return 0\n",
    "replacement": "        return 1\n",
    "behaviour": "zero doubled gives one",
    "witness": "def test_x():\n    import impl\n    assert impl.double(0) == 0\n",
}
NUMBER = "10001"
WITNESS = f"test_witness_{NUMBER}"


class Violated:
    """An attack that notices every mutant; whether the violation, and the hardened one, as told."""

    def __init__(self, folder: Path, plants: Reply | Exception, *, noticed: bool = False, then: bool = False) -> None:
        self.noticed, self.then = noticed, then
        self.sandbox = ToldSandbox(self.answer)
        self.world = World(folder, self.sandbox, tester="gemini", mutants=4)
        self.model = ScriptedModel([more()])
        self.model.plants = plants
        self.world.ports.model = lambda _: self.model  # type: ignore[method-assign,assignment,return-value]
        self.measured = self.world.measure()

    def answer(self, name: str) -> dict[str, Any]:
        if name != NUMBER or (self.then if self.model.prompts else self.noticed):
            return killed(name)
        return report(WITNESS, "failed", error_type="AssertionError")

    @property
    def ends(self) -> list[ViolationEnd]:
        return [one.end for one in self.measured.strength.violations]


def test_the_tester_is_told_in_words_once_and_the_same_violation_measures_again(tmp_path):
    made = Violated(tmp_path / "t", says({"violations": [VIOLATION]}), then=True)
    world = made.world
    hardened = harden(world.ports, world.ticket, world.snapshot, world.evidence(), made.measured)
    (prompt,) = made.model.prompts
    assert "zero doubled gives one" in prompt.text
    assert "return 1" not in prompt.text
    assert [one.end for one in hardened.measured.strength.violations] == [ViolationEnd.NOTICED]
    assert reach_verdict(world.ports, hardened).status == "PASS"


def test_what_is_missed_twice_is_a_weak_pass_that_names_the_clause(tmp_path):
    made = Violated(tmp_path / "t", says({"violations": [VIOLATION]}))
    world = made.world
    hardened = harden(world.ports, world.ticket, world.snapshot, world.evidence(), made.measured)
    verdict = reach_verdict(world.ports, hardened)
    assert verdict.status == "PASS_WEAK"
    assert "0 of 1 planted violation noticed" in verdict.reason
    assert 'C1 survived in part: no independent test attacks "double(x) returns twice its argument."' in verdict.reason


@pytest.mark.parametrize(
    ("plants", "note"),
    [
        pytest.param(says("no JSON"), "the model's answer cannot be used", id="unusable"),
        pytest.param(says({"violations": []}), "the model gave no edit", id="none given"),
        pytest.param(says({"violations": [VIOLATION | {"claim_id": "C9"}]}), "none of the model's edits", id="no use"),
        pytest.param(BudgetExhausted("month spent"), "month spent", id="no money"),
        pytest.param(ModelUnavailable("no answer"), "no answer", id="no answer"),
    ],
)
def test_where_nothing_could_be_planted_the_score_stands_and_says_why(tmp_path, plants, note):
    made = Violated(tmp_path / "t", plants)
    assert made.measured.strength.suffices
    assert note in made.measured.strength.not_planted


@pytest.mark.parametrize(
    ("options", "note"),
    [({"tester": "property"}, "needs a model"), ({"tester": "gemini", "planted_violations": False}, "is off")],
)
def test_nobody_is_asked_without_a_model_or_where_the_setting_is_off(tmp_path, options, note):
    world = World(tmp_path / "t", ToldSandbox(killed), mutants=4, **options)
    measured = world.measure()
    assert note in measured.strength.not_planted
