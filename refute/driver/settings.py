"""Settings that both processes have: environment, folder, arguments, random numbers, levels of loggers."""

import contextlib
import logging
import os
import random
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

MARKS: Final = ("PYTEST", "HYPOTHESIS")
"""How variables begin that say that this is a test."""


def without_marks(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which nothing says that this is a test."""
    return {name: value for name, value in environment.items() if not name.startswith(MARKS)}


def forget_marks() -> None:
    """Take pytest's own variables out of what programs of a test inherit; Hypothesis looks at its own later."""
    for name in [name for name in os.environ if name.startswith(MARKS[0])]:
        del os.environ[name]


KEPT: Final = (
    *("LD_", "PYTHON", "GLIBC_", "GCONV_", "MALLOC_", "PATH", "HYPOTHESIS", "PYTEST"),
    *("BASH_", "SHELLOPTS", "PERL5", "NODE_OPTIONS"),
)
"""Variables that would change the programs that a test starts; the subject sets them for its own only."""
DISABLED: Final = "disable"
"""Stands for the level up to which nothing is logged at all; "" is the root logger."""
PLAIN: Final = [0, 1, 0]
"""Settings of a logger that nobody has set up: no level of its own, passes records on, is not disabled."""


def logger_settings() -> dict[str, list[int]]:
    """Settings of the loggers that somebody has set up."""
    found = {DISABLED: [logging.root.manager.disable, 1, 0]}
    for name, one in _loggers().items():
        if isinstance(one, logging.Logger) and (one.level or one.disabled or not one.propagate or not name):
            found[name] = [one.level, int(one.propagate), int(one.disabled)]
    return found


def set_up_logger(name: str, told: list[int] | None) -> None:
    """Give a logger the settings that it has on the other side. Raises TypeError, ValueError: they are none."""
    level, passes_on, disabled = told or PLAIN
    if name == DISABLED:
        logging.disable(level)
        return
    logger = logging.getLogger(name or None)
    logger.setLevel(int(level))
    logger.propagate, logger.disabled = bool(passes_on), bool(disabled)


def log(values: dict[str, Any]) -> None:
    """A record of the implementation's, for the handlers of the test."""
    record = logging.makeLogRecord(values)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


def has_handlers(ours: logging.Handler) -> bool:
    """Whether the code has put a handler on a logger, beside ours and those that do nothing."""
    silent = (logging.NullHandler, type(ours))
    return any(type(one) not in silent for logger in _loggers().values() for one in vars(logger).get("handlers", ()))


def _loggers() -> dict[str, Any]:
    return {"": logging.root, **logging.root.manager.loggerDict}


class Stream(random.Random):
    """The generator behind the functions of `random`; it notes that it was used."""

    used = False


def _noting(name: str) -> Callable[..., Any]:
    function = getattr(random.Random, name)

    def use(self: Stream, *args: Any, **kwargs: Any) -> Any:
        self.used = True
        return function(self, *args, **kwargs)

    return use


for _name in ("random", "getrandbits", "seed", "setstate", "gauss"):  # all others go by these
    setattr(Stream, _name, _noting(_name))


class SharedRandom:
    """This side's end of the stream: takes the place of the generator of the module `random`."""

    def __init__(self) -> None:
        before: Any = random._inst  # noqa: SLF001  # what its functions are methods of
        self._stream = Stream()
        self._stream.setstate(before.getstate())
        self._stream.used = False
        for name, function in list(vars(random).items()):
            if getattr(function, "__self__", None) is before:
                setattr(random, name, getattr(self._stream, name))
        os.register_at_fork(after_in_child=self._stream.seed)  # as the module does with its own
        random._inst = self._stream  # noqa: SLF001

    def tell(self) -> list[Any] | None:
        """The state, where it was used since the other side heard of it."""
        if not self._stream.used:
            return None
        self._stream.used = False
        _, words, pair = self._stream.getstate()
        return [words, pair]

    def hear(self, told: Any) -> None:
        """Go on where the other side left off. Raises TypeError, ValueError, OverflowError: it told no state."""
        words, pair = told
        self._stream.setstate((random.Random.VERSION, tuple(words), None if pair is None else float(pair)))
        self._stream.used = False


class Settings:
    """Settings by name that one side changes and the other has with the next message.

    Args:
        read: all that are set now.
        write: sets one; None: it is set no longer.
    """

    def __init__(self, read: Callable[[], Mapping[Any, Any]], write: Callable[[str, Any], None]) -> None:
        self._read = read
        self._write = write
        self._known = dict(read())

    def tell(self) -> dict[str, Any] | None:
        """What changed since the last message."""
        now, known = self._read(), self._known
        if now == known:
            return None
        self._known = dict(now)
        changed = {name: now.get(name) for name in {*now, *known} if now.get(name) != known.get(name)}
        return {_text(name): _text(value) for name, value in changed.items()}

    def hear(self, told: dict[Any, Any]) -> None:
        """Take over what the other side changed. Raises TypeError, ValueError: it is none of `tell`."""
        for name, value in told.items():
            self._write(str(name), value)
        self._known = dict(self._read())


def _text(value: Any) -> Any:
    return os.fsdecode(value) if isinstance(value, bytes) else value


class Common:
    """What either side may change; the arguments are the test's to change."""

    def __init__(self, *, in_driver: bool) -> None:
        self._in_driver = in_driver
        # Bytes as the system has them, which are compared 50 times quicker than text.
        environment = Settings(lambda: os.environ._data, self._set_variable)  # type: ignore[attr-defined]  # noqa: SLF001
        self._settings = {
            "env": environment,
            "place": Settings(self._place, self._set_place),
            "loggers": Settings(logger_settings, set_up_logger),
        }
        self._random = SharedRandom()

    def tell(self) -> dict[str, Any]:
        """What goes along with the next message."""
        extras: dict[str, Any] = {
            name: told for name, one in self._settings.items() if (told := one.tell()) is not None
        }
        if "env" in extras:
            extras["env"] = {name: value for name, value in extras["env"].items() if not name.startswith(MARKS)}
        if (state := self._random.tell()) is not None:
            extras["random"] = state
        return extras

    def hear(self, extras: dict[str, Any]) -> None:
        """Take over what the other side changed. Raises TypeError, ValueError, OverflowError: it is none of `tell`."""
        for name, one in self._settings.items():
            if name in extras:
                one.hear(extras[name])
        if "random" in extras:
            self._random.hear(extras["random"])

    def _set_variable(self, name: str, value: Any) -> None:
        if self._in_driver and name.upper().startswith(KEPT):
            return
        with contextlib.suppress(ValueError, OSError):
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _place(self) -> dict[str, Any]:
        return {"cwd": _folder(), "argv": [str(one) for one in sys.argv]} if self._in_driver else {"cwd": _folder()}

    def _set_place(self, name: str, value: Any) -> None:
        if name == "argv" and not self._in_driver:
            sys.argv[:] = value
        elif name == "cwd" and isinstance(value, str):
            with contextlib.suppress(OSError, ValueError):
                os.chdir(value)


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109  # a string is compared for every message
    except OSError:
        return None
