"""Who is who: objects lent to the other side, objects borrowed from it, and their classes."""

from types import FunctionType
from typing import Any

from refute.driver.reading import Reading
from refute.driver.writing import Writing


class Objects(Writing, Reading):
    """One side's view of everything that is no plain data.

    Args:
        first: 0 for the driver, 1 for the subject: the numbers that this side gives are even or odd.
        may_lend: says what of this side the other one may hold; raises CannotCarry.
    """

    def marks(self) -> list[list[Any]]:
        """What was put on functions of ours since the other side was told of them."""
        found = []
        for oid, (function, before) in self._watched.items():
            for name, value in vars(function).items():
                if name[:2] != "__" and before.get(name, self) is not value:
                    before[name] = value
                    found.append([oid, name, self.packed(value)])
        return found

    def mark(self, marks: list[list[Any]]) -> None:
        """Put on stand-ins what the other side put on its functions."""
        for oid, name, packed in marks:
            function = self.standing_for(oid)
            if isinstance(function, FunctionType) and type(name) is str and not name.startswith("_"):
                setattr(function, name, self.unpacked(packed))
