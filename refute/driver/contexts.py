"""Context variables over two processes: a call of the test's runs there in the context that belongs to its own.

Each context of the test has a partner in the subject, made at its first call: a copy of what its origin's partner
held when it was copied. Who copied what cannot be asked of Python, but a token is only taken back by the context that
gave it out. What a call changes there is a new *snapshot*; the test's context remembers its number, and hands it on to
its copies. https://docs.python.org/3/library/contextvars.html (2026-11).
"""

import itertools
import sys
import threading
import weakref
from collections.abc import Callable
from contextvars import Context, ContextVar, Token, copy_context
from typing import Any, Final

from refute.driver.errors import Malformed

Extras = dict[str, Any]
ON_A_LOOP: Final = frozenset({"start", "in_loop"})
"""Operations that another thread carries out: it enters the context, not the one that was asked."""
BESIDE: Final = ON_A_LOOP | {"cancel", "finished", "weaken", "collect"}
"""Operations that run no code of the caller's context, while a loop may be in it."""


def enter(context: Context | None, action: Callable[[], Any]) -> Any:
    """Do something in a context; in a copy where it is entered already, in this thread's where there is none."""
    if context is None:
        return action()
    begun = False

    def inside() -> Any:
        nonlocal begun
        begun = True
        return action()

    try:
        return context.run(inside)
    except RuntimeError:
        if begun:
            raise
        return context.copy().run(action)


class _Held:
    """A number that the subject is told of once nothing refers to it."""

    def __init__(self, number: int, gone: list[int]) -> None:
        self.number = number
        self._gone = gone

    def __del__(self) -> None:
        self._gone.append(self.number)


class _State:
    """What a context of the test knows: which it is, and what its partner held last.

    Attributes:
        identity: of the context that set it; None where that is a thread's own, whose partner is a thread's own.
        snapshot: None for an empty one.
        token: given out when it was set.
    """

    __slots__ = ("identity", "snapshot", "token")

    def __init__(self, identity: _Held | None, snapshot: _Held | None) -> None:
        self.identity = identity
        self.snapshot = snapshot
        self.token: Token[_State] | None = None


class ForLoops:
    """What a loop needs to know of the thread that was asked: in which context it is to do it."""

    def __init__(self) -> None:
        self._local = threading.local()

    def wanted(self) -> Context | None:
        """In which context a loop is to do what this thread was asked."""
        context: Context | None = getattr(self._local, "wanted", None)
        return context

    def for_a_loop(self, context: Context, action: Callable[[], Any]) -> Any:
        """Serve what a loop is to do in a context."""
        self._local.wanted = context
        try:
            return action()
        finally:
            self._local.wanted = None


class DriverContexts(ForLoops):
    """The test's side."""

    def __init__(self) -> None:
        super().__init__()
        self._state: ContextVar[_State] = ContextVar("refute")
        self._numbers = itertools.count(1)
        self._gone_contexts: list[int] = []
        self._gone_snapshots: list[int] = []
        self._snapshots: weakref.WeakValueDictionary[int, _Held] = weakref.WeakValueDictionary()
        self._copies: dict[int, Context] = {}

    def begin(self) -> None:
        """Call it in a thread's own context, before there are copies of it."""
        self._set(_State(None, None))

    def tell(self) -> Extras:
        """What goes along with a message: which context asks, unless it is the thread's own."""
        extras: Extras = {}
        state = self._here()
        if state.identity is not None:
            extras["c"] = [state.identity.number, state.snapshot.number if state.snapshot else 0]
            self._copies[state.identity.number] = self._bare_copy()
        if self._gone_contexts or self._gone_snapshots:
            extras["cr"] = [self._gone_contexts[:], self._gone_snapshots[:]]
            for gone, told in zip((self._gone_contexts, self._gone_snapshots), extras["cr"], strict=True):
                del gone[: len(told)]
            for number in extras["cr"][0]:
                self._copies.pop(number, None)
        return extras

    def hear(self, extras: Extras) -> None:
        """Take in what the partner of this context holds now.

        Raises:
            Malformed: it is no number.
        """
        if "c" not in extras:
            return
        try:
            _, number = extras["c"]
        except (TypeError, ValueError) as error:
            raise Malformed("a context is none") from error
        if type(number) is not int:
            raise Malformed("a context is none")
        self.now(number)

    def now(self, number: int) -> None:
        """This context's partner holds what a snapshot holds."""
        state = self._here()
        if number != (state.snapshot.number if state.snapshot else 0):
            self._set(_State(state.identity, self._snapshot(number)))

    def snapshot(self) -> int:
        """None is taken of the test's own variables: what it calls has them already."""
        return 0

    def inside(self, operation: Any, extras: Any, action: Callable[[], Any]) -> Any:
        """Serve the subject: what a loop does for it happens in a copy of the context that its task belongs to."""
        told = extras.get("c") if type(extras) is dict and operation in ON_A_LOOP else None
        if not (type(told) is list and [type(one) for one in told] == [int, int]):
            return action()
        context = self._copies.get(told[0], Context()).copy()
        context.run(self._state.set, _State(None, self._snapshot(told[1])))
        return self.for_a_loop(context, action)

    def _here(self) -> _State:
        state = self._state.get(None)
        if state is None and not _in_loop():
            return self._set(_State(None, None))  # a thread's first call: its own context
        try:
            if state is not None and state.token is not None:
                self._state.reset(state.token)
                state.token = self._state.set(state)
                return state
        except (ValueError, RuntimeError):  # another context's: this one is a copy
            pass
        identity = _Held(next(self._numbers), self._gone_contexts)
        return self._set(_State(identity, state.snapshot if state else None))

    def _set(self, state: _State) -> _State:
        state.token = self._state.set(state)
        return state

    def _snapshot(self, number: int) -> _Held | None:
        if number == 0:
            return None
        found = self._snapshots.get(number)
        if found is None:
            found = self._snapshots[number] = _Held(number, self._gone_snapshots)
        return found

    def _bare_copy(self) -> Context:
        """This context, without what would keep its identity alive."""
        copied = copy_context()
        copied.run(self._state.set, _State(None, None))
        return copied


def _in_loop() -> bool:
    """Whether a loop runs in this thread: then no context is the thread's own."""
    module = sys.modules.get("asyncio")
    return module is not None and module._get_running_loop() is not None  # noqa: SLF001  # get_running_loop raises
