"""Loggers of both processes as one: their levels, whether they pass records on, and the handlers put on them there."""

import logging
from collections.abc import Callable
from typing import Any, Final

Settings = dict[str, list[int]]
DISABLED: Final = "disable"
"""Stands for the level up to which nothing is logged at all; "" is the root logger."""
PLAIN: Final = [0, 1, 0]
"""Settings of a logger that nobody has set up: no level of its own, passes records on, is not disabled."""


class LoggerSettings:
    """Settings that one side changes and the other has with the next message."""

    def __init__(self) -> None:
        self._known = _settings()

    def tell(self) -> Settings | None:
        """What changed since the last message."""
        now = _settings()
        if now == self._known:
            return None
        changed = {name: one for name, one in now.items() if self._known.get(name) != one}
        changed |= {name: PLAIN for name in self._known if name not in now}
        self._known = now
        return changed

    def hear(self, told: dict[Any, Any]) -> None:
        """Take over what the other side changed.

        Raises:
            TypeError: it is none of `tell`.
            ValueError: likewise.
        """
        for name, (level, passes_on, disabled) in told.items():
            if name == DISABLED:
                logging.disable(level)
                continue
            logger = logging.getLogger(str(name) or None)
            logger.setLevel(int(level))
            logger.propagate, logger.disabled = bool(passes_on), bool(disabled)
        self._known = _settings()


class SharedHandlers:
    """Handlers that the implementation puts on loggers: a test sees stand-ins, reaches them, and takes them off.

    Args:
        counts: whether a handler is one of these, of all that a logger has; by its logger's name.
    """

    def __init__(self, counts: Callable[[str, Any], bool] | None = None) -> None:
        self._counts = counts or self.holds
        self._known: dict[str, list[Any]] = {}

    def holds(self, name: str, one: Any) -> bool:
        """Whether it is known as a handler of a logger."""
        return any(one is other for other in self._known.get(name, ()))

    def tell(self) -> tuple[Any, ...]:
        """Name and handlers of each logger of which they changed since the last message."""
        changed = []
        for name, logger in _loggers().items():
            now = [one for one in vars(logger).get("handlers", ()) if self._counts(name, one)]
            if list(map(id, now)) != list(map(id, self._known.get(name, ()))):
                self._known[name] = now
                changed.append((name, tuple(now)))
        return tuple(changed)

    def hear(self, told: Any) -> None:
        """Take over what the other side tells."""
        for name, handlers in told or ():  # none where they could not be carried
            logger = logging.getLogger(str(name) or None)
            kept = [one for one in logger.handlers if not self._counts(str(name), one)]
            theirs = [one for one in handlers if isinstance(one, logging.Handler) and not any(one is k for k in kept)]
            self._known[str(name)] = theirs
            logger.handlers[:] = [*kept, *theirs]

    def log(self, values: dict[str, Any]) -> None:
        """A record of the implementation's: those there have had it."""
        record = logging.makeLogRecord(values)
        logger: logging.Logger | None = logging.getLogger(record.name)
        if logger is None or not logger.isEnabledFor(record.levelno) or not logger.filter(record):
            return
        while logger is not None:
            for handler in list(logger.handlers):
                theirs = self.holds("" if logger is logging.root else logger.name, handler)
                if not theirs and record.levelno >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None

    def hold(self, one: Any) -> bool:
        """Whether it stands for a handler that the implementation has put on a logger."""
        return any(self.holds(name, one) for name in self._known)


def _loggers() -> dict[str, Any]:
    return {"": logging.root, **logging.root.manager.loggerDict}


def _settings() -> Settings:
    """Settings of the loggers that somebody has set up."""
    found: Settings = {DISABLED: [logging.root.manager.disable, 1, 0]}
    for name, one in _loggers().items():
        if isinstance(one, logging.Logger) and (one.level or one.disabled or not one.propagate or not name):
            found[name] = [one.level, int(one.propagate), int(one.disabled)]
    return found
