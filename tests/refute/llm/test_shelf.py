"""Kept answers: the same question is never paid for twice, and a recording answers in the place of a model."""

from decimal import Decimal
from pathlib import Path

import pytest

from refute.errors import ModelUnavailable
from refute.llm.model import Completion, Ending, Prompt, Reply, Usage
from refute.llm.shelf import KeptAnswers, Replay, Shelf
from tests.refute.llm.conftest import MakePrompt


class CountingModel:
    """Answers with the prompt's own text, and counts."""

    def __init__(self, ending: Ending = Ending.COMPLETE) -> None:
        self.asked = 0
        self._ending = ending

    def generate(self, prompt: Prompt) -> Completion:
        self.asked += 1
        reply = Reply(
            ending=self._ending, text=prompt.text, detail="STOP", usage=Usage(input_tokens=5), model="gemini-x"
        )
        return Completion(reply=reply, cost_usd=Decimal("0.01"), latency_s=1.0)


def test_s230_the_same_question_is_answered_from_the_shelf_at_no_cost(tmp_path: Path, make_prompt: MakePrompt) -> None:
    model = CountingModel()
    kept = KeptAnswers(model, Shelf(tmp_path / "answers"))
    first, second = kept.generate(make_prompt()), kept.generate(make_prompt())
    assert model.asked == 1
    assert second.reply == first.reply
    assert (first.from_cache, second.from_cache) == (False, True)
    assert (first.cost_usd, second.cost_usd) == (Decimal("0.01"), 0)


@pytest.mark.parametrize(
    "change", [{"text": "other"}, {"system": "other"}, {"name": "other/1"}, {"sample": 1}, {"max_output_tokens": 9}]
)
def test_another_question_is_asked(tmp_path: Path, make_prompt: MakePrompt, change: dict[str, object]) -> None:
    model = CountingModel()
    kept = KeptAnswers(model, Shelf(tmp_path))
    kept.generate(make_prompt())
    kept.generate(make_prompt(**change))
    assert model.asked == 2


def test_another_model_s_answers_are_not_used(tmp_path: Path, make_prompt: MakePrompt) -> None:
    model = CountingModel()
    for scope in ("flash-1", "flash-2"):
        KeptAnswers(model, Shelf(tmp_path, scope=scope)).generate(make_prompt())
    assert model.asked == 2


def test_fresh_asks_anew_and_keeps_the_new_answer(tmp_path: Path, make_prompt: MakePrompt) -> None:
    model = CountingModel()
    KeptAnswers(model, Shelf(tmp_path)).generate(make_prompt())
    KeptAnswers(model, Shelf(tmp_path), fresh=True).generate(make_prompt())
    assert model.asked == 2


@pytest.mark.parametrize("ending", [Ending.TRUNCATED, Ending.BLOCKED, Ending.EMPTY])
def test_only_complete_answers_are_kept(tmp_path: Path, make_prompt: MakePrompt, ending: Ending) -> None:
    model = CountingModel(ending)
    kept = KeptAnswers(model, Shelf(tmp_path))
    kept.generate(make_prompt())
    kept.generate(make_prompt())
    assert model.asked == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', "\x00"])
def test_a_damaged_file_counts_as_none(tmp_path: Path, make_prompt: MakePrompt, content: str) -> None:
    shelf = Shelf(tmp_path)
    shelf.path(make_prompt()).write_text(content)
    assert shelf.get(make_prompt()) is None


def test_a_recording_answers_without_a_model(tmp_path: Path, make_prompt: MakePrompt) -> None:
    KeptAnswers(CountingModel(), Shelf(tmp_path)).generate(make_prompt())
    completion = Replay(Shelf(tmp_path)).generate(make_prompt())
    assert (completion.reply.text, completion.cost_usd) == (make_prompt().text, 0)


def test_what_was_not_recorded_is_told_with_what_to_do(tmp_path: Path, make_prompt: MakePrompt) -> None:
    with pytest.raises(ModelUnavailable, match="--record DIR"):
        Replay(Shelf(tmp_path)).generate(make_prompt())
