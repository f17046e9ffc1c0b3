"""Words around numbers."""


def counted(count: int, noun: str) -> str:
    """`1 test`, `3 tests`; for nouns that form their plural with an s."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
