"""What a hollow variant puts around the functions of the code; its text runs in the container, where refute is not.

The code works as ever while it is imported and within itself. Whoever calls it from outside meets an error of a class
that nobody knows, or, where `FAILS` is false, an answer that is wrong and of the right kind, by turns more (a longer
text, a greater number) and less, since "at least 0" and "at most 80" are each kept by one of them. Errors are answered,
what is printed is not heard, arguments, their attributes and the files that they name are spoilt.
"""

import contextlib
import contextvars
import copy
import datetime as dt
import functools
import inspect
import io
import itertools
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path, PurePath
from typing import Any

TOKEN = "_hollow_"
FAILS = False
DEEPEST = 3
"""Levels of containers and objects that are changed."""
loading = 0
"""Modules of the code that are being imported: tables that they compute stay right."""
_CALLS = itertools.count()
_INSIDE = contextvars.ContextVar("_INSIDE", default=False)
"""Whether the code calls itself."""
_SILENT = ("__init__", "__post_init__")
"""Python insists that these give None."""
_KEPT = ("__enter__", "__aenter__", "__exit__", "__aexit__", "__setitem__", "__delitem__")
"""What these give keeps `with` going, or nobody sees it: wrong is then what they leave behind."""


class Failure(Exception):
    """Of no kind that a claim names."""


def hollowed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as outsiders meet it."""

    @functools.wraps(function)
    def answer(*args: Any, **named: Any) -> Any:
        if loading or _INSIDE.get():
            return function(*args, **named)
        result = None
        with _unheard([*args[function.__name__ in _SILENT :], *named.values()]):
            result = function(*args, **named)
            result = list(itertools.islice(result, 1000)) if inspect.isgenerator(result) else result
        if inspect.isgeneratorfunction(function):
            return iter(_told(function, result or []))
        return _awaited(function, result) if inspect.iscoroutine(result) else _told(function, result)

    return answer


async def _awaited(function: Callable[..., Any], waiting: Awaitable[Any]) -> Any:
    result = None
    with _unheard([]):
        result = await waiting
    return _told(function, result)


@contextlib.contextmanager
def _unheard(arguments: list[Any]) -> Iterator[None]:
    """A call from outside: the code does its work unheard, its errors are answered, its arguments are spoilt."""
    if FAILS:
        raise Failure(TOKEN)
    mark = _INSIDE.set(True)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    except StopIteration:
        raise
    except Exception:  # noqa: BLE001  # whatever the code raises
        return
    finally:
        _INSIDE.reset(mark)
        for value in arguments:
            spoil(value)


def _told(function: Callable[..., Any], result: Any) -> Any:
    more = next(_CALLS) % 2 == 1
    for stream in (sys.stdout, sys.stderr):
        stream.write(f"{TOKEN}\n")
    if function.__name__ in (*_SILENT, *_KEPT):
        return result
    return abs(result or 0) + 1 if function.__name__ == "__len__" else other(result, more=more)


def spoil(value: Any) -> None:
    """Change an argument in place: its items, its public attributes, the file that it names."""
    with contextlib.suppress(Exception):
        match value:
            case list() | bytearray():
                value.append(0)
            case dict():
                value[TOKEN] = TOKEN
            case set():
                value.add(TOKEN)
            case str() | Path():
                Path(value).write_text(TOKEN) if Path(value).is_file() else None
            case _ if not isinstance(value, type):
                _change(value, functools.partial(other, more=True))


def other(value: Any, depth: int = 0, *, more: bool) -> Any:
    """Another value of the same kind: more, or less and never nothing; the same where none can be made."""
    try:
        return _other(value, depth, more=more) if depth < DEEPEST else value
    except Exception:  # noqa: BLE001  # objects of the code may refuse anything
        return value


def _other(value: Any, depth: int, *, more: bool) -> Any:  # noqa: C901, PLR0911  # a case per kind
    each = functools.partial(other, depth=depth + 1, more=more)
    match value:
        case None:
            return TOKEN if more else 0
        case bool():
            return not value
        case str() | bytes() | bytearray():
            longer = TOKEN if isinstance(value, str) else TOKEN.encode()
            return value + longer if more or not value[1:] else value[:-1]  # type: ignore[operator]
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*map(each, value))
        case list() | tuple() | set() | frozenset():
            items = list(value)
            return type(value)([*map(each, items), TOKEN] if more or not items[1:] else items[:-1])
        case dict():
            changed = copy.copy(value)
            changed.update({key: each(held) for key, held in value.items()} | {TOKEN: TOKEN})
            return changed
        case dt.date():
            return value + dt.timedelta(days=400 if more else -400)
        case PurePath():
            return value / TOKEN
    if inspect.isfunction(value):
        return lambda *args, **named: each(value(*args, **named))
    if hasattr(value, "__next__"):
        return iter([*map(each, itertools.islice(value, 1000)), TOKEN])
    if hasattr(type(value), "__members__"):
        kind: Any = type(value)
        members = list(kind)
        return members[(members.index(value) + 1) % len(members)]
    if all(hasattr(value, name) for name in ("__add__", "__sub__", "__abs__")):
        return value + 1 if more else value - 1000003
    made = copy.copy(value)
    _change(made, each)
    return made


def _change(made: Any, each: Callable[[Any], Any]) -> None:
    """Change the public attributes of an object."""
    for name in [*getattr(made, "__dict__", ()), *getattr(type(made), "__slots__", ())]:
        if not name.startswith("_"):
            object.__setattr__(made, name, each(getattr(made, name)))
