"""How old a kept run is, and which stages rest on one, in words."""

from collections.abc import Sequence
from typing import Final

from refute.outcome import StageRecord
from refute.wording import counted

UNITS_S: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def age_in_words(age_s: float) -> str:
    """`40 seconds`, `3 minutes`, `2 days`: in the largest unit of which it is at least one, rounded down."""
    name, size = next((unit for unit in UNITS_S if age_s >= unit[1]), UNITS_S[-1])
    return counted(int(age_s // size), name)


def not_run_again(stages: Sequence[StageRecord]) -> tuple[str, ...]:
    """What a reader must know where stages rest on earlier runs: a line, or none."""
    ages = {stage.name: stage.kept.age_s for stage in stages if stage.kept}
    if not ages:
        return ()
    names = " and ".join(filter(None, [", ".join([*ages][:-1]), [*ages][-1]]))
    age = age_in_words(max(ages.values()))
    were, them = ("was", "it") if len(ages) == 1 else ("were", "them")
    why = f"nothing that decides {them} has changed since {age} ago (--fresh runs all anew)"
    return (f"{names} {were} not run again: {why}",)
