"""The rows of the tables: how examples and phrases are written, what keeps one silent, what claims rule out."""

import functools
import re
from typing import Any, Final

from refute.tables import read_table

_TABLES: Final = ("property/notation", "property/doubts", "property/phrases", "promises")
"""In which kinds are looked for."""


@functools.cache
def rows(table: str) -> tuple[dict[str, Any], ...]:
    """All rows of a table (`promises`; `property/notation`, `doubts`, `fields`, `phrases`), their patterns compiled.

    `{{word}}` in a pattern stands for an entry of the table's `words`.
    """
    told = {**read_table("refute.adversary", table)}
    words = told.pop("words", {})
    found = ((kind, row) for kind, some in told.items() for row in some)
    return tuple({**row, "kind": kind, "pattern": _compiled(_whole(kind, row), words)} for kind, row in found)


def _whole(kind: str, row: dict[str, Any]) -> str:
    """A pattern of a phrase with what may stand around it."""
    if kind not in {"concept", "phrase"}:
        return str(row["pattern"])
    verb = "" if row.get("of") == "clause" else "{{describes}}"
    return f"{{{{subject}}}}{verb}(?:{row['pattern']}){{{{quantifier}}}}"


def _compiled(pattern: str, words: dict[str, str]) -> re.Pattern[str]:
    while (expanded := re.sub(r"\{\{(\w+)\}\}", lambda hit: words[hit[1]], pattern)) != pattern:
        pattern = expanded
    return re.compile(pattern, re.IGNORECASE)


@functools.cache
def of_kind(kind: str) -> tuple[dict[str, Any], ...]:
    """The rows of one kind, in their order."""
    return tuple(row for table in _TABLES for row in rows(table) if row["kind"] == kind)


def pattern(kind: str) -> re.Pattern[str]:
    """The pattern of a kind that has one row."""
    found: re.Pattern[str] = of_kind(kind)[0]["pattern"]
    return found


def said(kind: str, text: str) -> bool:
    """Whether a text holds words of this kind."""
    return any(row["pattern"].search(text) for row in of_kind(kind))
