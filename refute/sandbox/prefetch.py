"""Containers made ahead of the jobs that will run in them, each used once or removed."""

import contextlib
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, Future, wait
from typing import Final

from refute.sandbox.ready_container import ReadyContainer
from refute.sandbox.removal import in_background

PREPARING_S: Final = 60.0
"""How long one that is being made is waited for."""


class Prefetch:
    """What was prepared and not used yet. Threads may share it.

    Args:
        executor: makes and removes containers in the background.
        remove: removes a container and closes its connection.
    """

    def __init__(self, executor: Executor, remove: Callable[[ReadyContainer], None]) -> None:
        self._executor = executor
        self._remove = remove
        self._lock = threading.Lock()
        self._waiting: defaultdict[str, list[Future[ReadyContainer]]] = defaultdict(list)

    def prepare(self, key: str, make: Callable[[], ReadyContainer]) -> None:
        """Begin to make a container. A failure shows only in that there is none to take."""
        with contextlib.suppress(RuntimeError), self._lock:  # closed: nothing is prepared any more
            self._waiting[key].append(self._executor.submit(make))

    def take(self, key: str) -> ReadyContainer | None:
        """A usable container of this shape, waited for where it is being made; it is the caller's to remove."""
        while True:
            with self._lock:
                waiting = self._waiting.get(key)
                if not waiting:
                    return None
                future = waiting.pop()
            try:
                ready = self._made(future)
            except BaseException:  # interrupted while waiting: nobody else knows of this one any more
                future.add_done_callback(self._remove_late)
                raise
            if ready is None:
                continue
            if ready.is_usable():
                return ready
            in_background(self._executor, self._remove, ready)

    def discard(self) -> None:
        """Remove what nobody took, and return when it is gone."""
        with self._lock:
            futures = [future for waiting in self._waiting.values() for future in waiting]
            self._waiting.clear()
        for future in futures:
            if not future.cancel() and (ready := self._made(future)) is not None:
                self._remove(ready)

    def discard_later(self) -> None:
        """Remove what nobody took, in the background.

        The garbage collector calls this at any moment, also while a thread submits something to any executor and so
        holds the lock that all of them share: where nothing is left, it must not be asked for.
        """
        if any(self._waiting.values()):
            in_background(self._executor, self.discard)

    def _made(self, future: Future[ReadyContainer]) -> ReadyContainer | None:
        wait([future], timeout=PREPARING_S)
        if not future.done():
            future.add_done_callback(self._remove_late)
            return None
        return None if future.exception() else future.result()

    def _remove_late(self, future: Future[ReadyContainer]) -> None:
        if not future.cancelled() and not future.exception():
            in_background(self._executor, self._remove, future.result())
