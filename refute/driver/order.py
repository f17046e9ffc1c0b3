"""Where messages stand among those that may overtake one another: each thread talks over a connection of its own."""

from typing import Any, Final, NamedTuple

from refute.driver.carriage import Malformed

OVERTAKING: Final = 32
"""Messages that may overtake one."""


class Order(NamedTuple):
    """Of one message; zeros where none can overtake another."""

    number: int = 0
    """Its number among those of its side."""
    heard: int = 0
    """Its side knew all of ours up to this one."""


class Numbering:
    """Numbers the messages of this side, and knows up to which it has heard all of the other's."""

    def __init__(self) -> None:
        self._last = 0
        self._heard = 0
        self._early: set[int] = set()

    @property
    def next(self) -> int:
        """The number that the next message gets."""
        return self._last + 1

    def give(self) -> list[int]:
        """What goes along with a message."""
        self._last += 1
        return [self._last, self._heard]

    def hear(self, told: Any) -> Order:
        """Where a message of the other side stands; from now on it is one that was heard.

        Raises:
            Malformed: it does not say so.
        """
        if type(told) is not list or len(told) != 2 or {*map(type, told)} != {int}:  # noqa: PLR2004  # as in `Order`
            raise Malformed("the number of a message is none")
        order = Order(*told)
        self._early.add(order.number)
        if len(self._early) > OVERTAKING:  # one was never sent: what it was to tell could not be carried
            self._heard = min(self._early) - 1
        while self._heard + 1 in self._early:
            self._heard += 1
            self._early.remove(self._heard)
        return order
