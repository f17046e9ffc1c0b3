"""One side of the connection: asks the other to do things, and does what it is asked while it waits."""

import threading
from collections.abc import Callable
from typing import Any

from refute.driver.messages import ANSWER, ASK, ERROR, Extras, Messages
from refute.driver.object_table import ObjectTable
from refute.driver.proxy.describing import CodeFacts
from refute.driver.wire import CannotCarry, CannotCarryBack, Malformed, Message, SubjectGone, Wire


class Peer:
    """Both directions of one pair of processes."""

    def __init__(
        self,
        objects: ObjectTable,
        operations: dict[str, Callable[..., Any]],
        connect: Callable[[], Wire],
        tell: Callable[[], Extras],
        hear: Callable[[Extras], None],
    ) -> None:
        self.objects = objects
        self.operations = operations
        self._connect = connect
        self._messages = Messages(objects, tell, hear)
        self._local = threading.local()
        self._sequence = 0

    @property
    def wire(self) -> Wire:
        """This thread's connection."""
        wire: Wire | None = getattr(self._local, "wire", None)
        if wire is None:
            wire = self._connect()
            self.use(wire)
        return wire

    def use(self, wire: Wire) -> None:
        """Let this thread talk over a connection."""
        self._local.wire = wire
        self.objects.shared.wires.add(wire)

    def request(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Have the other side do something; what it returns or raises is returned or raised here.

        Raises:
            CannotCarry: an argument cannot be taken there.
            Malformed: the other side did not keep to the rules.
            SubjectGone: it ended.
        """
        __tracebackhide__ = True
        wire = self.wire
        if self.objects.in_driver and wire.has_input():
            raise Malformed("an answer came before the question")
        self._sequence += 1
        number = self._sequence
        try:
            wire.send(self._messages.question(number, operation, args, kwargs))
        except CannotCarry as error:
            if not self.objects.in_driver:  # there the test's own question is at fault
                self.objects.lose(str(error))
            raise
        del args, kwargs
        while True:
            message = wire.receive()
            if message[0] == ASK:
                self.serve(wire, message)
            else:
                return self._answer(number, message)

    def serve_forever(self, wire: Wire) -> None:
        """Do what is asked over a connection until it is closed."""
        self.use(wire)
        try:
            while True:
                message = wire.receive()
                if message[0] != ASK:
                    raise Malformed("an answer came before the question")
                self.serve(wire, message)
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
            elif _misses_code(error):
                self.objects.lose("needs the implementation in the test's process: makes a function of another's code")
        number = message[1]
        message.clear()
        self._reply(wire, kind, number, box)

    def _perform(self, message: Message) -> Any:
        try:
            _, _, operation, atoms, names, table, extras = message
        except ValueError as error:
            raise Malformed("a question is none") from error
        values = self._messages.take_in(table, extras, atoms)
        kwargs = dict(zip(names, values[len(values) - len(names) :], strict=True)) if names else {}
        if names:
            del values[len(values) - len(names) :]
        if operation not in self.operations:
            raise Malformed(f"an operation is unknown: {str(operation)[:40]}")
        return self.operations[operation](*values, **kwargs)

    def _reply(self, wire: Wire, kind: str, number: int, box: list[Any]) -> None:
        try:
            answer = self._messages.answer(kind, number, box)
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
            else:
                self.objects.lost = []  # this answer says so
            wire.send([ERROR, number, ["cannot", str(fault)[:1000]], [], {}])

    def _answer(self, number: int, message: Message) -> Any:
        __tracebackhide__ = True
        kind, told, *rest = message
        if kind not in {ANSWER, ERROR} or told != number or len(rest) != 3:  # noqa: PLR2004  # value, table, extras
            raise Malformed("an answer to another question came")
        atom, table, extras = rest
        if kind == ERROR and type(atom) is list and len(atom) == 2 and atom[0] == "cannot":  # noqa: PLR2004
            raise CannotCarryBack(str(atom[1]))
        (value,) = self._messages.take_in(table, extras, [atom])
        del table, rest, message
        if kind == ANSWER:
            return value
        if not isinstance(value, BaseException):
            raise Malformed("an error is none")
        try:
            raise value
        finally:
            del value  # else its traceback would hold it, and with it whatever the frames hold


def _misses_code(error: BaseException) -> bool:
    """Whether Python refused the facts about a function's code, which are all that is there of the other side's."""
    match error:
        case TypeError(args=[str(text)]):
            return text.endswith(f"not {CodeFacts.__name__}")
        case _:
            return False
