"""The messages of one side: written from values, and taken in, one at a time, with all that goes along with them."""

import threading
from collections.abc import Callable
from time import monotonic  # by name: whoever replaces `time.monotonic` means the code's own clock
from typing import Any, Final

from refute.driver.codec import Decoder, Encoder
from refute.driver.object_table import ObjectTable
from refute.driver.wire import CannotCarry, Malformed, Message

ASK: Final = "q"
ANSWER: Final = "p"
ERROR: Final = "e"
TURN_S: Final = 2.0
"""How long a message waits for those that were written before it; one that could not be sent never comes."""
Extras = dict[str, Any]


class Messages:
    """Writes and reads; whatever it does changes what this side knows, so no two threads do it at once.

    Args:
        objects: who is who.
        tell: what goes along with every message beside its values (environment, output, warnings …), or nothing.
        hear: takes that of the other side; runs before a message's values are used.
    """

    def __init__(self, objects: ObjectTable, tell: Callable[[], Extras], hear: Callable[[Extras], None]) -> None:
        self._objects = objects
        self._tell = tell
        self._hear = hear
        self._lock = threading.RLock()
        self._turn = threading.Condition(self._lock)
        self._last = self._heard = 0

    def question(self, number: int, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Message:
        """What the other side is to do. Raises CannotCarry: an argument cannot be taken there."""
        with self._lock:
            encoder = self._encoder()
            atoms = [encoder.atom(value) for value in args]
            atoms += [encoder.atom(value) for value in kwargs.values()]
            table = encoder.table
            del encoder
            return [ASK, number, operation, atoms, list(kwargs), table, self._extras()]

    def answer(self, kind: str, number: int, box: list[Any]) -> Message:
        """What came of a question; what the box holds is let go before it is asked who holds it still.

        Raises:
            CannotCarry: it cannot be taken there, or was itself what came of it.
        """
        with self._lock:
            if kind == ERROR and isinstance(box[0], CannotCarry):
                raise box.pop()
            encoder = self._encoder()
            atom = encoder.atom(box[0])
            error = box.pop()
            if issubclass(type(error), BaseException):  # a lazy proxy may only say that it is one
                error.__traceback__ = None
            del error
            table = encoder.table
            del encoder
            return [kind, number, atom, table, self._extras()]

    def take_in(self, table: Any, extras: Any, atoms: Any) -> list[Any]:
        """The values of a message, after all that goes along with it was heard.

        Args:
            table: as it came, like the others unchecked.
            extras: what goes along.
            atoms: the values.

        Raises:
            Malformed: the message is none.
        """
        with self._lock:
            if type(table) is not list or type(extras) is not dict or type(atoms) is not list:
                raise Malformed("a message is none")
            heard = self._in_turn(extras["s"]) if "s" in extras else 0
            if extras:
                self._learn(extras)
                self._hear(extras)
            values = Decoder(table, self._objects, heard).values(atoms)
            try:
                for reason in extras.get("lost", ()):
                    self._objects.lose(str(reason))
                self._objects.shared.drop(extras.get("r", []))
                self._objects.exports.take_back(extras.get("o", []))
            except (TypeError, ValueError, LookupError, AttributeError) as error:
                raise Malformed(f"what came along with a message is none: {type(error).__name__}") from error
            return values

    def _in_turn(self, told: Any) -> int:
        """Wait until what was written before this message has been taken in by the threads that it came to.

        Returns:
            Up to which number the other side had heard our messages. Raises Malformed: it does not say so.
        """
        if type(told) is not list or {*map(type, told)} != {int} or len(told) != 2:  # noqa: PLR2004  # see `_extras`
            raise Malformed("the number of a message is none")
        number, heard = told
        deadline = monotonic() + TURN_S
        while number > self._heard + 1 and (left := deadline - monotonic()) > 0:
            self._turn.wait(left)
        self._heard = max(self._heard, number)
        self._turn.notify_all()
        return int(heard)

    def _learn(self, extras: Extras) -> None:
        """Classes that the other side tells of for the first time."""
        try:
            for news in extras.get("k", ()):
                self._objects.classes.learn(*news)
            for news in extras.get("k", ()):
                self._objects.classes.annotate(*news)
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as error:
            raise Malformed(f"a class cannot be understood: {type(error).__name__}: {error}") from error

    @property
    def _numbered(self) -> bool:
        """Whether messages tell their number: for good, as the sides notice apart that a connection has ended."""
        return self._objects.shared.overtaken or self._last > 0 or self._heard > 0

    def _encoder(self) -> Encoder:
        encoder = Encoder(self._objects)
        changed = {shared.sid: shared.value for shared in self._objects.shared.changed()}
        if changed:
            self._objects.shared.agree(list(changed))  # first: what another thread changes meanwhile is told once more
            if self._numbered:
                self._objects.shared.tell(list(changed), self._last + 1)
            encoder.update(changed)
        return encoder

    def _extras(self) -> Extras:
        """What goes along with the message; called when its values are written."""
        objects = self._objects
        extras = self._tell()
        if self._numbered:
            self._last += 1
            extras["s"] = [self._last, self._heard]
        if objects.lost and not objects.in_driver:
            extras["lost"], objects.lost = [reason for reason, _ in objects.lost], []
        if objects.classes.news:
            extras["k"], objects.classes.news = objects.classes.news, []
        if released := objects.shared.let_go():
            extras["r"] = released
        objects.proxies.slacken()
        if objects.proxies.dropped:
            extras["o"], objects.proxies.dropped = objects.proxies.dropped, []
        return extras
