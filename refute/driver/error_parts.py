"""What is put on an error besides what it was raised with: notes, attributes, another cause or other arguments.

An error of the test that the implementation catches, adds to and raises again is the test's own object, so what was
added is told and put on it. Groups of errors are values, which have all of it from the beginning.
"""

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from refute.driver.admitted import is_of_testing
from refute.driver.errors import CannotCarry, Malformed
from refute.driver.table import Atom

if TYPE_CHECKING:
    from refute.driver.encoder import Encoder

NOTES: Final = 20
"""Notes of an error that are told."""
READ_BY_US: Final = (AssertionError, TypeError)
"""Whoever changes the message of one could have a refutation taken for something that cannot be carried."""


class Parts(NamedTuple):
    """What an error has at a moment."""

    args: Any
    attributes: dict[str, Any]
    notes: list[str]
    cause: BaseException | None
    suppressed: bool


def parts_of_error(error: BaseException) -> Parts:
    """What an error has now; a class may have members of its own under these names."""
    slots = vars(BaseException)
    found = vars(error)
    notes = found.get("__notes__")
    return Parts(
        slots["args"].__get__(error),
        {name: value for name, value in list(found.items()) if type(name) is str and may_be_put(name)},
        [note for note in notes[:NOTES] if type(note) is str] if isinstance(notes, list) else [],
        slots["__cause__"].__get__(error),
        slots["__suppress_context__"].__get__(error),
    )


def may_be_put(name: str) -> bool:
    """Whether an attribute of this name only holds something."""
    return not name.startswith("_") and not hasattr(BaseException, name)


def tell_changes(error: BaseException, before: Parts, encoder: "Encoder") -> list[Any] | None:
    """What was put on an error since it had these parts; None where nothing was."""
    now = parts_of_error(error)
    args = None if now.args is before.args else [encoder.atom(part) for part in now.args]
    missing = object()
    put = {name: value for name, value in now.attributes.items() if before.attributes.get(name, missing) is not value}
    notes = None if now.notes == before.notes else now.notes
    cause = None if now.cause is before.cause else [encoder.atom(now.cause), now.suppressed]
    if args is None and not put and notes is None and cause is None:
        return None
    return [args, told_attributes(put, encoder), notes, cause]


def told_attributes(attributes: dict[str, Any], encoder: "Encoder") -> list[list[Any]]:
    """Name and atom of those that can be carried."""
    pairs = []
    for name, value in attributes.items():
        with contextlib.suppress(CannotCarry):
            pairs.append([name, encoder.atom(value)])
    return pairs


def put_changes(error: Any, changes: list[Any], value_of: Callable[[Atom], Any]) -> None:
    """Do to the test's own error what `tell_changes` says of it.

    Raises:
        Malformed: it is no error, or nothing that may be put on one.
    """
    args, pairs, notes, cause = changes
    if not isinstance(error, BaseException):
        raise Malformed("notes are put on what is no error")
    if is_of_testing(type(error)) or isinstance(error, CannotCarry):
        return
    slots = vars(BaseException)
    if args is not None and not isinstance(error, READ_BY_US):
        slots["args"].__set__(error, tuple(value_of(atom) for atom in args))
    put_parts(error, {name: value_of(atom) for name, atom in pairs}, notes)
    if cause is not None:
        other, suppressed = value_of(cause[0]), cause[1]
        if other is None or isinstance(other, BaseException):
            slots["__cause__"].__set__(error, other)
            slots["__suppress_context__"].__set__(error, bool(suppressed))


def put_parts(error: BaseException, attributes: dict[Any, Any], notes: Any) -> None:
    """Attributes and notes."""
    for name, value in attributes.items():
        if type(name) is str and may_be_put(name):
            error.__dict__[name] = value
    if notes:
        error.__dict__["__notes__"] = [note for note in notes if isinstance(note, str)]
