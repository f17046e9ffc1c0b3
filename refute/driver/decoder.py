"""The values of a message, rebuilt from its table, of which nothing is taken for granted."""

import base64
from array import array
from collections.abc import Callable
from typing import Any, Final

from refute.driver.containers import CONTAINERS, SCALARS, SINGLETONS, empty
from refute.driver.encoder import Atom, Entry
from refute.driver.errors import Malformed, Uncarried
from refute.driver.plain_values import MAKERS

UNMADE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, BufferError, OSError)
"""What making a value may raise."""


class Decoder:
    """Rebuilds the values of one message as exact types. Raises Malformed: the table is none that an Encoder writes."""

    def __init__(self, table: list[Entry], objects: Any, heard: int = 0) -> None:
        self._objects = objects
        self._heard = heard
        self._made: list[Any] = [None] * len(table)
        self._ready = [False] * len(table)
        if not table:
            return
        try:
            for place, entry in enumerate(table):
                self._shell(place, entry)
            for place, entry in enumerate(table):
                if not self._ready[place]:
                    self._made[place] = self._immutable(entry)
                    self._ready[place] = True
            for place, entry in enumerate(table):
                self._fill(place, entry)
        except (IndexError, TypeError, ValueError, KeyError, AttributeError, OverflowError, ArithmeticError) as error:
            raise Malformed(f"a value on the wire is none: {type(error).__name__}") from error

    def value(self, atom: Atom) -> Any:
        """The value of an atom."""
        if type(atom) is not list:
            if type(atom) not in SCALARS:
                raise Malformed("an atom on the wire is none")
            return atom
        place = atom[0] if len(atom) == 1 else None
        if type(place) is not int or not 0 <= place < len(self._ready) or not self._ready[place]:
            raise Malformed("a value on the wire refers to nothing")
        return self._made[place]

    def values(self, atoms: list[Atom]) -> list[Any]:
        """The values of a list of atoms."""
        if SCALARS.issuperset(map(type, atoms)):
            return list(atoms)
        return [self.value(atom) for atom in atoms]

    def _shell(self, place: int, entry: Entry) -> None:
        tag = entry[0]
        if tag in {"t", "f", "C", "v"}:
            return
        if tag in CONTAINERS:
            known = self._objects.shared.container(entry[1])
            if known is None:
                known = empty(tag, entry)
                self._objects.shared.adopt(entry[1], known)
            elif type(known) is not CONTAINERS[tag] or (type(known) is array and known.typecode != entry[2][-1]):
                raise Malformed("a shared container changed its type")
            self._made[place] = known
        elif tag == "=":
            self._made[place] = self._objects.shared.container(entry[1])
            if self._made[place] is None:
                raise Malformed("a shared container is unknown")
        else:
            self._made[place] = self._plain(entry) if tag in {"i", "S", "b", "k"} else self._objects.shell(entry)
        self._ready[place] = True

    @staticmethod
    def _plain(entry: Entry) -> Any:
        tag, text = entry
        if tag == "i":
            return int(text, 16)
        if tag == "k":
            return SINGLETONS[text]
        data = base64.b64decode(text, validate=True)
        return data if tag == "b" else data.decode("utf-8", "surrogatepass")

    def _immutable(self, entry: Entry) -> Any:
        if entry[0] == "v":
            content = self.value(entry[-1])
            return self._attempt(type(content).__name__, lambda: self._objects.derived(entry, content))
        parts = self.values(entry[-1])
        if entry[0] == "C":
            maker = MAKERS[entry[1]]
            return self._attempt(entry[1], lambda: maker(*parts))
        return tuple(parts) if entry[0] == "t" else self._attempt("frozenset", lambda: frozenset(parts))

    def _fill(self, place: int, entry: Entry) -> None:
        tag = entry[0]
        if tag in CONTAINERS:
            parts = self.values(entry[2])
            if tag in {"d", "od", "ct"} and len(parts) % 2:
                raise Malformed("a mapping has a key without a value")
            self._attempt(CONTAINERS[tag].__name__, lambda: self._refill(entry[1], parts))
        elif tag not in {"t", "f", "C", "v", "=", "i", "S", "b", "k"}:
            self._made[place] = self._objects.fill(self._made[place], entry, self.value)

    def _attempt(self, what: str, make: Callable[[], Any]) -> Any:
        """What is made of parts that were carried; where it cannot be, the test is told so: honest code gets here."""
        try:
            return make()
        except UNMADE as error:
            reason = f"a value cannot be made in the other process ({what}: {type(error).__name__}: {error})"
            self._objects.lose(reason[:500])
            return Uncarried(reason[:500])

    def _refill(self, sid: int, parts: Any) -> None:
        if not self._objects.shared.refill(sid, parts, self._heard):
            self._objects.lose("the test and the implementation changed one container at the same time")
