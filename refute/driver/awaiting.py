"""Awaiting what the other process has: each side runs its own coroutines on one event loop, truly side by side."""

import itertools
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio

BLOCKED_S: Final = 0.005
"""Time between two looks at whether a loop's thread is blocked."""
LEAVE_S: Final = 1.0
"""Time that the tasks of a loop are given at most to end once they are cancelled."""


def running_loop() -> "asyncio.AbstractEventLoop | None":
    """The loop that runs in this thread; asks asyncio only where somebody has imported it, which costs 50 ms."""
    module = sys.modules.get("asyncio")
    return module._get_running_loop() if module is not None else None  # noqa: SLF001  # get_running_loop raises


def forget_ended_loop() -> None:
    """Let `asyncio.get_event_loop` make a loop again in this thread, as in a new process.

    `asyncio.run` leaves the thread with none, and from then on it raises: a test that runs after another one would
    fail for its place in the file. A loop that somebody has set stays.
    """
    module = sys.modules.get("asyncio")
    local: Any = getattr(module.get_event_loop_policy(), "_local", None) if module is not None else None
    if getattr(local, "_loop", True) is None:
        local._set_called = False  # noqa: SLF001  # nothing public takes it back


class Loops:
    """A loop in a thread of its own for each loop of the other side; a new one ends the one before."""

    def __init__(self) -> None:
        self.current: asyncio.AbstractEventLoop | None = None
        """The loop on which a test awaits: takes the place of all others while it runs."""
        self._lock = threading.Lock()
        self._token = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self, token: int) -> "asyncio.AbstractEventLoop":
        """The loop that belongs to the other side's."""
        import asyncio

        if self.current is not None and self.current.is_running():
            return self.current
        with self._lock:
            if self._loop is None or token != self._token:
                if self._loop is not None:
                    self._loop.call_soon_threadsafe(_wind_up, self._loop)
                self._loop, self._token = asyncio.new_event_loop(), token
                threading.Thread(target=_run_loop, args=(self._loop,), daemon=True, name="MainThread").start()
            return self._loop


def in_loop(
    loop: "asyncio.AbstractEventLoop", action: Callable[[], Any], is_blocked: Callable[[], bool] = lambda: False
) -> Any:
    """Do something in a loop's thread, as a plain function called by a coroutine is, and wait for it.

    While that thread waits for the other side, it is done here instead: nothing else runs there then.
    """
    if running_loop() is loop:
        return action()
    import concurrent.futures

    done: concurrent.futures.Future[Any] = concurrent.futures.Future()
    claim = threading.Lock()

    def act() -> None:
        if claim.acquire(blocking=False):
            try:
                done.set_result(action())
            except BaseException as error:
                done.set_exception(error)

    loop.call_soon_threadsafe(act)
    while not concurrent.futures.wait([done], BLOCKED_S).done:
        if is_blocked() and claim.acquire(blocking=False):
            return _in_its_place(loop, action)
    return done.result()


def _in_its_place(loop: "asyncio.AbstractEventLoop", action: Callable[[], Any]) -> Any:
    """Do something as if this were the loop's thread, which stands still."""
    from asyncio import _set_running_loop

    before = running_loop()
    _set_running_loop(loop)
    try:
        return action()
    finally:
        _set_running_loop(before)


def _run_loop(loop: "asyncio.AbstractEventLoop") -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _wind_up(loop: "asyncio.AbstractEventLoop") -> None:
    """End a loop as soon as its tasks have: a test may go through hundreds, each with a thread."""
    import asyncio

    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.call_later(LEAVE_S if tasks else 0, loop.stop)
    if tasks:
        loop.create_task(asyncio.wait(tasks)).add_done_callback(lambda _: loop.stop())


def is_being_cancelled() -> bool:
    """Whether somebody has cancelled the running task."""
    import asyncio

    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


DONE, FAILED, CANCELLED = "done", "failed", "cancelled"
STARTED: Final = frozenset({"call", "member", "awaited"})
"""Operations that may be started to be awaited."""
Operations = dict[str, Callable[..., Any]]


class Awaiting:
    """Both directions of awaiting."""

    def __init__(self, request: Callable[..., Any], operations: Operations, loops: Loops) -> None:
        self._request = request
        self._operations = operations
        self._loops = loops
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Future[Any]]] = {}
        self._started: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Task[None] | None]] = {}
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
            self._started[number] = loop, loop.create_task(self._run(number, awaitable))

        self._started[number] = loop, None
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
        self._started.pop(number, None)
        del awaitable
        try:
            self._request("finished", number, how, value)
        except Exception as error:
            lost = RuntimeError(f"a result could not be passed: {error}")
            self._request("finished", number, FAILED, lost)

    def _cancel(self, number: int) -> bool:
        """Whether there was still something to cancel; what has not begun takes its first step, as in one process."""
        if number not in self._started:
            return False
        loop, _ = self._started[number]

        def cancel() -> bool:
            _, task = self._started.get(number, (loop, None))
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
