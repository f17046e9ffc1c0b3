"""What the Python walk knows about a value: a constant, a reference to something importable, a path, or nothing."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, Final

from refute.scan.core.symbols import OUTPUT, PROCESS_LIST

MAX_CHOICES: Final = 6
MAX_TEXT: Final = 100_000


class Unknown:
    """A value about which nothing is known."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "‹?›"


UNK: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Ref:
    """Something reachable by name: `os`, `os.system`, `socket.socket()` for the result of a call."""

    name: str


PROCESS: Final = Ref("psutil.Process()")
"""A process as an object, which the script need not have started."""
PROCESSES: Final = Ref("processes()")
"""A listing of the machine's processes, and any part of it: lines, words, numbers."""


@dataclass(frozen=True, slots=True)
class PathValue:
    """A `pathlib` path."""

    text: str


@dataclass(frozen=True, slots=True)
class FileValue:
    """An open file."""

    path: str
    mode: str


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
        return self.root() if name in self.shared else self

    def find(self, name: str) -> Any:
        """The value bound to a name, or None where it is not bound."""
        env: Env | None = self
        while env is not None:
            if name in env.names:
                return env.names[name]
            env = env.parent
        return None

    def root(self) -> "Env":
        """The module's scope."""
        env = self
        while env.parent is not None:
            env = env.parent
        return env


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function or lambda of the text."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    env: Env
    instance: Any = None


@dataclass(slots=True, eq=False, repr=False)
class Class:
    """A class of the text; instances share what its methods assign to `self`."""

    name: str
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
    for value in values:
        for option in options_of(value):
            if not any(_same(option, held) for held in flat):
                flat.append(option)
    if not flat:
        return UNK
    if len(flat) == 1:
        return flat[0]
    return Choice(tuple(flat[:MAX_CHOICES]))


def _same(left: Any, right: Any) -> bool:
    if left is right:
        return True
    try:
        return type(left) is type(right) and bool(left == right)
    except Exception:  # noqa: BLE001 - a comparison of hostile constants decides nothing
        return False


def lift(function: Callable[..., Any], *values: Any) -> Any:
    """Apply a function to every combination of the possible values."""
    if not any(isinstance(value, Choice) for value in values):
        return function(*values)
    return choose([function(*row) for row in islice(product(*map(options_of, values)), MAX_CHOICES)])


def as_text(value: Any) -> str:
    """A value as symbolic text, as a path or command would use it."""
    if isinstance(value, str):
        return value
    if isinstance(value, PathValue | FileValue):
        return value.text if isinstance(value, PathValue) else value.path
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, Choice):
        return as_text(value.options[0])
    return PROCESS_LIST if value == PROCESSES else OUTPUT


def signature(value: Any) -> Any:
    """A short hashable stand-in for a value: two calls with equal ones need no second walk."""
    if isinstance(value, str | bytes | int | float | Ref | PathValue | FileValue):
        return value
    if isinstance(value, list | tuple):
        return tuple(signature(item) for item in value[:16])
    if isinstance(value, Choice):
        return ("choice", *(signature(item) for item in value.options))
    return id(value) if isinstance(value, Function | Partial | Class | Instance) else type(value).__name__


def is_constant(value: Any) -> bool:
    """Whether a value is plain data, all of it known."""
    if isinstance(value, str | bytes | int | float | bool | bytearray | type(None)):
        return True
    if isinstance(value, list | tuple | set | frozenset):
        return all(is_constant(item) for item in value)
    if isinstance(value, dict):
        return all(is_constant(key) and is_constant(item) for key, item in value.items())
    return isinstance(value, range)
