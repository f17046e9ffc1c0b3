"""What both processes have beside objects: environment, folder, arguments, random numbers, logs, output, warnings.

Contexts stay where they were set. Coroutines of the code run in a thread of their own, so a test that awaits them, or
copies a context itself, is carried only where neither has variables; and decimal arithmetic is that of one process as
long as both have its context as Python makes it.
"""

import base64
import contextlib
import decimal
import logging
import os
import sys
import warnings
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final

from refute.driver.containers import SCALARS
from refute.driver.errors import Malformed
from refute.driver.hide_test_names import without_marks
from refute.driver.loggers import LoggerSettings, has_handlers, log
from refute.driver.random_stream import SharedRandom
from refute.driver.stacks import caller

if TYPE_CHECKING:
    from collections.abc import Callable

Extras = dict[str, Any]
KEPT: Final = (
    *("LD_", "PYTHON", "GLIBC_", "GCONV_", "MALLOC_", "PATH", "HYPOTHESIS", "PYTEST"),
    *("BASH_", "SHELLOPTS", "PERL5", "NODE_OPTIONS"),
)
"""Variables that would change the programs that a test starts; the subject sets them for its own only."""
NOTICED: Final = 32_768
"""Characters of output after which they are sent without waiting for an answer to go along with."""


class Place:
    """Environment and working folder: what one side changes, the other has with the next message."""

    def __init__(self) -> None:
        self._environment = without_marks(os.environ)
        self._raw = dict(os.environ._data)  # type: ignore[attr-defined]  # noqa: SLF001  # compared 50 times quicker
        self._folder = _folder()

    def differences(self, extras: Extras) -> None:
        """Add what changed since the last message."""
        if os.environ._data != self._raw:  # type: ignore[attr-defined]  # noqa: SLF001
            now = without_marks(os.environ)
            gone = {name: None for name in self._environment if name not in now}
            changed = {name: value for name, value in now.items() if self._environment.get(name) != value}
            extras["env"] = {**gone, **changed}
            self._agree()
        folder = _folder()
        if folder != self._folder:
            extras["cwd"] = self._folder = folder

    def apply(self, extras: Extras, *, kept: tuple[str, ...] = ()) -> None:
        """Take over what the other side changed."""
        for name, value in extras.get("env", {}).items():
            if not kept or not name.upper().startswith(kept):
                with contextlib.suppress(ValueError, OSError):
                    if value is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = value
        if "env" in extras:
            self._agree()
        if isinstance(extras.get("cwd"), str):
            with contextlib.suppress(OSError, ValueError):
                os.chdir(extras["cwd"])
            self._folder = _folder()

    def _agree(self) -> None:
        self._environment = without_marks(os.environ)
        self._raw = dict(os.environ._data)  # type: ignore[attr-defined]  # noqa: SLF001


class DriverState:
    """The driver's side."""

    def __init__(self, pipes: dict[int, int]) -> None:
        self._place = Place()
        self._pipes = pipes
        self._argv: list[str] = []
        self._loggers = LoggerSettings()
        self._random = SharedRandom()
        self.has_variables = self.has_handlers = False
        """Whether the code had set context variables, or had handlers on loggers, while the running test ran."""
        self.unpacked: Any
        self.lost: Callable[[str], None] = lambda _: None
        """Notes that something of the running test could not be carried."""

    def tell(self) -> Extras:
        """What goes along with the next message."""
        extras: Extras = {}
        self._place.differences(extras)
        if sys.argv != self._argv:
            self._argv = list(sys.argv)
            extras["argv"] = [str(one) for one in self._argv]
        if (state := self._random.tell()) is not None:
            extras["random"] = state
        if not counts_as_usual():
            self.lost(ARITHMETIC)
        if (changed := self._loggers.tell()) is not None:
            extras["loggers"] = changed
        return extras

    def hear(self, extras: Extras) -> None:
        """Take in what came along."""
        self.drain()
        self.has_variables = self.has_variables or "cv" in extras
        self.has_handlers = self.has_handlers or "handlers" in extras
        self._place.apply(extras, kept=KEPT)
        if "taken" in extras:
            self.lost("needs the implementation in the test's process: replaces a standard stream")
        if "random" in extras:
            self._random.hear(extras["random"])
        if "decimal" in extras:
            self.lost(ARITHMETIC)
        try:
            for number, text in extras.get("out", ()):
                _write(_stream(number), base64.b64decode(text))
            if "loggers" in extras:
                self._loggers.hear(extras["loggers"])
            for packed in extras.get("log", ()):
                log(self.unpacked(packed))
            for packed in extras.get("warn", ()):
                message, kind, file, line = self.unpacked(packed)
                warnings.warn_explicit(message, kind, *caller(str(file), int(line)), registry={})
        except (TypeError, ValueError, AttributeError) as error:
            raise Malformed("output of the subject is none") from error

    def drain(self) -> None:
        """Pass on what the subject's process has written to its own descriptors."""
        for number, pipe in self._pipes.items():
            with contextlib.suppress(OSError):
                while data := os.read(pipe, 65_536):
                    stream = _stream(number)
                    with contextlib.suppress(Exception):
                        stream.flush()
                    os.write(number, data)


