"""Who is who: objects lent to the other side, objects borrowed from it, and their classes."""

import contextlib
from types import FunctionType
from typing import Any

from refute.driver.errors import CannotCarry
from refute.driver.proxy.functions import is_hidden
from refute.driver.reading import Reading
from refute.driver.writing import Writing


class ObjectTable(Writing, Reading):
    """One side's view of everything that is no plain data.

    Args:
        first: 0 for the driver, 1 for the subject: the numbers that this side gives are even or odd.
        may_lend: says what of this side the other one may hold; raises CannotCarry.
    """

    def marks(self) -> list[list[Any]]:
        """What was put on functions since the other side was told: on ours, and on what stands for theirs."""
        found: list[list[Any]] = []
        for oid, (function, told) in list(self._watched.items()):
            found += self._put_on(oid, function, told)
        for oid, function in list(self._functions.items()):
            found += self._put_on(oid, function, self._marked.setdefault(oid, {}))
        return found

    def _put_on(self, oid: int, function: FunctionType, told: dict[str, Any]) -> list[list[Any]]:
        found = []
        for name, value in list(vars(function).items()):
            if not is_hidden(name) and told.get(name, self) is not value:
                told[name] = value
                with contextlib.suppress(CannotCarry):  # whoever asks for it there finds nothing
                    found.append([oid, name, self.packed(value)])
        return found

    def mark(self, marks: list[list[Any]]) -> None:
        """Put on functions what the other side put on those of the same number."""
        for oid, name, packed in marks:
            function = self._lent[oid][0] if oid in self._lent else self.standing_for(oid)
            if isinstance(function, FunctionType) and type(name) is str and not is_hidden(name):
                value = self.unpacked(packed)
                setattr(function, name, value)
                if oid in self._watched:
                    self._watched[oid][1][name] = value
                elif oid in self._functions:
                    self._marked.setdefault(oid, {})[name] = value
