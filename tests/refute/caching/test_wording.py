"""How old a kept run is, and what rests on one, in words."""

from datetime import UTC, datetime

import pytest

from refute.caching.wording import age_in_words, not_run_again
from refute.outcome import KeptFrom, StageRecord


@pytest.mark.parametrize(
    ("age_s", "words"),
    [
        (0.0, "0 seconds"),
        (1.9, "1 second"),
        (59.9, "59 seconds"),
        (60, "1 minute"),
        (7_199, "1 hour"),
        (86_400, "1 day"),
        (6.9 * 86_400, "6 days"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(age_s: float, words: str) -> None:
    assert age_in_words(age_s) == words


def stage(name: str, age_s: float | None) -> StageRecord:
    origin = KeptFrom(run_id="r", made_at=datetime.now(UTC), age_s=age_s) if age_s is not None else None
    return StageRecord(name=name, summary="", duration_s=0.1, kept=origin)


def test_the_line_names_the_stages_and_the_greatest_age() -> None:
    assert not_run_again([stage("scan", None)]) == ()
    (one,) = not_run_again([stage("scan", None), stage("verify", 7)])
    assert one.startswith("verify was not run again: nothing that decides it has changed since 7 seconds ago")
    (three,) = not_run_again([stage("verify", 7), stage("attack", 200), stage("strength", 3)])
    assert three.startswith("verify, attack and strength were not run again: nothing that decides them")
    assert "3 minutes ago (--fresh" in three