class SubjectState:
    """The subject's side."""

    def __init__(self) -> None:
        self._place = Place()
        self.notify: Callable[[], None] = lambda: None
        self.packed: Any
        self._random = SharedRandom()
        self._output: list[list[Any]] = []
        self._waiting = 0
        self._warnings: list[Any] = []
        self._records: list[Any] = []
        self._taken = [False, False]
        warnings.simplefilter("always")
        warnings._showwarnmsg_impl = self._warned  # type: ignore[attr-defined]  # noqa: SLF001  # what showwarning calls
        self._forward = _Forward(self._records)
        self._loggers = LoggerSettings()

    def tell(self) -> Extras:
        """What goes along with the next message."""
        extras: Extras = {}
        self._place.differences(extras)
        if (state := self._random.tell()) is not None:
            extras["random"] = state
        if not counts_as_usual():
            extras["decimal"] = 1
        for key, waiting in (("out", self._output), ("warn", self._warnings), ("log", self._records)):
            if waiting:
                extras[key] = list(waiting) if key == "out" else [self.packed(one) for one in waiting]
                waiting.clear()
        self._waiting = 0
        if (changed := self._loggers.tell()) is not None:
            extras["loggers"] = changed
        if self._forward not in logging.root.handlers:  # as `logging.basicConfig(force=True)` leaves it
            logging.root.handlers.append(self._forward)
        if has_handlers(self._forward):
            extras["handlers"] = 1
        taken = [sys.stdout is not sys.__stdout__, sys.stderr is not sys.__stderr__]
        if taken != self._taken:
            extras["taken"], self._taken = 1, taken
        if holds_variables():
            extras["cv"] = 1
        return extras

    def hear(self, extras: Extras) -> None:
        """Take over what the test changed."""
        self._place.apply(extras)
        if "argv" in extras:
            sys.argv[:] = extras["argv"]
        if "random" in extras:
            self._random.hear(extras["random"])
        if "loggers" in extras:
            self._loggers.hear(extras["loggers"])

    def write(self, number: int, data: bytes) -> None:
        """Keep output until the next message."""
        self._output.append([number, base64.b64encode(data).decode()])
        self._waiting += len(data)
        if self._waiting > NOTICED:
            self.notify()

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


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109  # a string is compared for every message
    except OSError:
        return None


def _stream(number: Any) -> Any:
    """The test's own."""
    return sys.stdout if number == 1 else sys.stderr


def _write(stream: Any, data: bytes) -> None:
    with contextlib.suppress(ValueError, UnicodeError):  # a closed stream, or one that cannot show it
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        stream.write(data.decode("utf-8", "replace")) if buffer is None else buffer.write(data)
        stream.flush()


VARIABLES: Final = "needs the implementation in the test's process: sets context variables beside the test's tasks"
HANDLERS: Final = "needs the implementation in the test's process: puts handlers on loggers"
ARITHMETIC: Final = "needs the implementation in the test's process: sets the context of decimal arithmetic"
DECIMAL: Final = "decimal_context"
"""The variable of decimal arithmetic."""


def holds_variables() -> bool:
    """Whether this thread or task has context variables that somebody has set."""
    return any(var.name != DECIMAL for var in copy_context())


def counts_as_usual() -> bool:
    """Whether this thread's context of decimal arithmetic is that of a new one; what is only flagged may differ."""
    now, usual = decimal.getcontext(), decimal.DefaultContext
    return now.prec == usual.prec and now.rounding == usual.rounding and now.traps == usual.traps
