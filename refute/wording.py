"""Words around numbers and quotations."""

import textwrap
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

MAX_QUOTE_CHARS: Final = 120
NAMES_SHOWN: Final = 5
CENTS_FROM_USD: Final = 0.01


def counted(count: int, noun: str) -> str:
    """`1 test`, `3 tests`; for nouns that form their plural with an s."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def dollars(amount: Decimal | float) -> str:
    """US dollars: cents, or below one cent the first two digits that say something."""
    if amount == 0 or amount >= CENTS_FROM_USD:
        return f"${amount:,.2f}"
    return f"${float(amount):.2g}" if amount >= 1e-4 else "<$0.0001"  # noqa: PLR2004  # from there on `e` notation


def first_names(names: Iterable[str], shown: int = NAMES_SHOWN) -> str:
    """`a, b, c and 4 more`: the first names, then how many more."""
    listed = list(names)
    rest = len(listed) - shown
    return ", ".join(listed[:shown]) + (f" and {rest} more" if rest > 0 else "")


def cut_plainly(text: str, room: int) -> str:
    """A text, or its beginning with how much of it is left out."""
    return text if len(text) <= room else f"{text[:room]}\n[cut: {len(text) - room} characters more]"


def in_quotes(texts: Iterable[str]) -> str:
    """`"one", "two"`, each on one line and cut where it is long."""
    return ", ".join(f'"{textwrap.shorten(text, MAX_QUOTE_CHARS, placeholder=" …")}"' for text in texts)
