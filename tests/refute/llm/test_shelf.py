"""Recordings: what a model answered, played in its place."""

from pathlib import Path

import pytest

from refute.errors import ModelUnavailable
from refute.llm.model import Ending
from refute.llm.shelf import Recording, Replay, Shelf
from tests.refute.llm.conftest import CountingModel, make_prompt


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', "\x00", "[" * 100_000])
def test_a_damaged_file_counts_as_none(tmp_path: Path, content: str) -> None:
    shelf = Shelf(tmp_path)
    shelf.path(make_prompt()).write_text(content)
    assert shelf.get(make_prompt()) is None


@pytest.mark.parametrize("ending", list(Ending))
def test_a_recording_answers_without_a_model_as_the_model_did(tmp_path: Path, ending: Ending) -> None:
    recorded = Recording(CountingModel("no JSON", ending), Shelf(tmp_path)).generate(make_prompt())
    completion = Replay(Shelf(tmp_path)).generate(make_prompt())
    assert completion.reply == recorded.reply
    assert (completion.cost_usd, completion.from_cache, completion.kept_s) == (0, True, None)


def test_what_was_not_recorded_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="--record DIR"):
        Replay(Shelf(tmp_path)).generate(make_prompt())
