"""Functions that the generated file carries along to compare two versions of the code; copied verbatim."""

import collections.abc
from collections.abc import Callable
from typing import Any

from hypothesis import reject

from refute.adversary.property.comparison import _finished


def _before(call: Callable[[], Any]) -> Any:
    """What the earlier version gives; what it refuses is not tried."""
    try:
        return _finished(call())
    except Exception:  # noqa: BLE001  # whatever it was: there is no result that could have been kept
        reject()


def _as_data(value: Any, depth: int = 20) -> Any:
    """A value as plain data, objects by class name and attributes: a class of two versions is two classes."""
    kind, inner = type(value), depth - 1
    if not depth or value is None or isinstance(value, bool | int | float | complex | str | bytes | bytearray):
        return value if depth else "…"
    if isinstance(value, collections.abc.Mapping):
        return [kind.__name__, *([_as_data(key, inner), _as_data(item, inner)] for key, item in value.items())]
    if isinstance(value, list | tuple):
        return [kind.__name__, *(_as_data(item, inner) for item in value)]
    if isinstance(value, set | frozenset):
        return [kind.__name__, *sorted((_as_data(item, inner) for item in value), key=repr)]
    if kind.__module__ in {"builtins", "datetime", "decimal", "fractions", "pathlib", "uuid"} and not callable(value):
        return value
    names = getattr(kind, "__dataclass_fields__", None) or getattr(value, "__dict__", {})
    return [kind.__name__, *([name, _as_data(getattr(value, name, None), inner)] for name in sorted(names))]


def _outcome(call: Callable[[], Any], how: str) -> Any:
    """What a call gives, as the answer of the version before is written down.

    A `value` as it is, of an object (`text`) its class and text, of an exception its name.
    """
    try:
        value = _finished(call())
    except Exception as error:  # noqa: BLE001  # whatever it is: it is compared
        return f"{'' if how == 'raises' else 'raises '}{type(error).__name__}"
    return f"{type(value).__name__}: {value}" if how == "text" else value
