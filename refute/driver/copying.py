"""Copies of a test's own objects, which the subject may have made; anything else it may not make of them."""

import copy
from collections.abc import Callable
from typing import Any

from refute.driver.errors import CannotCarry, Malformed
from refute.driver.operations import Copies


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


def copying(check: Callable[[Any], None], objects: Callable[[], Any]) -> dict[str, Callable[..., Any]]:
    """The operations, by name.

    Args:
        check: raises where an object may not be copied.
        objects: gives who is who.
    """
    copies = Copies()

    def shallow(one: Any) -> Any:
        check(one)
        return copy.copy(one)

    def deep(one: Any, number: Any, pairs: Any) -> Any:
        check(one)
        return copies.deep(objects(), one, number, pairs)

    return {"copy": shallow, "deepcopy": deep}
