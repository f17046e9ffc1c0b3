"""Levels of loggers, and whether they pass records on, as one for both processes; handlers stay where they were put."""

import logging
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
        """Take over what the other side changed. Raises TypeError, ValueError: it is none of `tell`."""
        for name, (level, passes_on, disabled) in told.items():
            if name == DISABLED:
                logging.disable(level)
                continue
            logger = logging.getLogger(str(name) or None)
            logger.setLevel(int(level))
            logger.propagate, logger.disabled = bool(passes_on), bool(disabled)
        self._known = _settings()


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


def _settings() -> Settings:
    """Settings of the loggers that somebody has set up."""
    found: Settings = {DISABLED: [logging.root.manager.disable, 1, 0]}
    for name, one in _loggers().items():
        if isinstance(one, logging.Logger) and (one.level or one.disabled or not one.propagate or not name):
            found[name] = [one.level, int(one.propagate), int(one.disabled)]
    return found
