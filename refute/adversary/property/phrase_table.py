"""The phrases and concepts of phrases.toml, compiled: one row for each way to say something of a function."""

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the table."""

    name: str
    pattern: str
    matches: tuple[str, ...]
    refuses: str
    """A signature and claim that it must not match."""
    of: str = "result"
    takes: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()
    expected: str = ""
    check: str = ""
    body: str = ""
    draws: str = ""

    def reads(self, text: str, *, is_result: bool) -> re.Match[str] | None:
        """The match with all of a clause; one that describes a result says so, unless it stands below a heading."""
        verb = "" if self.of == "clause" else ("(?:{{describes}})?" if is_result else "{{describes}}")
        return compiled(f"{{{{subject}}}}{verb}(?:{self.pattern})(?:{{{{quantifier}}}})?").fullmatch(text)


@functools.cache
def table() -> Mapping[str, Any]:
    """The words, phrases and concepts of phrases.toml."""
    text = resources.files("refute.adversary.property").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@functools.cache
def rows() -> tuple[Row, ...]:
    """All concepts, then all phrases: "whether" says more than "returns True if"."""
    told = {**table()["concept"], **table()["phrase"]}
    rows = [{"name": name, "refuses": one["not"], **one} for name, one in told.items()]
    return TypeAdapter(tuple[Row, ...]).validate_python(rows)


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern with its words filled in."""
    words = table()["words"]
    while (expanded := re.sub(r"\{\{(\w+)\}\}", lambda hit: words[hit[1]], pattern)) != pattern:
        pattern = expanded
    return re.compile(pattern, re.IGNORECASE)


def match_of(text: str, *, is_result: bool) -> tuple[Row, dict[str, str]] | None:
    """The first row that is all of a clause, and its groups (`cond2` is another place of `cond`)."""
    for row in rows():
        if (hit := row.reads(text, is_result=is_result)) is not None:
            return row, {name.rstrip("23"): value for name, value in hit.groupdict().items() if value is not None}
    return None
