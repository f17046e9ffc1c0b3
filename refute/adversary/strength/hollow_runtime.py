"""What a hollow variant puts around the functions of the code; its text runs in the container, where refute is not.

The code works as ever while it is imported and within itself. Whoever calls it from outside meets an error of a class
that nobody knows, or, where `FAILS` is false, an answer that is wrong and of the right kind, by turns more (a longer
text, a greater number) and less, since "at least 0" and "at most 80" are each kept by one of them. Errors are answered;
what is printed, arguments, attributes, files and what is handed to a test's own functions are wrong as well.
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
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any, Self

TOKEN = "_hollow_"
FAILS = False
DEEPEST = 4
"""Levels of containers that are changed."""
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
    kinds = (inspect.isgeneratorfunction, inspect.isasyncgenfunction, inspect.iscoroutinefunction)
    makers = (_generator, _async_generator, _coroutine)
    made = next((make for fits, make in zip(kinds, makers, strict=True) if fits(function)), _plain)
    return functools.wraps(function)(made(function))


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*args: Any, **named: Any) -> Any:
        if _within():
            return function(*args, **named)
        with _Call(function, args, named) as call:
            call.result = function(*call.args, **call.named)
        return call.answer()

    return answer


def _coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    async def answer(*args: Any, **named: Any) -> Any:
        if _within():
            return await function(*args, **named)
        with _Call(function, args, named) as call:
            call.result = await function(*call.args, **call.named)
        return call.answer()

    return answer


def _generator(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*args: Any, **named: Any) -> Generator[Any, None, Any]:
        if _within():
            return (yield from function(*args, **named))
        call = _Call(function, args, named)
        made = function(*call.args, **call.named)
        while True:
            mark = _INSIDE.set(True)
            try:
                item = next(made)
            except Exception:  # noqa: BLE001  # whatever the code raises is answered by an end
                return None
            finally:
                _INSIDE.reset(mark)
            yield call.other.of(item)

    return answer


def _async_generator(function: Callable[..., Any]) -> Callable[..., Any]:
    async def answer(*args: Any, **named: Any) -> Any:
        call = None if _within() else _Call(function, args, named)
        async for item in function(*args, **named):
            yield call.other.of(item) if call else item

    return answer


def _within() -> bool:
    """Whether the code calls itself, or is being imported: tables that it computes then stay right."""
    frame = sys._getframe(2)  # noqa: SLF001
    while not _INSIDE.get() and frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return _INSIDE.get()


class _Call:
    """A call from outside: the code does its work unheard, and something else is told."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> None:
        if FAILS:
            raise Failure(TOKEN)
        self.other = Other(more=next(_CALLS) % 2 == 1)
        self.args, self.named = args, named
        self.result: Any = None
        self._name = function.__name__
        self._home = function.__module__
        if self.other.more:  # a clock that runs backwards would have it wait for ever
            self.args = tuple(map(self._lent, args))
            self.named = {name: self._lent(value) for name, value in named.items()}
        self._quiet = contextlib.ExitStack()

    def _lent(self, value: Any) -> Any:
        """A function of the test's hears something else."""
        if not callable(value) or isinstance(value, type) or type(value).__module__ == self._home:
            return value
        return lambda *args, **named: value(*map(self.other.of, args), **named)

    def __enter__(self) -> Self:
        self._quiet.callback(_INSIDE.reset, _INSIDE.set(True))
        self._quiet.enter_context(contextlib.redirect_stdout(io.StringIO()))
        self._quiet.enter_context(contextlib.redirect_stderr(io.StringIO()))
        self._files = _files()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        self._quiet.close()
        for name in _files() - self._files:
            self.other.spoil(name)
        return isinstance(error, Exception) and not isinstance(error, (StopIteration, StopAsyncIteration))

    def answer(self) -> Any:
        for stream in (sys.stdout, sys.stderr):
            stream.write(f"{TOKEN}\n")
        for value in (*self.args[self._name in _SILENT :], *self.named.values()):
            self.other.harm(value)
        if self._name in _SILENT or self._name in _KEPT:
            return self.result
        if self._name == "__len__":
            return abs(self.result or 0) + 1
        return self.other.of(self.result)


def _files() -> set[Path]:
    try:
        return set(Path().iterdir())
    except OSError:
        return set()


