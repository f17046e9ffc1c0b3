"""What the Python walk knows about a value: a constant, a reference to something importable, a path, or nothing."""

import ast
from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final, TypeAlias

from refute.scan.core.symbols import HERE, NAME, OUTPUT, SECRET, TEMP, UNKNOWN, is_known

MAX_CHOICES: Final = 6
MAX_ITEMS: Final = 4096
"""Elements of a sequence that are followed: enough for any hidden text."""
MAX_BITS: Final = 10_000
"""Of a number that is multiplied or written out: what is squared again and again would fill memory."""
_MAX_SIZE: Final = 20_000
"""Elements of plain data, or hundreds of letters."""
_LETTERS: Final = 100
_MAX_CARRIED: Final = 500
_MAX_COMPARED: Final = 16
"""Elements up to which two lists are compared."""


class Unknown:
    """A value about which nothing is known."""

    __slots__ = ()


UNK: Final = Unknown()


class PathText(str):
    """A `pathlib` path: a text that knows other methods."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Ref:
    """Something reachable by name: `os`, `os.system`, `socket.socket()` for the result of a call."""

    name: str


@dataclass(frozen=True, slots=True)
class FileValue:
    """An open file."""

    path: str
    content: str = OUTPUT
    """What it held when it was opened."""
    kind: str = "File"
    """`Archive` where what is written into it is read from elsewhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A method together with what it belongs to."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values."""

    options: tuple[Any, ...]


Env: TypeAlias = ChainMap[str, Any]
"""Names of one scope, and the scopes around it."""
SHARED: Final = Unknown()
"""What a scope holds for a name that `global` or `nonlocal` binds outside."""


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function or lambda of the text."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    env: Env
    instance: "Members | None" = None
    """What its first parameter is, for a method."""


class Members(dict[str, Any]):
    """What a class of the text holds, and any object of it: what is assigned to one of them counts for all."""

    __slots__ = ()


def options_of(value: Any) -> tuple[Any, ...]:
    """The possible values."""
    return value.options if isinstance(value, Choice) else (value,)


def choose(values: list[Any]) -> Any:
    """One value of several; too many become unknown as well."""
    if len(values) == 1:
        return values[0]
    several = {signature(one): one for value in values for one in options_of(value)}
    options = tuple(several.values())[:MAX_CHOICES]
    return Choice(options) if len(options) > 1 else options[0] if options else UNK


def lift(function: Callable[..., Any], *values: Any) -> Any:
    """Apply a function to every combination of the possible values."""
    if not any(isinstance(value, Choice) for value in values):
        return function(*values)
    return choose([function(*row) for row in islice(product(*map(options_of, values)), MAX_CHOICES)])


def as_text(value: Any) -> str:
    """A value as symbolic text, as a path or command would use it."""
    match value:
        case int() if value.bit_length() > MAX_BITS:
            return OUTPUT
        case str() | bool() | int() | float():
            return str(value)
        case FileValue(path=text):
            return text
        case bytes():
            return value.decode("utf-8", "replace")
        case Choice():
            return as_text(value.options[0])
    return OUTPUT


def is_text(value: Any) -> bool:
    """Whether a value names something as it stands: a text, a path, an open file."""
    return isinstance(value, str | bytes | FileValue)


def iterated(value: Any) -> Any:
    """The elements of an iterable as a list, or one value that stands for any of them."""
    value = options_of(value)[0]
    if isinstance(value, list | tuple | dict | bytes | range) or (isinstance(value, str) and is_known(value)):
        return list(islice(value, MAX_ITEMS))
    if not isinstance(value, str):
        return UNK
    return f"{value}/{NAME}" if value.startswith((TEMP, HERE)) else UNKNOWN if UNKNOWN in value else OUTPUT


def carried(value: Any) -> list[str]:
    """The texts that a value hands over."""
    texts: list[str] = []
    pending = [value]
    for _ in range(_MAX_CARRIED):
        if not pending:
            break
        match pending.pop():
            case Ref(name):
                texts.extend([SECRET] if name.startswith("os.environ") else [])
            case dict() as table:
                pending.extend(table.values())
            case list() | tuple() as items:
                pending.extend(items[:_MAX_CARRIED])
            case one:
                texts.append(one.content if isinstance(one, FileValue) else as_text(one))
    return texts


def signature(value: Any, depth: int = 5) -> Any:
    """A short hashable stand-in for a value: two calls with equal ones need no second walk."""
    match value:
        case str() | bytes() | int() | float() | Ref() | FileValue():
            return type(value), value
        case list() | tuple() if depth and len(value) <= _MAX_COMPARED:
            return (type(value), *(signature(item, depth - 1) for item in value))
        case list() | tuple() | dict() | Choice() | Function() | Bound():
            return id(value)
    return type(value)


def is_constant(value: Any) -> bool:
    """Whether a value is plain data, all of it known, and not more than a text could hold that somebody wrote.

    A list that holds another twice, and that another, doubles with each: what is long so counts as not known.
    """
    pending, size = [value], 0
    while pending and size <= _MAX_SIZE:
        match pending.pop():
            case list() | tuple() | set() | frozenset() as items:
                pending.extend(items)
            case dict() as table:
                pending.extend((*table, *table.values()))
            case str() | bytes() as text:
                size += len(text) // _LETTERS
            case int() | float() | range() | None:
                pass
            case _:
                return False
        size += 1
    return size <= _MAX_SIZE
