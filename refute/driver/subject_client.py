"""The driver's hold on the subject: starts it, talks to it, and knows what each test's decision rests on."""

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn

from refute.driver.attestation import Attestation
from refute.driver.awaiting import STARTED, Awaiting, Loops, in_loop, is_being_cancelled, running_loop
from refute.driver.callback_policy import CallbackPolicy
from refute.driver.connections import Connections, Outlets, start_subject
from refute.driver.exceptions import is_pretext
from refute.driver.extending import told_members
from refute.driver.object_table import ObjectTable
from refute.driver.peer import Peer
from refute.driver.process_state import DriverState
from refute.driver.proxy.roots import Current, ProxyMeta, ProxyObject
from refute.driver.wire import CannotCarry, CannotCarryBack, Malformed, SubjectGone, Wire

CALLS: Final = frozenset({"call", "extend", "isinstance", "issubclass", "member", "member_get", "start"})
"""Operations that run code of the implementation as a test asks for it; an import is none."""
ENDING: Final = frozenset({"StopIteration", "GeneratorExit", "CancelledError"})
"""Errors that end a loop or a task as if nothing had happened."""
DROPPED: Final = "needs the implementation in the test's process: drops an object to which it has a weak reference"
GONE: Final = 71
"""The worker's exit code after its subject has ended."""


