"""The phrases and concepts of phrases.toml, compiled: one row for each way to say something of a function."""

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the table."""

    name: str
    of: str
    pattern: re.Pattern[str]
    takes: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()
    expected: str = ""
    check: str = ""
    body: str = ""
    alphabet: str = ""
    small: bool = False
    mutable: bool = False
    matches: tuple[str, ...] = field(default=())
    refuses: str = ""
    """A signature and claim that it must not match."""


@functools.cache
def table() -> Mapping[str, Any]:
    """The words, phrases and concepts of phrases.toml."""
    text = resources.files("refute.adversary.property").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@functools.cache
def rows() -> tuple[Row, ...]:
    """All concepts, then all phrases: "whether" says more than "returns True if"."""
    adapter = TypeAdapter(Row)
    told = [*table()["concept"], *table()["phrase"]]
    return tuple(
        adapter.validate_python({"refuses": one["not"], **one, "pattern": compiled(one["pattern"])}) for one in told
    )


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern with its words filled in."""
    words = table()["words"]
    while (expanded := re.sub(r"\{\{(\w+)\}\}", lambda hit: words[hit[1]], pattern)) != pattern:
        pattern = expanded
    return re.compile(pattern, re.IGNORECASE)


def groups(match: re.Match[str]) -> dict[str, str]:
    """Group → words; `cond2` is another place of `cond`."""
    return {name.rstrip("23"): value for name, value in match.groupdict().items() if value is not None}
