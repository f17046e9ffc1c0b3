"""The subject's side of context variables: a partner for each context of the test, and what each held when told."""

import itertools
import threading
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from typing import Any

from refute.driver.contexts import BESIDE, Extras, enter


class SubjectContexts:
    """Partners by the number of their context, snapshots by theirs."""

    def __init__(self) -> None:
        self._number: ContextVar[int] = ContextVar("refute", default=0)
        self._partners: dict[int, Context] = {}
        self._snapshots: dict[int, Context] = {}
        self._numbers = itertools.count(1)
        self._told: dict[int, int] = {}
        self._local = threading.local()

    def tell(self) -> Extras:
        """What goes along with a message: the context's number, and what it holds where that has changed."""
        context = self.wanted()
        here = copy_context() if context is None else context.copy()
        number = here.get(self._number, 0)
        told = self._told_of(number)
        snapshot = self._snapshot(here, told)
        if snapshot != told:
            self._tell_of(number, snapshot)
        elif not number:
            return {}
        return {"c": [number, snapshot]}

    def hear(self, extras: Extras) -> None:
        """Let go what no context of the test refers to."""
        for table, gone in zip((self._partners, self._snapshots), extras.get("cr", ()), strict=False):
            for number in gone:
                table.pop(number, None)
                if table is self._partners:
                    self._told.pop(number, None)

    def snapshot(self) -> int:
        """A number for what this context holds now."""
        return self._snapshot(copy_context(), 0)

    def inside(self, operation: Any, extras: Any, action: Callable[[], Any]) -> Any:
        """Serve the test in the partner of its context; where that waits below for what it asked, right here."""
        told = extras.get("c") if type(extras) is dict else None
        serving: set[int] = self._local.__dict__.setdefault("serving", set())
        if told is None or told[0] in serving:
            return action()
        context = self._partner(*told)
        if operation in BESIDE:
            self._local.wanted = context
            try:
                return action()
            finally:
                self._local.wanted = None
        serving.add(told[0])
        try:
            return enter(context, action)
        finally:
            serving.discard(told[0])

    def now(self, number: int) -> None:
        """Nothing: the test's variables are not its affair."""

    def wanted(self) -> Context | None:
        """In which context a loop is to do what this thread was asked."""
        context: Context | None = getattr(self._local, "wanted", None)
        return context

    def _partner(self, number: int, snapshot: int) -> Context:
        context = self._partners.get(number)
        if context is None:
            context = self._partners[number] = self._snapshots.get(snapshot, Context()).copy()
            context.run(self._number.set, number)
            self._told[number] = snapshot
        return context

    def _snapshot(self, here: Context, told: int) -> int:
        """The number told before, where nothing has changed since."""
        known = self._snapshots.get(told)
        held = {var: value for var, value in here.items() if var is not self._number}
        before = {} if known is None else {var: value for var, value in known.items() if var is not self._number}
        if len(held) == len(before) and all(before.get(var, self) is value for var, value in held.items()):
            return told if known is not None else 0
        number = next(self._numbers)
        self._snapshots[number] = here
        return number

    def _told_of(self, number: int) -> int:
        return self._told.get(number, 0) if number else int(getattr(self._local, "told", 0))

    def _tell_of(self, number: int, snapshot: int) -> None:
        if number:
            self._told[number] = snapshot
        else:
            self._local.told = snapshot
