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
import os
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path, PurePath
from typing import Any

TOKEN = "_hollow_"
FAILS = False
DEEPEST = 3
"""Levels of containers and objects that are changed."""
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
    coroutine, generator = inspect.iscoroutinefunction(function), inspect.isgeneratorfunction(function)
    made = _coroutine if coroutine else _generator if generator else _plain
    return functools.wraps(function)(made(function))


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*args: Any, **named: Any) -> Any:
        if _within():
            return function(*args, **named)
        result = None
        with _call(function, args, named):
            result = function(*args, **named)
        return _told(function, result)

    return answer


def _coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    async def answer(*args: Any, **named: Any) -> Any:
        if _within():
            return await function(*args, **named)
        result = None
        with _call(function, args, named):
            result = await function(*args, **named)
        return _told(function, result)

    return answer


def _generator(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*args: Any, **named: Any) -> Generator[Any, None, Any]:
        if _within():
            return (yield from function(*args, **named))
        made, nothing = function(*args, **named), object()
        while True:
            item = nothing
            with _call(function, (), {}):
                item = next(made, nothing)
            if item is nothing:
                return None
            yield _told(function, item)

    return answer


def _within() -> bool:
    """Whether the code calls itself, or is being imported: tables that it computes then stay right."""
    frame = sys._getframe(2)  # noqa: SLF001
    while not _INSIDE.get() and frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return _INSIDE.get()


@contextlib.contextmanager
def _call(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Iterator[None]:
    """A call from outside: the code does its work unheard, its errors are answered, its arguments are spoilt."""
    if FAILS:
        raise Failure(TOKEN)
    mark = _INSIDE.set(True)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    except (StopIteration, StopAsyncIteration):
        raise
    except Exception:  # noqa: BLE001  # whatever the code raises
        return
    finally:
        _INSIDE.reset(mark)
        for value in (*args[function.__name__ in _SILENT :], *named.values()):
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
        if isinstance(value, (list, bytearray)):
            value.append(0)
        elif isinstance(value, dict):
            value[TOKEN] = TOKEN
        elif isinstance(value, set):
            value.add(TOKEN)
        elif isinstance(value, (str, os.PathLike)):
            Path(value).write_text(TOKEN) if Path(value).is_file() else None
        elif not isinstance(value, type):
            for name, held in list(getattr(value, "__dict__", {}).items()):
                if not name.startswith("_"):
                    object.__setattr__(value, name, other(held, more=True))


def other(value: Any, depth: int = 0, *, more: bool) -> Any:
    """Another value of the same kind: more, or less and never nothing; the same where none can be made."""
    try:
        return _other(value, depth, more=more) if depth < DEEPEST else value
    except Exception:  # noqa: BLE001  # objects of the code may refuse anything
        return value


def _other(value: Any, depth: int, *, more: bool) -> Any:  # noqa: C901, PLR0911, PLR0912  # a case per kind
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
            for key in [*value, TOKEN]:
                changed[key] = each(value[key]) if key in value else TOKEN
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
    for name in [*getattr(made, "__dict__", ()), *getattr(type(made), "__slots__", ())]:
        if not name.startswith("_"):
            object.__setattr__(made, name, each(getattr(made, name)))
    return made
