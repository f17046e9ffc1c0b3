"""Prompts in files, one for each version: a changed text is a new version, never an edit."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from refute.llm.model import MARKER, fence

_FIELD: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PromptFiles:
    """The prompts of a package, below its folder `prompts`."""

    package: str
    """Dotted name."""

    def text(self, name: str) -> str:
        """A prompt as it stands in its file, by version."""
        return _text(self.package, name)

    def filled(self, name: str, *, blocks: str = "", **values: str) -> str:
        """A prompt, filled in one pass: what is filled in is never filled again. It need not ask for every value.

        Args:
            name: with its version.
            blocks: what holds the marker already, for `{blocks}`.
            values: what others wrote, fenced here; `{marker}` needs none.
        """
        known = {field: fence(value) for field, value in values.items()} | {"marker": MARKER, "blocks": blocks}
        return _FIELD.sub(lambda hit: known[hit[1]], self.text(name))


@cache
def _text(package: str, name: str) -> str:
    return resources.files(package).joinpath("prompts", f"{name}.md").read_text("utf-8")
