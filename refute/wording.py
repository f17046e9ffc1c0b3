"""Words around numbers and quotations."""

from collections.abc import Iterable


def counted(count: int, noun: str) -> str:
    """`1 test`, `3 tests`; for nouns that form their plural with an s."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def in_quotes(texts: Iterable[str]) -> str:
    """`"one", "two"`, each on one line."""
    return ", ".join(f'"{" ".join(text.split())}"' for text in texts)
