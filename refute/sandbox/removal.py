"""Removing containers where nobody has to wait for it."""

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Final, ParamSpec

from docker.errors import APIError

from refute.errors import InfrastructureError
from refute.sandbox.connection import LOST, EngineClient, engine_errors
from refute.sandbox.network import close_egress
from refute.sandbox.ready_container import ReadyContainer
from refute.sandbox.reaper import remove_container

RETURN_S: Final = 20.0
"""How long a removal waits for an engine that died to answer again; `again` is for one that comes back later."""
RETRY_S: Final = 0.3


P = ParamSpec("P")


def in_background(executor: Executor, call: Callable[P, None], *args: P.args, **options: P.kwargs) -> None:
    """Call it in the background; at once where that is closed, or the interpreter ends."""
    try:
        executor.submit(call, *args, **options)
    except RuntimeError:
        call(*args, **options)


class Removal:
    """Removes containers and their volumes in the background, and closes their connections.

    Args:
        executor: runs removals; where it is closed, they run at once.
        connect: makes a connection to the engine.
    """

    def __init__(self, executor: Executor, connect: Callable[[], EngineClient]) -> None:
        self._executor = executor
        self._connect = connect
        self._left: set[str] = set()  # names of what an engine kept when it died

    def later(self, client: EngineClient, name: str, *, thaw: bool = False) -> None:
        """Removal takes a tenth of a second that nobody needs to wait for.

        Args:
            client: a connection of its own; closed afterwards.
            name: of the container.
            thaw: whether it has to be thawed first, where it was frozen.
        """
        in_background(self._executor, self._remove, client, name, thaw=thaw)

    def of(self, ready: ReadyContainer) -> None:
        """Remove a container that stands, used or not."""
        ready.release()
        self.later(ready.client, ready.name, thaw=_has_own_kernel(ready))

    def now(self, ready: ReadyContainer) -> None:
        """Remove a container that stands, and return when it is gone."""
        ready.release()
        self._remove(ready.client, ready.name, thaw=_has_own_kernel(ready))

    def again(self) -> bool:
        """Remove what an engine kept when it died, if one answers now: no sweep takes it while this process lives.

        Returns:
            Whether nothing is left.
        """
        if self._left:
            with (
                contextlib.suppress(InfrastructureError),
                contextlib.closing(self._connect()) as client,
                engine_errors("remove what it kept"),
            ):
                for name in tuple(self._left):
                    _remove_all(client, name)
                    self._left.discard(name)
        return not self._left

    def _remove(self, client: EngineClient, name: str, *, thaw: bool = False) -> None:
        try:
            if thaw:
                with contextlib.suppress(APIError):  # it is not frozen
                    client.unpause(name)
            _remove_all(client, name)
        except LOST:
            self._left.add(name)
            deadline = time.monotonic() + RETURN_S
            while not self.again() and time.monotonic() < deadline:
                time.sleep(RETRY_S)
        finally:
            client.close()


def _has_own_kernel(ready: ReadyContainer) -> bool:
    """Whether its runtime is gVisor or the like.

    gVisor's container that is killed while it is frozen goes only after 11 s, and leaves a process of the engine's
    behind for ever (measured, containerd-shim of Docker 20.10.24, runsc 0.0~20221219); thawed first: 0.9 s and none.
    """
    return not ready.pid


def _remove_all(client: EngineClient, name: str) -> None:
    """A container, and the way out that it may have had."""
    remove_container(client, name)
    close_egress(client, name)
