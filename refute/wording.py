"""Words around numbers and quotations."""

import textwrap
from collections.abc import Iterable
from typing import Final

MAX_QUOTE_CHARS: Final = 120


def counted(count: int, noun: str) -> str:
    """`1 test`, `3 tests`; for nouns that form their plural with an s."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def in_quotes(texts: Iterable[str]) -> str:
    """`"one", "two"`, each on one line and cut where it is long."""
    return ", ".join(f'"{textwrap.shorten(text, MAX_QUOTE_CHARS, placeholder=" …")}"' for text in texts)
