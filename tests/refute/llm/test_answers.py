"""Kept answers: the same question is never paid for twice, garbage is never believed, and nobody can plant one."""

import json
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from filelock import FileLock

from refute.llm.answers import AnswersPlace, KeptAnswers
from refute.llm.model import Completion, Ending, Model, Prompt, Tier
from refute.llm.till import Waiting
from refute.signed_folder import SignedFolder
from tests.refute.llm.conftest import CountingModel, make_prompt

KEY = b"k" * 32
Keep = Callable[..., KeptAnswers]


@pytest.fixture
def told() -> list[str]:
    """What a person was told."""
    return []


@pytest.fixture
def keep(tmp_path: Path, told: list[str]) -> Keep:
    """Answers kept in one folder, from the second call on by another run."""

    def make(
        model: Model, *, key: bytes = KEY, flash: str = "flash-1", fresh: bool = False, max_age_s: float = 60
    ) -> KeptAnswers:
        def model_of(prompt: Prompt) -> str:
            return "pro/1" if prompt.tier is Tier.PRO else flash

        folder = SignedFolder(tmp_path / "answers", key=key)
        place = AnswersPlace(folder=folder, model_of=model_of, run_id="r1", max_age_s=max_age_s)
        return KeptAnswers(model, place, fresh=fresh, waiting=Waiting(tell=told.append))

    return make


def test_s230_the_same_question_is_answered_by_an_earlier_run_at_no_cost(keep: Keep) -> None:
    model = CountingModel()
    first, second = keep(model).generate(make_prompt()), keep(model).generate(make_prompt())
    assert model.asked == 1
    assert second.reply == first.reply
    assert (first.from_cache, second.from_cache) == (False, True)
    assert (first.cost_usd, second.cost_usd) == (Decimal("0.01"), 0)
    assert first.kept_s is None
    assert second.kept_s is not None
    assert 0 <= second.kept_s < 600


def test_an_answer_that_is_used_counts_as_new_and_one_beyond_its_age_is_paid_for_again(keep: Keep) -> None:
    model = CountingModel()
    keep(model).generate(make_prompt())
    file = keep(model).file(make_prompt())
    os.utime(file, (0, 0))
    assert keep(model).generate(make_prompt()).from_cache
    assert file.stat().st_mtime > time.time() - 600
    assert not keep(model, max_age_s=0).generate(make_prompt()).from_cache
    assert model.asked == 2


@pytest.mark.parametrize(
    "change", [{"text": "other"}, {"system": "other"}, {"name": "other/1"}, {"sample": 1}, {"max_output_tokens": 9}]
)
def test_another_question_is_asked(keep: Keep, change: dict[str, object]) -> None:
    model = CountingModel()
    keep(model).generate(make_prompt())
    keep(model).generate(make_prompt(**change))
    assert model.asked == 2


def test_another_model_s_answers_are_not_used_and_those_of_the_other_tier_stay(keep: Keep) -> None:
    model = CountingModel()
    for flash in ("flash-1", "flash-2"):
        keep(model, flash=flash).generate(make_prompt())
        keep(model, flash=flash).generate(make_prompt(tier=Tier.PRO))
    assert model.asked == 3


@pytest.mark.parametrize("ending", [Ending.TRUNCATED, Ending.BLOCKED, Ending.EMPTY])
def test_only_complete_answers_are_kept(keep: Keep, ending: Ending) -> None:
    model = CountingModel(ending=ending)
    keep(model).generate(make_prompt())
    keep(model).generate(make_prompt())
    assert model.asked == 2


@pytest.mark.parametrize("text", ["I am sorry, here are your tests:", "5", "[" * 100_000])
def test_an_answer_that_its_reader_cannot_use_is_asked_for_again(keep: Keep, text: str) -> None:
    assert keep(CountingModel(text)).generate(make_prompt()).reply.text == text
    well = CountingModel()
    assert keep(well).generate(make_prompt()).reply.text == '{"x": 1}'
    assert well.asked == 1


def test_a_kept_answer_that_a_newer_reader_cannot_use_is_asked_for_again(keep: Keep, told: list[str]) -> None:
    model = CountingModel()
    keep(model).generate(make_prompt())
    keep(model).generate(make_prompt(usable=lambda text: "y" in text))
    assert model.asked == 2
    assert "no use for it" in told[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"reply": {"text": 5}}, "malformed"),
        ({"made_at": "2026-11-22T08:00:00"}, "malformed"),
        ({"made_at": (datetime.now(UTC) + timedelta(days=1)).isoformat()}, "from now"),
    ],
)
def test_a_signed_record_that_cannot_be_true_is_told_and_not_used(
    keep: Keep, tmp_path: Path, told: list[str], change: dict[str, object], reason: str
) -> None:
    model = CountingModel()
    kept = keep(model)
    kept.generate(make_prompt())
    folder, name = SignedFolder(tmp_path / "answers", key=KEY), kept.file(make_prompt()).stem
    folder.write(name, json.dumps({**json.loads(folder.read(name) or b""), **change}).encode())
    kept.generate(make_prompt())
    assert model.asked == 2
    assert reason in told[0]


def test_an_answer_that_cannot_be_kept_is_used_all_the_same(keep: Keep, tmp_path: Path, told: list[str]) -> None:
    (tmp_path / "answers").write_text("a file where the folder should be")
    model = CountingModel()
    assert keep(model).generate(make_prompt()).reply.text == '{"x": 1}'
    assert model.asked == 1
    assert "could not be kept" in told[-1]


class HeldModel(CountingModel):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let = threading.Event(), threading.Event()

    def generate(self, prompt: Prompt) -> Completion:
        self.begun.set()
        assert self.let.wait(60)
        return super().generate(prompt)


def test_two_runs_that_ask_the_same_at_once_pay_once(keep: Keep, told: list[str]) -> None:
    slow, unasked = HeldModel(), CountingModel()
    first = threading.Thread(target=lambda: keep(slow).generate(make_prompt()))
    first.start()
    assert slow.begun.wait(60)
    second = keep(unasked)
    second._waiting = Waiting(pause=lambda _: (slow.let.set(), first.join(60))[1], tell=told.append)
    assert second.generate(make_prompt()).from_cache
    assert (slow.asked, unasked.asked) == (1, 0)
    assert "another run is asking the same" in told[0]


def test_a_run_that_is_stopped_while_it_asks_does_not_hold_others_up_for_ever(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refute.llm.answers.LOOKS", 3)
    model = CountingModel()
    kept = keep(model)
    pauses: list[float] = []
    kept._waiting = Waiting(pause=pauses.append)
    path = kept.file(make_prompt())
    path.parent.mkdir(mode=0o700)
    with FileLock(path.with_name(f".{path.name}.lock")):
        assert not kept.generate(make_prompt()).from_cache
    assert (model.asked, len(pauses)) == (1, 3)
