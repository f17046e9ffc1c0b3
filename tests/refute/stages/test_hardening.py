"""The hardening round: held once where a model can help, on a weak attack only; what was reached before stands."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from refute.adversary.attack import TriageVerdict
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.model import Prompt, Reply
from refute.ports import Ports
from refute.stages.evidence import Hardening
from refute.stages.hardening import harden
from refute.stages.second_environment import run_elsewhere
from refute.stages.trial import reach_verdict
from tests.fakes.scripted_model import ScriptedModel, says
from tests.refute.stages.test_strength import Answer, ToldSandbox, World, killed, survived

CODE = "def test_more():\n    from impl import double\n    assert double({n}) == {twice}\n"


def more(code: str = CODE.format(n=3, twice=6)) -> Reply:
    quote = "returns twice its argument"
    test = {"name": "test_more", "claim_id": "C1", "quote": quote, "category": "edge", "code": code}
    return says({"tests": [test]})


class Round:
    """A weak attack by a model, and what the round makes of it."""

    before: Answer = staticmethod(survived)

    def __init__(self, folder: Path, *answers: Reply | Exception, then: Answer = killed, **options: Any) -> None:
        self.sandbox = ToldSandbox(self.answer)
        self.sandbox.hollow = self.hollow
        self.world = World(folder, self.sandbox, **({"tester": "gemini", "mutants": 4} | options))
        self.model = ScriptedModel(answers)
        self.world.ports.model = lambda _: self.model  # type: ignore[method-assign,assignment,return-value]
        self._then = then
        self.held = self.hold()

    def answer(self, name: str) -> dict[str, Any]:
        """As the attack was before the model had answered, or after."""
        return self._then(name) if self.model.prompts else self.before(name)

    def hollow(self, name: str) -> dict[str, Any]:
        """On code that does nothing."""
        return killed(name)

    def hold(self) -> Hardening:
        world = self.world
        evidence = world.evidence()
        return harden(world.ports, world.ticket, world.snapshot, evidence, world.measure())

    @property
    def prompts(self) -> list[Prompt]:
        return self.model.prompts

    @property
    def ports(self) -> Ports:
        return self.world.ports


class HollowRound(Round):
    """An attack that notices every small fault, and at first no code that does nothing."""

    before = staticmethod(killed)

    def hollow(self, name: str) -> dict[str, Any]:
        return self.answer(name) if self.model.prompts else survived(name)


def test_for_a_claim_that_hollow_code_keeps_the_model_is_told_so_and_the_same_mutants_measure_again(tmp_path):
    made = HollowRound(tmp_path / "t", more(), mutants=6)
    (prompt,) = made.prompts
    told = "For claim C1: its tests pass also where every call answers otherwise and where every call fails"
    assert told in prompt.text
    assert "+++ impl.py" not in prompt.text
    strength = made.held.measured.strength
    assert (strength.drawn, strength.hardened, strength.shallow) == (6, True, ())
    assert reach_verdict(made.ports, made.held).status == "PASS"


def test_what_was_not_run_elsewhere_passes_weakly_and_says_so(tmp_path):
    made = HollowRound(tmp_path / "t", more(), mutants=6, second_environment=False)
    not_run = run_elsewhere(made.ports, made.world.ticket, made.world.snapshot, made.held)
    verdict = reach_verdict(made.ports, made.held, not_run)
    assert (verdict.status, "`second_environment` is off" in verdict.reason) == ("PASS_WEAK", True)


def test_still_weak_it_is_told_so_and_no_second_round_is_held(tmp_path):
    made = Round(tmp_path / "t", more(), then=survived)
    assert len(made.prompts) == 1
    verdict = reach_verdict(made.ports, made.held)
    assert verdict.status == "PASS_WEAK"
    assert "too weak" in verdict.reason


@pytest.mark.parametrize(
    "error", [BudgetExhausted("month spent"), ModelUnavailable("no answer", cost_usd=Decimal("0.1"))]
)
def test_without_money_or_an_answer_what_was_reached_stands_with_a_note(tmp_path, error):
    made = Round(tmp_path / "t", error)
    assert "no hardening round was held" in made.held.notes[0]
    assert not made.held.measured.strength.hardened
    assert reach_verdict(made.ports, made.held).status == "PASS_WEAK"
    assert made.held.cost_usd == getattr(error, "cost_usd", Decimal(0))


def test_tests_that_the_screen_refuses_change_nothing(tmp_path):
    made = Round(tmp_path / "t", more("def test_more():\n    assert True\n"))
    assert made.held.summary == "brought no test that could run"
    assert [test.name for test in made.held.evidence.screening.attack.tests] == ["test_a"]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"tester": "property"}, id="no model among the testers"),
        pytest.param({"strength_floor": 0.0}, id="strong enough"),
        pytest.param({"mutants": 0}, id="not measured"),
    ],
)
def test_no_round_is_held_where_none_is_called_for(tmp_path, options):
    made = Round(tmp_path / "t", more(), **options)
    assert (made.held.summary, made.prompts) == ("", [])


class LostRound(Round):
    """A vote has put the only test aside."""

    def hold(self) -> Hardening:
        world = self.world
        evidence = world.evidence(TriageVerdict.INVALID)
        measured = world.measure(TriageVerdict.INVALID)
        return harden(world.ports, world.ticket, world.snapshot, evidence, measured)


def test_a_claim_that_lost_all_its_tests_is_asked_for_once_more_and_then_measured(tmp_path):
    made = LostRound(tmp_path / "t", more())
    (prompt,) = made.prompts
    assert "For claim C1: nothing tests it" in prompt.text
    assert made.held.measured.strength is not None
    assert reach_verdict(made.ports, made.held).status == "PASS"
