"""What the Python walk knows about a value: a constant, a reference to something importable, a path, or nothing."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, Final

from refute.scan.core.symbols import OUTPUT, PROCESS_LIST, SECRET

MAX_CHOICES: Final = 6
MAX_ITEMS: Final = 4096
"""Elements of a sequence that are followed: enough for any hidden text."""


class Unknown:
    """A value about which nothing is known."""

    __slots__ = ()


UNK: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Ref:
    """Something reachable by name: `os`, `os.system`, `socket.socket()` for the result of a call."""

    name: str


PROCESS: Final = Ref("psutil.Process()")
"""A process as an object, which the script need not have started."""
PROCESSES: Final = Ref("processes()")
"""A listing of the machine's processes, and any part of it: lines, words, numbers."""
DOWNLOADED: Final = Ref("download()")
"""An answer from the network."""


@dataclass(frozen=True, slots=True)
class PathValue:
    """A `pathlib` path."""

    text: str


@dataclass(frozen=True, slots=True)
class FileValue:
    """An open file."""

    path: str
    mode: str


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A method together with what it belongs to."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values."""

    options: tuple[Any, ...]


@dataclass(slots=True, eq=False, repr=False)
class Env:
    """Names of one scope, and the scopes around it."""

    parent: "Env | None" = None
    names: dict[str, Any] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    """Names that `global` or `nonlocal` binds outside."""

    def owner(self, name: str) -> "Env":
        """The scope in which an assignment binds a name."""
        env = self
        while name in self.shared and env.parent is not None:
            env = env.parent
        return env

    def find(self, name: str) -> Any:
        """The value bound to a name, or None where it is not bound."""
        env: Env | None = self
        while env is not None:
            if name in env.names:
                return env.names[name]
            env = env.parent
        return None


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function or lambda of the text."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    env: Env
    instance: Any = None


@dataclass(slots=True, eq=False, repr=False)
class Class:
    """A class of the text; instances share what its methods assign to `self`."""

    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    base: Any = None
    """A class of a module of which it is a kind, where making one is judged."""


@dataclass(slots=True, eq=False, repr=False)
class Instance:
    """An object of a class of the text."""

    of: Class


@dataclass(frozen=True, slots=True)
class Partial:
    """A callable with some arguments already given."""

    target: Any
    arguments: tuple[Any, ...]


def options_of(value: Any) -> tuple[Any, ...]:
    """The possible values."""
    return value.options if isinstance(value, Choice) else (value,)


def choose(values: list[Any]) -> Any:
    """One value of several; too many become unknown as well."""
    flat: list[Any] = []
    for option in (option for value in values for option in options_of(value)):
        if not any(_same(option, held) for held in flat):
            flat.append(option)
    return Choice(tuple(flat[:MAX_CHOICES])) if len(flat) > 1 else flat[0] if flat else UNK


def _same(left: Any, right: Any) -> bool:
    try:
        return left is right or (type(left) is type(right) and bool(left == right))
    except Exception:  # noqa: BLE001 - a comparison of hostile constants decides nothing
        return False


def lift(function: Callable[..., Any], *values: Any) -> Any:
    """Apply a function to every combination of the possible values."""
    if not any(isinstance(value, Choice) for value in values):
        return function(*values)
    return choose([function(*row) for row in islice(product(*map(options_of, values)), MAX_CHOICES)])


def as_text(value: Any) -> str:
    """A value as symbolic text, as a path or command would use it."""
    match value:
        case str():
            return value
        case PathValue(text=text) | FileValue(path=text):
            return text
        case bytes():
            return value.decode("utf-8", "replace")
        case bool() | int() | float():
            return str(value)
        case Choice():
            return as_text(value.options[0])
    return PROCESS_LIST if value == PROCESSES else OUTPUT


def is_text(value: Any) -> bool:
    """Whether a value names something as it stands: a text, a path, an open file."""
    return isinstance(value, str | bytes | PathValue | FileValue)


def carried(value: Any) -> list[str]:
    """The texts that a value hands over."""
    match value:
        case Ref():
            return [SECRET] if value.name.startswith("os.environ") else []
        case dict():
            return [text for inner in value.values() for text in carried(inner)]
        case list() | tuple():
            return [text for inner in value[:20] for text in carried(inner)]
    return [as_text(value)]


def signature(value: Any) -> Any:
    """A short hashable stand-in for a value: two calls with equal ones need no second walk."""
    if isinstance(value, str | bytes | int | float | Ref | PathValue | FileValue):
        return value
    if isinstance(value, list | tuple):
        return tuple(map(signature, value[:16]))
    if isinstance(value, Choice):
        return ("choice", *map(signature, value.options))
    return id(value) if isinstance(value, Function | Partial | Class | Instance) else type(value).__name__


def is_constant(value: Any) -> bool:
    """Whether a value is plain data, all of it known."""
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_constant, value))
    if isinstance(value, dict):
        return all(map(is_constant, value)) and all(map(is_constant, value.values()))
    return isinstance(value, str | bytes | int | float | range | type(None))
