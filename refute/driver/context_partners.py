"""The subject's side of context variables: a partner for each context of the test, and what each held when told."""

import itertools
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final

from refute.driver.contexts import BESIDE, Extras, ForLoops, enter

NOTHING: Final = Context()


class SubjectContexts(ForLoops):
    """Partners by the number of their context, snapshots by theirs."""

    def __init__(self) -> None:
        super().__init__()
        self._number: ContextVar[int] = ContextVar("refute", default=0)
        self._partners: dict[int, Context] = {}
        self._snapshots: dict[int, Context] = {}
        self._numbers = itertools.count(1)
        self._told: dict[int, int] = {}

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
        if told is None:
            return action()
        serving: set[int] = self._local.__dict__.setdefault("serving", set())
        if told[0] in serving:
            return action()
        context = self._partner(*told)
        if operation in BESIDE:
            return self.for_a_loop(context, action)
        serving.add(told[0])
        try:
            return enter(context, action)
        finally:
            serving.discard(told[0])

    def now(self, number: int) -> None:
        """Nothing: the test's variables are not its affair."""

    def _partner(self, number: int, snapshot: int) -> Context:
        context = self._partners.get(number)
        if context is None:
            context = self._partners[number] = self._snapshots.get(snapshot, Context()).copy()
            context.run(self._number.set, number)
            self._told[number] = snapshot
        return context

    def _snapshot(self, here: Context, told: int) -> int:
        """The number told before, where nothing has changed since."""
        known = self._snapshots.get(told, NOTHING)
        if len(here) == len(known) and all(known.get(var, self) is value for var, value in here.items()):
            return told if known is not NOTHING else 0
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
