"""The rows of command_lines.toml, compiled."""

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """One thing that a sentence may say of a run."""

    name: str
    pattern: re.Pattern[str]
    check: str = ""
    """A condition over {code} and {stream}."""
    compare: str = ""
    """How the value `v` is compared: equals, holds, file."""
    stream: str = "out"
    """Where no stream is named: out, or any."""


@functools.cache
def table() -> Mapping[str, Any]:
    """The whole table."""
    place = resources.files("refute.adversary.property.command_lines").joinpath("command_lines.toml")
    return tomllib.loads(place.read_text(encoding="utf-8"))


@functools.cache
def says_rows() -> tuple[Says, ...]:
    """What can be said of a run, in order."""
    adapter = TypeAdapter(Says)
    return tuple(adapter.validate_python({**row, "pattern": compiled(row["pattern"])}) for row in table()["says"])


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern with its words filled in; a group that a word brings twice gets numbers."""
    words = table()["words"]
    while (hit := re.search(r"\{\{(\w+)\}\}", pattern)) is not None:
        pattern = pattern[: hit.start()] + words[hit[1]] + pattern[hit.end() :]
    for name in ("v", "to"):
        first, *more = pattern.split(f"(?P<{name}>")
        pattern = first + "".join(f"(?P<{name}{number or ''}>{part}" for number, part in enumerate(more))
    return re.compile(pattern, re.IGNORECASE)


def group(hit: re.Match[str], name: str) -> str | None:
    """The group of a name, whichever alternative it stands in."""
    return next((value for key, value in hit.groupdict().items() if key.rstrip("123") == name and value), None)
