"""One side of the connection: asks the other to do things, and does what it is asked while it waits."""

import threading
from collections.abc import Callable
from time import monotonic  # by name: whoever replaces `time.monotonic` means the code's own clock
from typing import Any

from refute.driver.carriage import CannotCarry, Malformed, SubjectGone
from refute.driver.codec import Decoder, Encoder
from refute.driver.objects import Objects
from refute.driver.order import TURN_S, Numbering, Order, read_order
from refute.driver.wire import Message, Wire

ASK, ANSWER, ERROR, NOTICE = "q", "p", "e", "n"
Extras = dict[str, Any]


class Peer:
    """Both directions of one pair of processes.

    Args:
        objects: who is who.
        operations: what this side does for the other, by name.
        connect: makes this thread's own connection.
        tell: what goes along with every message beside its values (environment, output, warnings …), or nothing.
        hear: takes that of the other side; runs before a message's values are used.
    """

    def __init__(
        self,
        objects: Objects,
        operations: dict[str, Callable[..., Any]],
        connect: Callable[[], Wire],
        tell: Callable[[], Extras],
        hear: Callable[[Extras], None],
    ) -> None:
        self.objects = objects
        self.operations = operations
        self._connect = connect
        self._tell = tell
        self._hear = hear
        self._lock = threading.RLock()
        self._turn = threading.Condition(self._lock)
        self._local = threading.local()
        self._sequence = 0
        self._first_wire: Wire | None = None
        self._numbering = Numbering()

    @property
    def wire(self) -> Wire:
        """This thread's connection."""
        wire: Wire | None = getattr(self._local, "wire", None)
        if wire is None:
            wire = self._connect()
            self.use(wire)
        return wire

    @property
    def is_connected(self) -> bool:
        """Whether this thread has a connection yet."""
        return getattr(self._local, "wire", None) is not None

    @property
    def is_busy(self) -> bool:
        """Whether this thread is in the middle of a message, so that it cannot send another."""
        return getattr(self._local, "busy", False)

    def use(self, wire: Wire) -> None:
        """Let this thread talk over a connection."""
        self._local.wire = wire
        if self._first_wire is None:
            self._first_wire = wire
        elif wire is not self._first_wire:
            self.objects.lingers = True

    def request(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Have the other side do something; what it returns or raises is returned or raised here.

        Raises:
            CannotCarry: an argument cannot be taken there.
            Malformed: the other side did not keep to the rules.
            SubjectGone: it ended.
        """
        __tracebackhide__ = True
        wire, before = self.wire, self.is_busy
        self._local.busy = True
        try:
            return self._converse(wire, operation, args, kwargs)
        finally:
            self._local.busy = before

    def _converse(self, wire: Wire, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True
        if self.objects.in_driver and wire.has_input():
            raise Malformed("an answer came before the question")
        self._sequence += 1
        number = self._sequence
        try:
            wire.send(self._ask(number, operation, args, kwargs))
        except CannotCarry as error:
            if not self.objects.in_driver:  # there the test's own question is at fault
                self.objects.lose(str(error))
            raise
        del args, kwargs
        while True:
            message = wire.receive()
            if message[0] == ASK:
                self.serve(wire, message)
            elif message[0] == NOTICE:
                self._listen(message)
            else:
                return self._answer(number, message)

    def serve_forever(self, wire: Wire) -> None:
        """Do what is asked over a connection until it is closed."""
        self.use(wire)
        self._local.busy = True
        try:
            while True:
                message = wire.receive()
                if message[0] == NOTICE:
                    self._listen(message)
                elif message[0] == ASK:
                    self.serve(wire, message)
                else:
                    raise Malformed("an answer came before the question")
        except SubjectGone:
            return

    def serve(self, wire: Wire, message: Message) -> None:
        """Do one thing, and answer."""
        box: list[Any] = []
        kind = ANSWER
        try:
            box.append(self._perform(message))
        except Malformed:
            raise
        except BaseException as error:
            kind = ERROR
            box.append(error)
            if isinstance(error, CannotCarry) and self.objects.in_driver:  # the subject may swallow it
                self.objects.lose(str(error))
        number = message[1]
        message.clear()
        self._reply(wire, kind, number, box)

    def notify(self) -> None:
        """Send what goes along with messages now, without a message."""
        self.wire.send([NOTICE, self._tell()])

    def _perform(self, message: Message) -> Any:
        try:
            _, _, operation, atoms, names, table, extras = message
        except ValueError as error:
            raise Malformed("a question is none") from error
        before = self.objects.asked_about
        with self._lock:
            values = self._take_in(table, extras, atoms, asked=True)
        self._local.busy = False
        try:
            return self._operate(operation, values, names)
        finally:
            self._local.busy = True
            self.objects.asked_about = before

    def _operate(self, operation: Any, values: list[Any], names: list[str]) -> Any:
        kwargs = dict(zip(names, values[len(values) - len(names) :], strict=True)) if names else {}
        if names:
            del values[len(values) - len(names) :]
        if operation not in self.operations:
            raise Malformed(f"an operation is unknown: {str(operation)[:40]}")
        return self.operations[operation](*values, **kwargs)

    def _reply(self, wire: Wire, kind: str, number: int, box: list[Any]) -> None:
        try:
            answer = self._write(kind, number, box)
            wire.send(answer)
        except SubjectGone:
            raise
        except Exception as error:  # the result cannot be carried: that is the answer then
            fault = (
                error
                if isinstance(error, CannotCarry)
                else CannotCarry(f"a result could not be passed: {type(error).__name__}")
            )
            if self.objects.in_driver:
                self.objects.lose(str(fault))
            self.objects.lost = []  # this answer says so
            wire.send([ERROR, number, ["cannot", str(fault)[:1000]], [], {}])

    def _write(self, kind: str, number: int, box: list[Any]) -> Message:
        """The answer; what it holds is let go before it is asked who holds it still."""
        with self._lock:
            if kind == ERROR and isinstance(box[0], CannotCarry):
                raise box.pop()
            encoder = self._encoder()
            atom = encoder.atom(box[0])
            error = box.pop()
            if isinstance(error, BaseException):
                error.__traceback__ = None
            del error
            table = encoder.table
            del encoder
            return [kind, number, atom, table, self._extras()]

    def _ask(self, number: int, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Message:
        with self._lock:
            encoder = self._encoder()
            atoms = [encoder.atom(value) for value in args]
            atoms += [encoder.atom(value) for value in kwargs.values()]
            table = encoder.table
            del encoder
            return [ASK, number, operation, atoms, list(kwargs), table, self._extras()]

    def _encoder(self) -> Encoder:
        encoder = Encoder(self.objects)
        changed = {shared.sid: shared.value for shared in self.objects.changed()}
        if changed:
            self.objects.agree(list(changed))  # first: what another thread changes meanwhile is told once more
            if self.objects.lingers:
                self.objects.tell(list(changed), self._numbering.next)
            encoder.update(changed)
        return encoder

    def _extras(self) -> Extras:
        """What goes along with the message; called when its values are written."""
        objects = self.objects
        extras = self._tell()
        if objects.lingers:
            extras["s"] = self._numbering.give()
        if marks := objects.marks():
            extras["m"] = marks
        if objects.lost:
            extras["lost"], objects.lost = objects.lost, []
        if objects.news:
            extras["k"], objects.news = objects.news, []
        if released := objects.let_go(until=self._numbering.last):
            extras["r"] = released
        objects.slacken()
        if objects.weakened:
            extras["w"], objects.weakened = objects.weakened, []
        if objects.gone:
            extras["g"], objects.gone = objects.gone, []
        if objects.dropped:
            extras["o"], objects.dropped = objects.dropped, []
        return extras

    def _take_in(self, table: Any, extras: Any, atoms: Any, *, asked: bool = False) -> list[Any]:
        """The values of a message, with all that goes along with it."""
        if type(table) is not list or type(extras) is not dict or type(atoms) is not list:
            raise Malformed("a message is none")
        order = self._in_turn(read_order(extras["s"])) if "s" in extras else Order()
        try:
            for cid, told, members, _ in extras.get("k", ()):
                self.objects.learn(cid, told, members)
            for cid, _, _, annotations in extras.get("k", ()):
                self.objects.annotate(cid, annotations)
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as error:
            raise Malformed(f"a class cannot be understood: {type(error).__name__}: {error}") from error
        if extras:
            self._hear(extras)
        values = Decoder(table, self.objects, order).values(atoms)
        if asked and self.objects.in_driver:
            self.objects.asked_about = self.objects.lent_among(values)
        try:
            self._settle_up(table, extras)
            self.objects.forget(order.heard)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise Malformed(f"what came along with a message is none: {type(error).__name__}") from error
        return values

    def _in_turn(self, order: Order) -> Order:
        """Wait until what was written before this message has been taken in by the threads that it came to."""
        deadline = monotonic() + TURN_S
        while self._numbering.is_early(order) and (left := deadline - monotonic()) > 0:
            self._turn.wait(left)
        self._numbering.hear(order)
        self._turn.notify_all()
        return order

    def _settle_up(self, table: list[Any], extras: Extras) -> None:
        """After a message: agree on shared containers, and let go what is no longer held."""
        self.objects.agree([entry[1] for entry in table if entry[0] == "W"])
        self.objects.agree([entry[3] for entry in table if entry[0] == "V"])
        if "m" in extras:
            self.objects.mark(extras["m"])
        for reason in extras.get("lost", ()):
            self.objects.hear_of_loss(str(reason))
        self.objects.drop(extras.get("r", []), until=self._numbering.last)
        self.objects.take_back(extras.get("o", []))
        for oid in extras.get("w", ()):
            self.objects.weaken(oid)
        self.objects.release(extras.get("g", []))

    def _answer(self, number: int, message: Message) -> Any:
        __tracebackhide__ = True
        kind, told, *rest = message
        if kind not in {ANSWER, ERROR} or told != number or len(rest) != 3:  # noqa: PLR2004  # value, table, extras
            raise Malformed("an answer to another question came")
        atom, table, extras = rest
        if kind == ERROR and type(atom) is list and len(atom) == 2 and atom[0] == "cannot":  # noqa: PLR2004
            raise CannotCarry(str(atom[1]))
        with self._lock:
            (value,) = self._take_in(table, extras, [atom])
        del table, rest, message
        if kind == ANSWER:
            return value
        if not isinstance(value, BaseException):
            raise Malformed("an error is none")
        try:
            raise value
        finally:
            del value  # else its traceback would hold it, and with it whatever the frames hold

    def _listen(self, message: Message) -> None:
        with self._lock:
            self._take_in([], message[1], [])
