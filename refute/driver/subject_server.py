"""The subject's end of the connection, put together: who is who, what it does when asked, what it asks for itself."""

import mmap
import socket
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from refute.driver.awaiting import STARTED, Awaiting, Loops, in_loop, running_loop
from refute.driver.connections import Connections, Input
from refute.driver.object_table import ObjectTable
from refute.driver.operations import subject_operations
from refute.driver.peer import Peer
from refute.driver.process_state import SubjectState
from refute.driver.proxy.roots import Current
from refute.driver.wire import CannotCarry, Wire


class SubjectServer:
    """All of it."""

    def __init__(self, control: socket.socket) -> None:
        Wire.strayed = self._strayed = mmap.mmap(-1, 1)
        self.objects = ObjectTable(1, lambda _: None)
        self._state = SubjectState(self.objects)
        operations = subject_operations(self.objects)
        self._board = Connections(control, lambda end: self.peer.serve_forever(end), Wire)  # noqa: PLW0108  # there is no peer yet
        hear = self._state.hear
        self.peer = Peer(self.objects, operations, self._board.connect, self._tell, hear)
        side = DriverClient(self.peer, lambda operation: operation in STARTED and running_loop() is not None)
        Current.link = self.objects.link = side
        loops = Loops()
        side.awaiting = Awaiting(self.peer.request, operations, loops)
        operations["in_loop"] = lambda token, name, args, kwargs: in_loop(
            loops.loop(token), lambda: operations[name](*args, **kwargs), side.is_blocked
        )

    def take_streams(self) -> None:
        """Make this process's standard streams the test's, and listen to the driver's other threads from now on."""
        ask = self.peer.request
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="strict")  # type: ignore[union-attr]
        sys.stdin = sys.__stdin__ = Input(lambda how, size: str(ask("read_input", how, size)))  # type: ignore[misc, assignment]
        self._board.listen()

    def _tell(self) -> dict[str, Any]:
        if self._strayed[0]:  # a forked child tried to reach what the test has
            self._strayed[0] = 0
            self.objects.lose("needs the implementation in the test's process: calls back in a process of its own")
        return self._state.tell()


class DriverClient:
    """What proxy objects of the driver ask for."""

    def __init__(self, peer: Any, is_in_loop: Callable[[str], bool]) -> None:
        self._peer = peer
        self.objects = peer.objects
        self._is_in_loop = is_in_loop
        self.awaiting: Any = None
        self._blocked = 0

    def request(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Have the driver do something; in the thread of its loop, where this one is a loop's."""
        if not self._is_in_loop(operation):
            return self._peer.request(operation, *args, **kwargs)
        self._blocked += 1
        try:
            return self._peer.request("in_loop", operation, list(args), kwargs)
        finally:
            self._blocked -= 1

    def is_blocked(self) -> bool:
        """Whether a loop's thread waits for the driver."""
        return self._blocked > 0

    def dies(self, one: Any) -> None:
        """A weak reference would find an object of the test's for as long as it lives there."""
        if self.objects.proxies.is_weakly_known(one):
            self.objects.lose(
                "needs the implementation in the test's process: keeps a weak reference to an object of it"
            )

    def cannot(self, reason: str) -> NoReturn:
        """Note that the running test needs what two processes cannot give. Raises CannotCarry: always."""
        self.objects.lose(reason)
        raise CannotCarry(reason)

    def judged(self) -> None:
        """Nothing: the driver's objects may decide."""

    async def later(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Await, in the driver, what an operation gives."""
        return await self.awaiting.later(operation, *args, **kwargs)

    def extend(self, kind: type, _: dict[str, Any]) -> None:
        """Nothing of the implementation derives from a class of the test's. Raises CannotCarry: always."""
        self.cannot(
            f"needs the implementation in the test's process: derives {kind.__qualname__} from a class of the test"
        )
