"""The code with wrong answers of the right kind: a list for a list, a number for a number, nothing where an error was.

A test that only looks at what kind of thing comes back (`isinstance(f(x), list)`, `len(f(x)) >= 0`, `f(x) == f(x)`)
notices code that gives what means nothing, but not this.
"""

import ast
from typing import Final

MORE: Final = "every function answers with more of the kind"
LESS: Final = "every function answers with less of the kind"
LEFT_ALONE: Final = frozenset(
    {
        "__enter__", "__aenter__", "__exit__", "__aexit__", "__setitem__", "__delitem__", "__hash__", "__aiter__",
        "__await__", "__reduce__", "__copy__", "__deepcopy__",
    }
)  # fmt: skip
"""What these answer keeps `with`, sets and copies going."""

RUNTIME: Final = """
import contextlib as {t}contextlib, contextvars as {t}contextvars, copy as {t}copy, functools as {t}functools
import inspect as {t}inspect, io as {t}io, itertools as {t}itertools, os as {t}os

{t}inside = {t}contextvars.ContextVar("{t}", default=False)
{t}more = {more}

def {t}garbling(function):
    plain = lambda: {t}inside.get() or not {t}used()
    if {t}inspect.isgeneratorfunction(function):
        @{t}functools.wraps(function)
        def garbled(*args, **named):
            if plain():
                return (yield from function(*args, **named))
            args, named = {t}calling(function, args, named)
            made = function(*args, **named)
            while True:
                mark = {t}inside.set(True)
                try:
                    item = next(made)
                except Exception:
                    return
                finally:
                    {t}inside.reset(mark)
                yield {t}other(item)
    elif {t}inspect.isasyncgenfunction(function):
        @{t}functools.wraps(function)
        async def garbled(*args, **named):
            async for item in function(*args, **named):
                yield item if plain() else {t}other(item)
    elif {t}inspect.iscoroutinefunction(function):
        @{t}functools.wraps(function)
        async def garbled(*args, **named):
            if plain():
                return await function(*args, **named)
            args, named = {t}calling(function, args, named)
            mark = {t}inside.set(True)
            try:
                result = await function(*args, **named)
            except Exception:
                result = None
            finally:
                {t}inside.reset(mark)
            return {t}answer(function, result, args, named)
    else:
        @{t}functools.wraps(function)
        def garbled(*args, **named):
            if plain():
                return function(*args, **named)
            args, named = {t}calling(function, args, named)
            mark = {t}inside.set(True)
            there = {t}files(".")
            try:
                with {t}contextlib.redirect_stdout({t}io.StringIO()), {t}contextlib.redirect_stderr({t}io.StringIO()):
                    result = function(*args, **named)
            except Exception as error:
                if isinstance(error, (StopIteration, StopAsyncIteration)):
                    raise
                result = None
            finally:
                {t}inside.reset(mark)
            for name in {t}files(".") - there:
                {t}spoil(name)
            return {t}answer(function, result, args, named)
    return garbled

def {t}calling(function, args, named):
    def passed(value):
        if not callable(value) or isinstance(value, type) or type(value).__module__ == function.__module__:
            return value
        return lambda *given, **by_name: value(*map({t}other, given), **by_name)
    if not {t}more:
        return args, named  # a clock that runs backwards would have it wait for ever
    return tuple(map(passed, args)), {name: passed(value) for name, value in named.items()}

def {t}answer(function, result, args, named):
    print("{t}")
    print("{t}", file={t}sys.stderr)
    if function.__name__ in ("__init__", "__post_init__"):
        args = args[1:]
    for value in (*args, *named.values()):
        {t}harm(value)
    if function.__name__ == "__len__":
        return (result or 0) + 1 if {t}more or (result or 0) < 2 else result - 1
    return None if function.__name__ in ("__init__", "__post_init__") else {t}other(result)

def {t}files(folder):
    try:
        return set({t}os.listdir(folder))
    except OSError:
        return set()

def {t}spoil(path):
    try:
        if {t}os.path.isfile(path):
            with open(path, "a" if {t}more else "w") as file:
                file.write("{t}" if {t}more else "")
        elif {t}os.path.isdir(path):
            for name in {t}os.listdir(path):
                {t}spoil({t}os.path.join(path, name)) if {t}os.path.isfile({t}os.path.join(path, name)) else None
    except Exception:
        pass

def {t}harm(value):
    try:
        if isinstance(value, (str, {t}os.PathLike)):
            return {t}spoil(value)
        if isinstance(value, (type, type({t}sys), type({t}harm))):
            return
        if not {t}more and isinstance(value, (list, dict, set, bytearray)) and len(value) > 1:
            {t}drop(value)
        elif isinstance(value, list) or type(value).__name__ == "deque":
            value.append("{t}")
        elif isinstance(value, dict):
            value["{t}"] = "{t}"
        elif isinstance(value, set):
            value.add("{t}")
        elif isinstance(value, bytearray):
            value += b"{t}"
        for name, held in list(getattr(value, "__dict__", {}).items()):
            if isinstance(held, (str, {t}os.PathLike)):
                {t}spoil(held)
            if not name.startswith("_"):
                object.__setattr__(value, name, {t}other(held))
    except Exception:
        pass

def {t}other(value, depth=0):
    try:
        return {t}changed(value, depth) if depth < 4 else value
    except Exception:
        return value

def {t}changed(value, depth):
    kind = type(value)
    if value is None:
        return "{t}" if {t}more else 0
    if isinstance(value, bool):
        return not value
    if isinstance(value, (str, bytes, bytearray)):
        more = "{t}" if isinstance(value, str) else b"{t}"
        return value + more if {t}more or len(value) < 2 else value[:-1]
    if isinstance(value, (list, dict, set)) and not {t}more and len(value) > 1:
        return {t}copied(value, {t}drop)
    if isinstance(value, dict):
        return {t}copied(value, lambda made: {t}dict(made).__setitem__(made, "{t}", "{t}"))
    if isinstance(value, (list, set)):
        add = list.append if isinstance(value, list) else set.add
        last = {t}other(next(iter(value)), depth + 1) if value else "{t}"
        return {t}copied(value, lambda made: add(made, last))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*({t}other(one, depth + 1) for one in value))
    if isinstance(value, (tuple, frozenset)):
        if not {t}more and len(value) > 1:
            return kind(list(value)[:-1])
        return kind([*({t}other(one, depth + 1) for one in value), "{t}"])
    if hasattr(value, "__next__"):
        return iter([*({t}other(one, depth + 1) for one in {t}itertools.islice(value, 1000)), "{t}"])
    if kind.__module__ == "datetime":
        import datetime
        if kind is datetime.time:
            return value.replace(hour=(value.hour + 7) % 24)
        return value + datetime.timedelta(days=400 if {t}more else -400)
    if isinstance(value, {t}os.PathLike):
        return value / "{t}" if {t}more else value.parent / "{t}"
    if hasattr(kind, "__members__"):
        members = list(kind)
        return members[(members.index(value) + (1 if {t}more else -1)) % len(members)]
    if hasattr(value, "__add__") and hasattr(value, "__sub__") and hasattr(value, "__abs__"):
        return value + 1 if {t}more else value - 1000003
    if isinstance(value, type) or kind is type({t}sys):
        return value
    if callable(value) and not hasattr(value, "__dict__") or kind is type({t}other):
        return lambda *args, **named: {t}other(value(*args, **named))
    return {t}copied(value, {t}altered)

def {t}drop(made):
    if isinstance(made, set):
        set.discard(made, min(made, key=repr))
    elif isinstance(made, dict):
        {t}dict(made).popitem(made)
    else:
        made.pop()

def {t}copied(value, change):
    made = {t}copy.copy(value)
    change(made)
    return made

def {t}altered(made):
    slots = [one for kind in type(made).__mro__ for one in getattr(kind, "__slots__", ())]
    for name in [*getattr(made, "__dict__", ()), *slots]:
        if not name.startswith("_"):
            object.__setattr__(made, name, {t}other(getattr(made, name), 2))
"""
"""Once per module. The code itself works as ever: changed is what goes back to a test, and what it sees besides."""


def garble(function: ast.FunctionDef | ast.AsyncFunctionDef, token: str) -> None:
    """Have a function answer otherwise, below all its own decorators."""
    if function.name not in LEFT_ALONE:
        function.decorator_list.append(ast.Name(id=f"{token}garbling", ctx=ast.Load()))


def runtime(token: str, *, more: bool) -> str:
    """What garbled functions need in their module."""
    return RUNTIME.replace("{more}", str(more)).replace("{t}", token)
