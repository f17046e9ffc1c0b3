"""A model's answers become one pytest file, whatever the model does."""

import ast
from dataclasses import replace
from decimal import Decimal

import pytest

from refute.adversary.attack import Attack, Brief, Screening
from refute.adversary.generation.tester import ModelTester
from refute.adversary.screening.screen import screen
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.model import Ending, Reply
from tests.fakes.scripted_model import ScriptedModel, says
from tests.refute.adversary.conftest import make_brief
from tests.refute.adversary.generation.conftest import written

THREE = [written("test_a"), written("test_b"), written("test_c", claim="C2")]
GOOD = says({"preamble": "import math", "tests": THREE})
NOTHING = says({"tests": []})


def no_scan(attack: Attack, brief: Brief) -> Screening:
    return screen(attack, brief, scan=lambda *_: [])


def ask(brief: Brief, *answers: Reply | Exception) -> tuple[Attack, ModelTester, ScriptedModel]:
    model = ScriptedModel(answers)
    tester = ModelTester(model, no_scan)
    return tester.write_tests(brief), tester, model


def rounds(model: ScriptedModel) -> list[str]:
    return [prompt.name for prompt in model.prompts]


def test_the_cut_of_a_long_file_is_reported(brief: Brief) -> None:
    rest = "\n\n".join(f"def other_{n}(x):\n    return {'x + 1 + ' * 100}0" for n in range(12))
    long = tuple(replace(one, source=f"{one.source}\n\n{rest}\n") for one in brief.modules)
    _, tester, _ = ask(replace(brief, modules=long, max_prompt_chars=8_000), GOOD, NOTHING)
    (told,) = tester.notes
    assert told.startswith("code-aware-4: too long for max_prompt_chars: ")
    assert ask(brief, GOOD, NOTHING)[1].notes == []


def test_a_model_that_leaves_a_claim_out_is_asked_once_more_with_the_reasons(brief: Brief) -> None:
    vacuous = written("test_v", claim="C2", code="def test_v():\n    assert True\n")
    first = says({"tests": [written("test_a"), vacuous]})
    attack, _, model = ask(brief, first, says({"tests": [written("test_b", claim="C2")]}), NOTHING)
    assert rounds(model) == ["claims-first-3", "again-2", "code-aware-4"]
    assert "test_v (C2)" in model.prompts[1].text
    assert {test.name for test in attack.tests} >= {"test_a", "test_b"}


def test_a_model_that_attacks_half_a_claim_is_asked_once_more_for_the_other_half() -> None:
    halves = make_brief("double(x) returns twice its argument; it raises ValueError when empty.")
    whole = [written(f"test_{n}", quote=halves.ticket.claims[0].text) for n in "abc"]
    other = written("test_d", quote="raises ValueError when empty")
    _, _, model = ask(halves, says({"tests": whole}), says({"tests": [other]}), NOTHING)
    assert "    clause 2: it raises ValueError when empty." in model.prompts[0].text
    assert "Without a test that could run: C1 (clause 2)." in model.prompts[1].text
    assert rounds(model) == ["claims-first-3", "again-2", "code-aware-4"]
    assert "What has no test" not in model.prompts[2].text


HEAD = "def test_x():\n    from impl import double\n    assert double("
DEEP = ["+".join(["1"] * 1500), "not " * 1500 + "1", "1" + ".a" * 1500, "1" + "()" * 1500]


@pytest.mark.parametrize(
    ("preamble", "code"),
    [
        ("", "def test_x(:\n"),
        ("", f"{HEAD}f\"{{'\a'}}\")\n"),
        ("import (", f"{HEAD}\n"),
        *((f"DEEP = {value}", f"{HEAD}{value})\n") for value in DEEP),
    ],
    ids=["not Python", "read and not written", "the preamble too", "deep sum", "deep not", "deep names", "deep calls"],
)
def test_s160_code_that_cannot_be_read_is_told_and_takes_no_other_test_with_it(
    brief: Brief, preamble: str, code: str
) -> None:
    broken = written("test_x", code=code)
    attack, _, _ = ask(brief, says({"preamble": preamble, "tests": [*THREE, broken]}), NOTHING)
    ast.parse(attack.source)
    result = no_scan(attack, brief)
    assert {test.name for test in result.attack.tests} == {"test_a", "test_b", "test_c"}
    (rejected,) = result.rejected
    assert rejected.test.name.startswith("test_x")


@pytest.mark.parametrize(
    "bad",
    [
        says("not json"),
        says("[1, 2]"),
        says('{"tests": [', ending=Ending.TRUNCATED),
        says("", ending=Ending.EMPTY),
        says("[" * 100_000),
    ],
)
def test_s160_an_unusable_answer_is_asked_for_once_more_with_more_room(brief: Brief, bad: Reply) -> None:
    attack, tester, model = ask(brief, bad, GOOD, NOTHING)
    assert rounds(model) == ["claims-first-3", "claims-first-3", "code-aware-4"]
    assert model.prompts[1].max_output_tokens == 2 * model.prompts[0].max_output_tokens
    assert len(attack.tests) == 3
    assert "unusable answer" in tester.notes[0]
    assert sum(completion.cost_usd or Decimal(0) for completion in tester.completions) == Decimal("0.03")


