"""Loggers of both processes as one: their levels, whether they pass records on, and the handlers put on them there."""

import logging
from typing import Any, Final

Settings = dict[str, list[int]]
Handlers = dict[str, list[Any]]
DISABLED: Final = "disable"
"""Stands for the level up to which nothing is logged at all; "" is the root logger."""
PLAIN: Final = [0, 1, 0]
"""Settings of a logger that nobody has set up: no level of its own, passes records on, is not disabled."""


class LoggerSettings:
    """Settings that one side changes and the other has with the next message."""

    def __init__(self) -> None:
        self._known: Settings = _settings()
        self._seen: list[Any] = []

    def tell(self) -> Settings | None:
        """What changed since the last message."""
        seen = _at_a_glance()
        if seen == self._seen:
            return None
        self._seen, now = seen, _settings()
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
        self._known, self._seen = _settings(), _at_a_glance()


class SubjectHandlers:
    """Handlers that the implementation puts on loggers.

    Args:
        own: one of ours, of which nobody is told.
    """

    def __init__(self, own: logging.Handler) -> None:
        self._own = own
        self._told: Handlers = {}
        self._seen: list[Any] = []

    def tell(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The handlers of each logger of which they changed since the last message."""
        seen = [list(map(id, one.get("handlers", ()))) for one in _contents()]  # those that were told of live
        if seen == self._seen:
            return []
        if not _holds(logging.root.handlers, self._own):  # as `logging.basicConfig(force=True)` leaves it
            logging.root.handlers.append(self._own)
        now = {name: [one for one in logger.handlers if one is not self._own] for name, logger in _loggers()}
        changed = [name for name, handlers in now.items() if _differ(handlers, self._told.get(name, []))]
        for name in changed:
            self._told[name] = now[name]
        self._seen = seen
        return [(name, tuple(now[name])) for name in changed]

    def hear(self, removed: dict[str, list[int]]) -> None:
        """Remove those that a test has taken from a logger; by their places in what was told."""
        for name, places in removed.items():
            told = self._told.get(name, [])
            for place in places:
                logging.getLogger(name or None).removeHandler(told[place])
            self._told[name] = [one for place, one in enumerate(told) if place not in places]


class DriverHandlers:
    """What stands for them on the driver's loggers: a test sees them, and its own records reach them."""

    def __init__(self) -> None:
        self._theirs: Handlers = {}

    def tell(self) -> dict[str, list[int]]:
        """Those that a test has taken off, by logger and place."""
        removed = {}
        for name, theirs in self._theirs.items():
            left = logging.getLogger(name or None).handlers
            if places := [place for place, one in enumerate(theirs) if not _holds(left, one)]:
                removed[name] = places
                self._theirs[name] = [one for one in theirs if _holds(left, one)]
        return removed

    def hear(self, told: Any) -> None:
        """Put those that were told of on the loggers here."""
        for name, handlers in told:
            logger, before = logging.getLogger(str(name) or None), self._theirs.get(str(name), [])
            kept = [one for one in logger.handlers if not _holds(before, one)]
            theirs = [one for one in handlers if isinstance(one, logging.Handler) and not _holds(kept, one)]
            logger.handlers[:] = [*kept, *theirs]
            self._theirs[str(name)] = theirs

    def hold(self, one: Any) -> bool:
        """Whether it stands for a handler that the implementation has put on a logger."""
        return any(_holds(theirs, one) for theirs in self._theirs.values())

    def log(self, values: dict[str, Any]) -> None:
        """A record of the implementation's: those there have had it."""
        logger: logging.Logger | None = logging.getLogger(str(values["name"]))
        record = logging.makeLogRecord(values)
        if logger is None or not logger.isEnabledFor(int(values["levelno"])) or not logger.filter(record):
            return
        while logger is not None:
            theirs = self._theirs.get("" if logger is logging.root else logger.name, [])
            for handler in list(logger.handlers):
                if not _holds(theirs, handler) and record.levelno >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None


def _holds(handlers: list[Any], wanted: Any) -> bool:
    return any(one is wanted for one in handlers)


def _differ(handlers: list[Any], others: list[Any]) -> bool:
    return len(handlers) != len(others) or any(one is not other for one, other in zip(handlers, others, strict=True))


def _loggers() -> list[tuple[str, logging.Logger]]:
    named = list(logging.root.manager.loggerDict.items())
    return [("", logging.root), *((name, one) for name, one in named if isinstance(one, logging.Logger))]


def _contents() -> list[dict[str, Any]]:
    return [vars(one) for one in (logging.root, *list(logging.root.manager.loggerDict.values()))]


def _at_a_glance() -> list[Any]:
    """What every message is compared by: loggers come one after the other, none goes."""
    found = [(one.get("level"), one.get("propagate"), one.get("disabled")) for one in _contents()]
    return [logging.root.manager.disable, found]


def _settings() -> Settings:
    """Settings of the loggers that somebody has set up."""
    found = {name: [one.level, int(one.propagate), int(one.disabled)] for name, one in _loggers()}
    told = {name: one for name, one in found.items() if one != PLAIN or not name}
    return {DISABLED: [logging.root.manager.disable, 1, 0], **told}
