"""Behaviours that are tried together: in one container where they may share it, else one after another.

After each block one ordinary job looks for traces of all of it. So a suite of hundreds of behaviours takes minutes;
what is asserted of each stays the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tests.hostile.behaviour import Behaviour

AT_ONCE = 10
"""Behaviours with containers of their own that one ordinary job follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some behaviours of a group."""

    behaviours: tuple[Behaviour, ...]
    together: bool
    """In one container, each a process of its own; else each in a container of its own."""

    @property
    def name(self) -> str:
        """After its first behaviour."""
        return self.behaviours[0].name


def blocks(behaviours: Iterable[Behaviour]) -> list[Block]:
    """The blocks of a group."""
    listed = list(behaviours)
    sharing = tuple(each for each in listed if each.shares)
    alone = [each for each in listed if not each.shares]
    made = [Block(behaviours=sharing, together=True)] if sharing else []
    rest = [tuple(alone[start : start + AT_ONCE]) for start in range(0, len(alone), AT_ONCE)]
    return made + [Block(behaviours=each, together=False) for each in rest]
