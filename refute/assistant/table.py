"""Tables of words: what a text is most likely about, by the rows whose words stand in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from refute.tables import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Words that speak for one answer."""

    answer: str
    weight: float
    words: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    rows: tuple[Row, ...]

    def scores(self, text: str) -> dict[str, float]:
        """Answer → the weights of its rows that the text holds; the highest first."""
        folded = " ".join(text.lower().replace("’", "'").split())
        found: dict[str, float] = {}
        for row in self.rows:
            if row.words.search(folded):
                found[row.answer] = found.get(row.answer, 0.0) + row.weight
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def best(self, text: str, *, enough: float = 1.0) -> str:
        """The one answer with the highest score; empty where none has enough, or two have it."""
        ranked = list(self.scores(text).items())
        if not ranked or ranked[0][1] < enough or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
            return ""
        return ranked[0][0]


@cache
def load(name: str, kind: str) -> Table:
    """The rows of one kind in a table of this package."""
    return Table(tuple(map(_row, read_table("refute.assistant", name)[kind])))


def _row(row: Mapping[str, Any]) -> Row:
    words = re.compile(rf"(?<![\w'-])(?:{'|'.join(row['words'])})(?![\w-])")
    return Row(answer=row["answer"], weight=row.get("weight", 1.0), words=words)