def test_s160_a_blocked_answer_leaves_every_claim_untested(brief: Brief) -> None:
    attack, tester, _ = ask(brief, says("", ending=Ending.BLOCKED))
    assert attack.tests == ()
    assert [one.claim.id for one in attack.untestable] == ["C1", "C2"]
    assert "blocked" in tester.notes[0]
    assert {one.reason for one in attack.untestable} == {"no test came of the model's answers: blocked (BLOCKED)"}


@pytest.mark.parametrize("error", [ModelUnavailable("down"), BudgetExhausted("spent")])
def test_a_first_round_without_a_model_is_an_error(brief: Brief, error: Exception) -> None:
    with pytest.raises(type(error)):
        ask(brief, error)


@pytest.mark.parametrize("error", [ModelUnavailable("down"), BudgetExhausted("spent")])
def test_a_later_round_without_a_model_is_left_out(brief: Brief, error: Exception) -> None:
    attack, tester, _ = ask(brief, GOOD, error)
    assert len(attack.tests) == 3
    assert tester.notes[-1].startswith("code-aware-4: left out")


@pytest.mark.parametrize(
    "strange",
    [
        {"tests": [{"name": "test_a"}]},
        {"tests": [{**written("test_a"), "name": "__import__('os')"}]},
        {"tests": [{**written("test_a"), "category": "vibes"}]},
        {"tests": [7, None, "x"]},
        {"tests": "all of them"},
        {"tests": [{**written("test_a"), "code": "x" * 9_000}]},
    ],
)
def test_malformed_tests_are_left_out_one_by_one(brief: Brief, strange: dict[str, object]) -> None:
    attack, tester, _ = ask(brief, says(strange), NOTHING)
    assert attack.tests == ()
    assert "malformed" in " ".join(tester.notes) or strange["tests"] == "all of them"


def test_claims_that_the_model_gives_up_are_untested_with_its_reason(brief: Brief) -> None:
    answer = {
        "tests": [written("test_a"), written("test_b"), written("test_c")],
        "untestable": [{"claim_id": "C2", "reason": "says nothing\nthat could be false"}],
    }
    attack, _, _ = ask(brief, says(answer), NOTHING)
    assert [(one.claim.id, one.reason) for one in attack.untestable] == [("C2", "says nothing that could be false")]


def test_a_claim_that_waits_for_the_code_is_asked_for_once_more_with_it(brief: Brief) -> None:
    unnamed = {"claim_id": "C2", "reason": "no claim tells how a node names its successor"}
    first = says({"tests": [written("test_a")], "untestable": [unnamed]})
    attack, _, model = ask(brief, first, NOTHING, says({"tests": [written("test_b", claim="C2")]}))
    assert rounds(model) == ["claims-first-3", "again-2", "code-aware-4"]
    assert "What has no test so far comes first: C2." in model.prompts[2].text
    assert "at most 6 more tests" in model.prompts[2].text
    assert attack.untestable == ()


def test_a_title_that_breaks_out_of_the_header_does_not(brief: Brief) -> None:
    hostile = replace(brief, ticket=replace(brief.ticket, title='"""\nimport os; os.system("x")\n"""\\'))
    attack, _, _ = ask(hostile, GOOD, NOTHING)
    names = {node.names[0].name for node in ast.parse(attack.source).body if isinstance(node, ast.Import)}
    assert "os" not in names


def test_a_preamble_that_cannot_be_written_down_is_left_out_with_a_note(brief: Brief) -> None:
    attack, tester, _ = ask(brief, says({"preamble": "X = '\ud800'", "tests": THREE}), NOTHING)
    assert len(attack.tests) == 3
    assert any("preamble" in note for note in tester.notes)


def test_of_endless_tests_only_the_first_are_read(brief: Brief, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refute.adversary.generation.answer.MAX_ITEMS", 20)
    attack, tester, _ = ask(brief, says({"tests": [written(f"test_{n}") for n in range(30)]}), NOTHING)
    assert len(attack.tests) == 20
    assert len(no_scan(attack, brief).attack.tests) == brief.max_tests
    assert "30 tests were given" in tester.notes[0]


@pytest.mark.parametrize("around", ["```json\n{}\n```", "Sure! Here it is:\n\n```\n{}\n```\nHope that helps."])
def test_an_answer_in_a_fence_is_read_whatever_is_said_around_it(brief: Brief, around: str) -> None:
    attack, tester, _ = ask(brief, says(around.replace("{}", GOOD.text)), NOTHING)
    assert (len(attack.tests), tester.notes) == (3, [])
