"""The rows of notation, doubts and fields: how examples are written, what keeps one silent, which field would help."""

import functools
import re
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def rows(table: str) -> tuple[dict[str, Any], ...]:
    """All rows of a table (`notation`, `doubts`, `fields`), their patterns compiled."""
    text = resources.files("refute.adversary.property").joinpath(f"{table}.toml").read_text(encoding="utf-8")
    found = ((kind, row) for kind, told in tomllib.loads(text).items() for row in told)
    return tuple({**row, "kind": kind, "pattern": re.compile(row["pattern"], re.IGNORECASE)} for kind, row in found)


@functools.cache
def of_kind(kind: str) -> tuple[dict[str, Any], ...]:
    """The rows of one kind, in their order."""
    return tuple(row for row in (*rows("notation"), *rows("doubts")) if row["kind"] == kind)


def pattern(kind: str) -> re.Pattern[str]:
    """The pattern of a kind that has one row."""
    found: re.Pattern[str] = of_kind(kind)[0]["pattern"]
    return found


def said(kind: str, text: str) -> bool:
    """Whether a text holds words of this kind."""
    return any(row["pattern"].search(text) for row in of_kind(kind))
