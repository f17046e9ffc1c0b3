"""Awaiting what the other process has: each side runs its own coroutines on one event loop, truly side by side.

`later` starts something there and waits for it on the loop here; a cancellation goes there and comes back.
"""

import itertools
import weakref
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from refute.driver.event_loops import LastLoop, OwnLoops, in_loop, running_loop

if TYPE_CHECKING:
    import asyncio

DONE, FAILED, CANCELLED = "done", "failed", "cancelled"
STARTED: Final = frozenset({"call", "call_lent", "member", "awaited"})
"""Operations that may be started to be awaited."""
Operations = dict[str, Callable[..., Any]]


class Awaiting:
    """Both directions of awaiting."""

    def __init__(self, request: Callable[..., Any], operations: Operations, loops: OwnLoops | LastLoop) -> None:
        self._request = request
        self._operations = operations
        self._loops = loops
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Future[Any]]] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._started_in: dict[int, asyncio.AbstractEventLoop] = {}
        self._loop_numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        operations["awaited"] = _awaited
        operations["start"] = self._start
        operations["cancel"] = self._cancel
        operations["finished"] = self._finished

    def token(self, loop: "asyncio.AbstractEventLoop") -> int:
        """The number of a loop of this side."""
        return self._loop_numbers.setdefault(loop, next(self._numbers))

    async def later(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Start something on the other side's loop and await it."""
        __tracebackhide__ = True
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        number = next(self._numbers)
        self._waiting[number] = (loop, future)
        try:
            self._request("start", number, self.token(loop), operation, list(args), kwargs)
            del args, kwargs
            while True:
                try:
                    return await asyncio.shield(future)
                except asyncio.CancelledError:
                    if not future.done() and self._request("cancel", number):
                        continue
                    raise
        finally:
            self._waiting.pop(number, None)

    def _start(self, number: int, token: int, operation: str, args: list[Any], kwargs: dict[str, Any]) -> None:
        if operation not in STARTED:
            raise ValueError(f"operation {operation!r}: got one that cannot be awaited, expected {sorted(STARTED)}")
        loop = self._loops.loop(token)

        def begin() -> None:
            try:
                awaitable = self._operations[operation](*args, **kwargs)
            except BaseException as error:
                awaitable = _failed(error)
            self._tasks[number] = loop.create_task(self._run(number, awaitable))

        self._started_in[number] = loop
        if running_loop() is loop:  # None in other threads
            begin()
        else:
            # Not waited for: that loop may be waiting for this one.
            loop.call_soon_threadsafe(begin)

    async def _run(self, number: int, awaitable: Awaitable[Any]) -> None:
        import asyncio

        how, value = DONE, None
        try:
            value = await awaitable
        except asyncio.CancelledError:
            how = CANCELLED
        except BaseException as error:
            how, value = FAILED, error
        self._tasks.pop(number, None)
        self._started_in.pop(number, None)
        del awaitable
        try:
            self._request("finished", number, how, value)
        except Exception as error:
            lost = RuntimeError(f"a result could not be passed: {error}")
            self._request("finished", number, FAILED, lost)

    def _cancel(self, number: int) -> bool:
        """Whether there was still something to cancel; what has not begun takes its first step, as in one process."""
        loop = self._started_in.get(number)
        if loop is None:
            return False

        def cancel() -> bool:
            task = self._tasks.get(number)
            return task is not None and task.cancel()

        in_loop(loop, lambda: None)
        return bool(in_loop(loop, cancel))

    def _finished(self, number: int, how: str, value: Any) -> None:
        waiting = self._waiting.get(number)
        if waiting is None:
            return
        loop, future = waiting
        loop.call_soon_threadsafe(_settle, future, how, value)


async def _awaited(one: Any) -> Any:
    return await one


async def _failed(error: BaseException) -> Any:
    raise error


def _settle(future: "asyncio.Future[Any]", how: str, value: Any) -> None:
    if future.done():
        return
    if how == CANCELLED:
        future.cancel()
    elif how == FAILED and isinstance(value, BaseException):
        if isinstance(value, StopIteration):
            value = RuntimeError("coroutine raised StopIteration")
        future.set_exception(value)
    else:
        future.set_result(value)
