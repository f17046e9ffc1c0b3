"""Two sides of a connection in one process, for tests of what goes over it."""

import socket
import threading
from collections.abc import Callable
from typing import Any

from refute.driver.callback_policy import CallbackPolicy
from refute.driver.object_table import ObjectTable
from refute.driver.operations import subject_operations
from refute.driver.peer import Peer
from refute.driver.proxy.roots import Current
from refute.driver.wire import Wire


class Pair:
    """A driver and a subject; `ask` has the subject do something.

    Args:
        module: the module whose classes count as the test's.
    """

    def __init__(self, module: str) -> None:
        ours, theirs = socket.socketpair()
        self.door = CallbackPolicy(module)
        self.driver = ObjectTable(0, self.door.may_lend)
        self.subject = ObjectTable(1, lambda _: None)
        self.door.objects = self.driver
        self.driver.function_of_member = self.door.function_of_member
        self.peer = self._peer(self.driver, self.door.operations(), ours)
        other = self._peer(self.subject, subject_operations(self.subject), theirs)
        self.peer.use(Wire(ours))
        self.driver.link = self.subject.link = Current.link = self
        self.judgements = 0
        threading.Thread(target=other.serve_forever, args=(Wire(theirs),), daemon=True).start()
        self._ends = (ours, theirs)

    @staticmethod
    def _peer(objects: ObjectTable, operations: dict[str, Callable[..., Any]], _: socket.socket) -> Peer:
        return Peer(objects, operations, lambda: None, dict, lambda _: None)  # type: ignore[arg-type, return-value]

    def request(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        return self.peer.request(operation, *args, **kwargs)

    def goes_out(self, error: BaseException) -> None:
        """The driver hands out an exception."""

    def dies(self, one: Any) -> None:
        """A proxy is held by nobody."""

    def judged(self) -> None:
        self.judgements += 1

    def close(self) -> None:
        for end in self._ends:
            end.close()
