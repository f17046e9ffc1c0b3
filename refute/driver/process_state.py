"""What both processes have beside objects: environment, folder, arguments, random numbers, logs, warnings.

Contexts stay where they were set. Coroutines of the code run in a thread of their own, so a test that awaits them, or
copies a context itself, is carried only where neither has variables; and decimal arithmetic is that of one process as
long as both have its context as Python makes it.
"""

import decimal
import logging
import sys
import warnings
from contextvars import copy_context
from typing import Any, Final

from refute.driver.containers import SCALARS
from refute.driver.exceptions import caller
from refute.driver.object_table import ObjectTable
from refute.driver.settings import Common, has_handlers, log
from refute.driver.wire import Malformed

Extras = dict[str, Any]


class DriverState:
    """The driver's side."""

    def __init__(self, objects: ObjectTable) -> None:
        self._objects = objects
        self._common = Common(in_driver=True)
        self.has_variables = self.has_handlers = False
        """Whether the code had set context variables, or had handlers on loggers, while the running test ran."""

    def tell(self) -> Extras:
        """What goes along with the next message."""
        if not counts_as_usual():
            self._objects.lose(ARITHMETIC)
        return self._common.tell()

    def hear(self, extras: Extras) -> None:
        """Take in what came along. Raises Malformed: it is none of `SubjectState.tell`."""
        self.has_variables = self.has_variables or "cv" in extras
        self.has_handlers = self.has_handlers or "handlers" in extras
        try:
            self._common.hear(extras)
            for packed in extras.get("log", ()):
                log(self._objects.unpacked(packed))
            for packed in extras.get("warn", ()):
                message, kind, file, line = self._objects.unpacked(packed)
                warnings.warn_explicit(message, kind, *caller(str(file), int(line)), registry={})
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise Malformed("what came along with a message is none") from error


class SubjectState:
    """The subject's side."""

    def __init__(self, objects: ObjectTable) -> None:
        self._objects = objects
        self._warnings: list[Any] = []
        self._records: list[Any] = []
        self._taken = [False, False]
        warnings.simplefilter("always")
        warnings._showwarnmsg_impl = self._warned  # type: ignore[attr-defined]  # noqa: SLF001  # what showwarning calls
        self._forward = _Forward(self._records)
        self._common = Common(in_driver=False)
        self.hear = self._common.hear

    def tell(self) -> Extras:
        """What goes along with the next message."""
        extras = self._common.tell()
        for key, waiting in (("warn", self._warnings), ("log", self._records)):
            if waiting:
                extras[key] = [self._objects.packed(one) for one in waiting]
                waiting.clear()
        if self._forward not in logging.root.handlers:  # as `logging.basicConfig(force=True)` leaves it
            logging.root.handlers.append(self._forward)
        taken = [sys.stdout is not sys.__stdout__, sys.stderr is not sys.__stderr__]
        if taken != self._taken:
            self._objects.lose("needs the implementation in the test's process: replaces a standard stream")
        self._taken = taken
        if not counts_as_usual():
            self._objects.lose(ARITHMETIC)
        said = {"handlers": has_handlers(self._forward), "cv": holds_variables()}
        return extras | {name: 1 for name, is_so in said.items() if is_so}

    def _warned(self, message: Any) -> None:
        self._warnings.append((message.message, message.category, message.filename, message.lineno))


class _Forward(logging.Handler):
    def __init__(self, records: list[Any]) -> None:
        super().__init__()
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record until the next message."""
        plain = type(record.msg) is str and type(record.args) is tuple and SCALARS.issuperset(map(type, record.args))
        told = {} if plain else {"msg": record.getMessage(), "args": ()}
        self._records.append({**vars(record), **told})


VARIABLES: Final = "needs the implementation in the test's process: sets context variables beside the test's tasks"
HANDLERS: Final = "needs the implementation in the test's process: puts handlers on loggers"
ARITHMETIC: Final = "needs the implementation in the test's process: sets the context of decimal arithmetic"


def holds_variables() -> bool:
    """Whether this thread or task has context variables that somebody has set."""
    return any(var.name != "decimal_context" for var in copy_context())


def counts_as_usual() -> bool:
    """Whether this thread's context of decimal arithmetic is that of a new one; what is only flagged may differ."""
    now, usual = decimal.getcontext(), decimal.DefaultContext
    return now.prec == usual.prec and now.rounding == usual.rounding and now.traps == usual.traps