class Other:
    """Values of the same kind that are others: more, or less and never nothing, which `assert f(x)` would notice."""

    def __init__(self, *, more: bool) -> None:
        self.more = more

    def of(self, value: Any, depth: int = 0) -> Any:
        """Another value; the same one where none can be made."""
        try:
            return self._other(value, depth) if depth < DEEPEST else value
        except Exception:  # noqa: BLE001  # objects of the code may refuse anything
            return value

    def _other(self, value: Any, depth: int) -> Any:  # noqa: C901, PLR0911  # a case per kind
        if value is None:
            return TOKEN if self.more else 0
        if isinstance(value, bool):
            return not value
        if isinstance(value, (str, bytes)):
            longer = TOKEN if isinstance(value, str) else TOKEN.encode()
            return value + longer if self.more or not value[1:] else value[:-1]  # type: ignore[operator]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*self._each(value, depth))
        if isinstance(value, (tuple, frozenset)):
            less = not self.more and len(value) > 1
            return type(value)(list(value)[:-1] if less else [*self._each(value, depth), TOKEN])
        if isinstance(value, (list, dict, set, bytearray)):
            made = copy.copy(value)
            self._resize(made, self.of(next(iter(value)), depth + 1) if value else TOKEN)
            return made
        if hasattr(value, "__next__"):
            return iter([*self._each(itertools.islice(value, 1000), depth), TOKEN])
        if isinstance(value, dt.time):
            return value.replace(hour=(value.hour + 7) % 24)
        if isinstance(value, dt.date):
            return value + dt.timedelta(days=400 if self.more else -400)
        if isinstance(value, PurePath):
            return value / TOKEN if self.more else value.parent / TOKEN
        return self._other_object(value)

    def _other_object(self, value: Any) -> Any:
        kind: Any = type(value)
        if hasattr(kind, "__members__"):
            members = list(kind)
            return members[(members.index(value) + (1 if self.more else -1)) % len(members)]
        if all(hasattr(value, name) for name in ("__add__", "__sub__", "__abs__")):
            return value + 1 if self.more else value - 1000003
        if isinstance(value, type) or inspect.ismodule(value):
            return value
        if inspect.isfunction(value) or (callable(value) and not hasattr(value, "__dict__")):
            return lambda *args, **named: self.of(value(*args, **named))
        made = copy.copy(value)
        slots = [one for base in kind.__mro__ for one in getattr(base, "__slots__", ())]
        for name in [*getattr(made, "__dict__", ()), *slots]:
            if not name.startswith("_"):
                object.__setattr__(made, name, self.of(getattr(made, name), 2))
        return made

    def _each(self, values: Iterable[Any], depth: int) -> list[Any]:
        return [self.of(one, depth + 1) for one in values]

    def _resize(self, value: Any, added: Any) -> None:
        """One item more or less, by the methods of the built-in type itself, so that it stays whole."""
        kind = OrderedDict if isinstance(value, OrderedDict) else dict
        if not self.more and len(value) > 1:
            if isinstance(value, dict):
                kind.popitem(value)
            elif isinstance(value, set):
                set.discard(value, min(value, key=repr))
            else:
                value.pop()
        elif isinstance(value, dict):
            kind.__setitem__(value, TOKEN, TOKEN)
        elif isinstance(value, set):
            set.add(value, added if added not in value else TOKEN)
        else:
            value.append(added if not isinstance(value, bytearray) else 0)

    def harm(self, value: Any) -> None:
        """Change an argument: its items, its public attributes, the file that it names."""
        try:
            if isinstance(value, (str, os.PathLike)):
                return self.spoil(value)
            if isinstance(value, type) or inspect.ismodule(value) or inspect.isfunction(value):
                return None
            if isinstance(value, (list, dict, set, bytearray)) or type(value).__name__ == "deque":
                self._resize(value, TOKEN)
            for name, held in list(getattr(value, "__dict__", {}).items()):
                if isinstance(held, (str, os.PathLike)):
                    self.spoil(held)
                if not name.startswith("_"):
                    object.__setattr__(value, name, self.of(held))
        except Exception:  # noqa: BLE001  # objects of the code may refuse anything
            return None

    def spoil(self, path: str | os.PathLike[str]) -> None:
        """Change a file, or those of a folder."""
        with contextlib.suppress(OSError, ValueError):
            place = Path(path)
            for file in place.iterdir() if place.is_dir() else [place]:
                if file.is_file():
                    with file.open("a" if self.more else "w") as stream:
                        stream.write(TOKEN if self.more else "")
