"""Deep copies in parts, and what the subject may not do to an object of the test's."""

import copy
from typing import Any, Final

from refute.driver.errors import CannotCarry, Malformed

MEMOS: Final = 4
"""Deep copies that may go on at the same time."""


class Copies:
    """Deep copies: what is reached on several ways within one is copied once."""

    def __init__(self) -> None:
        self._memos: dict[int, dict[Any, Any]] = {}

    def deep(self, one: Any, number: int) -> Any:
        """A deep copy, as a part of the one that has this number over there."""
        memo = self._memos.setdefault(number, {})
        while len(self._memos) > MEMOS:
            del self._memos[next(iter(self._memos))]
        return copy.deepcopy(one, memo)


def as_class(kind: Any) -> type:
    """A class, as it is.

    Raises:
        Malformed: it is none.
    """
    if not isinstance(kind, type):
        raise Malformed("a class is none")
    return kind


def refuse(*_: Any, **__: Any) -> Any:
    """The subject may not.

    Raises:
        CannotCarry: always.
    """
    raise CannotCarry("needs the implementation in the test's process: it copies or changes an object of the test")