class SubjectClient(Attestation):
    """The connection to one subject."""

    def __init__(self, job: dict[str, Any], stacks: int, send: Callable[[str, dict[str, Any]], None]) -> None:
        super().__init__(job["test_file"], Path(job["test_file"]).stem, str(job["source"]))
        self._send = send
        self._process = os.getpid()
        self._blocked = 0
        self.outlets = Outlets()
        self._subject, main, control = start_subject(job["workspace"], job["hash_seed"], stacks, self.outlets.open())
        self.pid = self._subject.pid
        self._policy = CallbackPolicy(self._module)
        self.objects = ObjectTable(0, self._policy.may_lend)
        self.state = DriverState(self.objects)
        self.objects.link = self
        self._policy.objects = self.objects
        self.objects.function_of_member = self._policy.function_of_member
        self._board = Connections(control, self._serve, lambda end: Wire(end, self._idle))
        operations: dict[str, Callable[..., Any]] = self._policy.operations()
        operations |= {"in_loop": self._in_loop, "read_input": _read_input}
        self.peer = Peer(self.objects, operations, self._board.connect, self.state.tell, self.state.hear)
        self._loops = Loops()
        self.awaiting = Awaiting(self.request, operations, self._loops)
        wire = Wire(main, self._idle)
        self.peer.use(wire)
        wire.send(["job", {**{key: job[key] for key in SUBJECT_KEYS}, "path": sys.path, "argv": sys.argv}])
        Current.link = self

    def listen(self) -> None:
        """Let the subject's own threads call back, from now on."""
        self._board.listen()

    # What proxy objects ask for

    def request(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Have the subject do something."""
        __tracebackhide__ = True
        if os.getpid() != self._process:
            self._strayed[0] = 1
            os._exit(GONE)
        if operation in CALLS:
            self.reached = True
            loop = running_loop()  # None where none runs
            if loop is not None and operation != "start":
                self._loops.current, self.has_tasks = loop, True
                operation, args, kwargs = "in_loop", (self.awaiting.token(loop), operation, list(args), kwargs), {}
        blocks = operation == "in_loop"
        self._blocked += blocks
        try:
            return self.peer.request(operation, *args, **kwargs)
        except CannotCarry as error:
            self.objects.lose(str(error), back=isinstance(error, CannotCarryBack))
            raise
        except (Malformed, SubjectGone) as error:
            self._break(error)
        except BaseException as error:
            self._outgoing = [one for one in self._outgoing if one is not error]
            if operation in CALLS or operation == "in_loop":
                with contextlib.suppress(AttributeError):
                    error.__dict__["_refute_called_"] = True
                    if is_pretext(error, self.objects, operation, args, kwargs):
                        error.__dict__["_refute_pretext_"] = True
                self._raised = True
            self._end_nothing(error, operation, args)
            raise
        finally:
            self._blocked -= blocks

    def _end_nothing(self, error: BaseException, operation: str, args: tuple[Any, ...]) -> None:
        """See that no call ends the test's own loops and tasks unseen: `all(map(f, xs))` holds where `f` stops it.

        Only the next step of an iterator may, as with generators. A test that says what it expects has it, unattested.

        Raises:
            RuntimeError: in place of such an error.
        """
        inner = (args[1], args[2]) if operation == "in_loop" else (operation, args)
        names = ENDING.intersection(kind.__name__ for kind in type.mro(type(error)))
        if not names or (inner[0] == "member" and inner[1][1] == "__next__"):
            return
        if any(name in self._source for name in names):
            self.judged()
            return
        raise RuntimeError(f"the implementation raised {type(error).__name__}") from error

    def dies(self, one: Any) -> None:
        """A weak reference of the test's would find an object of the subject's for as long as it lives there.

        Hypothesis has weak references to what it draws, too; nobody looks into those.
        """
        if "weakref" not in self._source or not isinstance(one, ProxyObject):
            return
        if self.objects.proxies.is_weakly_known(one) and self.test_frame() is not None:
            self.objects.lose(DROPPED, back=False)

    async def later(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Await, in the subject, what an operation gives."""
        self.reached = self.has_tasks = True
        self._loops.current = running_loop()
        if self._loops.current is None:
            self.cannot("needs the implementation in the test's process: awaits it otherwise than by asyncio")
        try:
            return await self.awaiting.later(operation, *args, **kwargs)
        except BaseException as error:
            if not is_being_cancelled():
                self._end_nothing(error, operation, args)
            raise

    def extend(self, kind: type, namespace: dict[str, Any]) -> None:
        """Have a class that derives from proxies made in the subject as well."""
        keywords = namespace.pop("_refute_keywords_")
        merged: dict[str, Any] = {}
        for base in reversed(kind.__mro__[1:]):
            if not isinstance(base, ProxyMeta) and base.__module__ == kind.__module__:
                merged.update(vars(base))
        merged.update(namespace)
        if "__annotations__" in merged:
            merged["__annotations__"] = self.objects.annotations(kind)
        bases = tuple(base for base in kind.__bases__ if isinstance(base, ProxyMeta))
        place = (kind.__name__, kind.__qualname__, kind.__module__)
        classes = self.objects.classes
        before, classes.expected = classes.expected, kind
        try:
            cid = self.request("extend", place, bases, told_members(merged), keywords)
        finally:
            classes.expected = before
        self.objects.proxies.remember(cid, kind)

    # The other direction

    def _serve(self, wire: Wire) -> None:
        try:
            self.peer.serve_forever(wire)
        except Malformed as error:
            self._break(error)

    def _in_loop(self, operation: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """What a coroutine of the subject's calls: in the thread of the test's loop, as it would be in one process."""
        if operation not in STARTED:
            raise Malformed("an operation is none that a loop calls")
        loop = self._loops.current

        def action() -> Any:
            return self.peer.operations[operation](*args, **kwargs)

        if loop is None or not loop.is_running() or running_loop() is loop:
            return action()
        return in_loop(loop, action, lambda: self._blocked > 0)

    def _idle(self, waiting: int) -> None:
        """Wait for a message, passing on what the subject prints meanwhile."""
        ready: list[int] = []
        while waiting not in ready:
            ready = select.select([waiting, *self.outlets.ends], [], [])[0]
            if ready != [waiting]:
                self.outlets.pass_on()

    def _break(self, error: Exception) -> NoReturn:
        """End this worker: its subject has ended, or does not keep to the rules."""
        if isinstance(error, Malformed):
            self._send("tampering", {"fact": f"the implementation's process broke the protocol: {error}"})
            self._subject.kill()
        else:
            try:
                code = self._subject.wait(2.0)
            except subprocess.TimeoutExpired:
                self._send("tampering", {"fact": "the implementation closed its connection and went on running"})
                self._subject.kill()
                code = 0
            self.outlets.pass_on()
            how = f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"
            self._send("gone", {"how": how})
        sys.stdout.flush()
        os._exit(GONE)


SUBJECT_KEYS: Final = ("workspace", "import_roots", "memory_bytes", "recursion_limit")


def _read_input(how: Any, size: Any) -> str:
    """The test's standard input, where it has put one of its own in place."""
    if how not in {"read", "readline"} or type(size) is not int or sys.stdin is sys.__stdin__:
        return ""
    return str(getattr(sys.stdin, how)(size))
