"""Where messages stand among those that may overtake one another: each thread talks over a connection of its own."""

from typing import Any, Final, NamedTuple

from refute.driver.errors import Malformed

TURN_S: Final = 2.0
"""How long a message waits for those that were written before it; one that could not be sent never comes."""


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

    @property
    def last(self) -> int:
        """The number of the message that was written last."""
        return self._last

    @property
    def next(self) -> int:
        """The number that the next message gets."""
        return self._last + 1

    def give(self) -> list[int]:
        """What goes along with a message."""
        self._last += 1
        return [self._last, self._heard]

    def is_early(self, order: Order) -> bool:
        """Whether something that was written before this message has not been heard yet."""
        return order.number > self._heard + 1

    def hear(self, order: Order) -> None:
        """A message of the other side is taken in; what was written before it and has not come is given up."""
        self._heard = max(self._heard, order.number)


def read_order(told: Any) -> Order:
    """Where a message of the other side stands. Raises Malformed: it does not say so."""
    if type(told) is not list or len(told) != 2 or {*map(type, told)} != {int}:  # noqa: PLR2004  # as in `Order`
        raise Malformed("the number of a message is none")
    return Order(*told)
