"""Words such as `/etc/*`, which list a directory without a command for it."""

from collections.abc import Iterable

from refute.scan.core.effects import Effects, List
from refute.scan.core.symbols import HOME


def listed_by(words: Iterable[str]) -> Effects:
    """The directories that words list."""
    for word in words:
        if word.endswith("/*") and word.startswith(("/", "~", HOME)):
            yield List(word[:-2] or "/")
    return None
