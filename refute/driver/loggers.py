"""Levels of loggers, and whether they pass records on, as one for both processes; handlers stay where they were put."""

import logging
from typing import Any, Final

DISABLED: Final = "disable"
"""Stands for the level up to which nothing is logged at all; "" is the root logger."""
PLAIN: Final = [0, 1, 0]
"""Settings of a logger that nobody has set up: no level of its own, passes records on, is not disabled."""


def settings() -> dict[str, list[int]]:
    """Settings of the loggers that somebody has set up."""
    found = {DISABLED: [logging.root.manager.disable, 1, 0]}
    for name, one in _loggers().items():
        if isinstance(one, logging.Logger) and (one.level or one.disabled or not one.propagate or not name):
            found[name] = [one.level, int(one.propagate), int(one.disabled)]
    return found


def set_up(name: str, told: list[int] | None) -> None:
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
