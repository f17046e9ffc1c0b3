"""What an error has besides what it was raised with: notes, attributes, a cause."""

import contextlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from refute.driver.errors import CannotCarry

if TYPE_CHECKING:
    from refute.driver.encoder import Encoder

NOTES: Final = 20
"""Notes of an error that are told."""


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


def has_changed(error: BaseException, before: Parts) -> bool:
    """Whether something was put on an error since it had these parts."""
    now = parts_of_error(error)
    same = now.args is before.args and now.cause is before.cause and now.notes == before.notes
    return not (same and all(before.attributes.get(name, before) is one for name, one in now.attributes.items()))


def told_attributes(attributes: dict[str, Any], encoder: "Encoder") -> list[list[Any]]:
    """Name and atom of those that can be carried."""
    pairs = []
    for name, value in attributes.items():
        with contextlib.suppress(CannotCarry):
            pairs.append([name, encoder.atom(value)])
    return pairs


def put_parts(error: BaseException, attributes: dict[Any, Any], notes: Any) -> None:
    """Attributes and notes."""
    for name, value in attributes.items():
        if type(name) is str and may_be_put(name):
            error.__dict__[name] = value
    if notes:
        error.__dict__["__notes__"] = [note for note in notes if isinstance(note, str)]
