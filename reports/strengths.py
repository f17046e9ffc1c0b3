"""How strong the attacks were: the mutation score of all together, and how many reached how much."""

from typing import Final

import pandas as pd

from refute.outcome import Status
from reports.groups import GROUPS, Group
from reports.rates import Rate

TENTHS: Final = 10


def mutation_score(strengths: pd.DataFrame) -> Rate:
    """Mutants killed of those that count, over all attacks that were measured; each mutant weighs the same.

    Args:
        strengths: as `reports.facts.Facts.strengths`.
    """
    return Rate(hits=int(strengths["mutants_killed"].sum()), tries=int(strengths["mutants_counted"].sum()))


def by_strength(strengths: pd.DataFrame) -> pd.DataFrame:
    """Runs by strength in tenths, the weakest first, and how they ended; tenths in which there is none are left out.

    Args:
        strengths: as `reports.facts.Facts.strengths`; the strength is the lower end, which the floor is held against.
    """
    tenth = (strengths["strength"] * TENTHS).astype("int64").clip(upper=TENTHS - 1)
    ending = strengths["status"].map({status.value: GROUPS[status].value for status in Status}).astype("object")
    apart = strengths.assign(tenth=tenth, group=ending)
    ends = apart.pivot_table(index="tenth", columns="group", values="runs", aggfunc="sum", fill_value=0)
    found = pd.DataFrame({"runs": ends.sum(axis="columns")}).astype("int64")
    for group in Group:
        found[group.value] = ends[group.value].astype("int64") if group.value in ends else 0
    found.index = pd.Index([f"{low * 10}–{low * 10 + 10} %" for low in found.index], name="strength", dtype="str")
    return found
