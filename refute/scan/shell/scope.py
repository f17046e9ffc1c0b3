"""What a shell script knows at a point: variables with their possible values, functions, working directory."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from tree_sitter import Node

from refute.scan.core.report import Spot
from refute.scan.core.symbols import EMPTY, ENVIRONMENT, HERE, UNKNOWN, capped, is_open

MAX_VALUES: Final = 8
"""Possible values kept for one variable; more of them become UNKNOWN as well."""
ENDED: Final = "-exit-"
"""Stands among the variables, whose own names hold no dash, where the script has ended on this way."""

Variables = dict[str, tuple[str, ...]]
"""Name → its possible values."""


@dataclass(slots=True)
class Scope:
    """The state of one walk, which an exception ends; `fork` gives a subshell its own copy."""

    script: str
    """Path of the script from the workspace, for `$0`."""
    cwd: str = HERE
    variables: Variables = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    functions: dict[str, tuple[Node, Spot | None]] = field(default_factory=dict)
    """Name → body, and where the text stands that defines it; None: in the file itself."""
    arguments: list[str] | None = None
    """Positional parameters; None where they are not known."""
    left: list[tuple[int, Variables]] = field(default_factory=list)
    """Variables where a loop or function is left early, and how many loops that leaves."""

    def fork(self) -> "Scope":
        """A copy for a subshell."""
        return replace(
            self,
            variables=dict(self.variables),
            arrays={name: list(words) for name, words in self.arrays.items()},
            functions=dict(self.functions),
        )

    def assign(self, name: str, values: tuple[str, ...]) -> None:
        """Give a variable its possible values."""
        self.variables[name] = _some(map(capped, values))

    def join(self, *ways: Variables) -> None:
        """Let each variable have what it has here or on another way to the same point, unless that one has ended."""
        for other in ways:
            here = self.variables
            if (ENDED in here) != (ENDED in other):
                self.variables = dict(other) if ENDED in here else here
            elif here != other:
                for name in [name for name, values in other.items() if here.get(name) is not values]:
                    here[name] = _some((*other[name], *here.get(name, ())))

    def each(self, ways: list[list[str]]) -> Iterator[list[str]]:
        """Several ways from here, one by one, each from what holds now; joined behind the last."""
        start: Variables = dict(self.variables) if len(ways) > 1 else {}  # a script has many commands and variables
        cwd, ends = self.cwd, []
        for index, way in enumerate(ways):
            if index:
                ends.append(self.variables)
                self.variables, self.cwd = dict(start), cwd
            yield way
        self.join(*ends)

    @contextmanager
    def branch(self) -> Iterator[None]:
        """A part that may run or not, for as long as the block lasts."""
        before = dict(self.variables)
        yield
        self.join(before)

    @contextmanager
    def leaving(self, *, loop: bool) -> Iterator[None]:
        """A loop or function, which may be left early, for as long as the block lasts."""
        outer, self.left = self.left, []
        yield
        for loops, variables in self.left:
            self.join(variables)
            if loop and loops > 1:
                outer.append((loops - 1, variables))
        self.left = outer

    @contextmanager
    def given(self, arguments: list[str] | None) -> Iterator[None]:
        """Other positional parameters for as long as the block lasts."""
        outer, self.arguments = self.arguments, arguments
        yield
        self.arguments = outer

    def lookup(self, name: str) -> tuple[str, ...]:
        """The possible values of a variable or parameter."""
        if name in self.variables:
            values = self.variables[name]
            return values if len(values) == 1 or "" not in values else tuple(value or EMPTY for value in values)
        if name in self.arrays:
            return (self.arrays[name][0] if self.arrays[name] else "",)
        if name in {"0", "BASH_SOURCE"}:
            return (f"{HERE}/{self.script}",)
        if not name.isdigit():
            return (ENVIRONMENT.get(name, UNKNOWN),)
        arguments, position = self.arguments, int(name)
        if arguments is not None and position <= len(arguments):
            return (arguments[position - 1],)
        # A word that is not known may have been several.
        return (UNKNOWN,) if arguments is None or any(map(is_open, arguments)) else ("",)

    def is_set(self, name: str) -> bool:
        """Whether the script itself gave the variable a value."""
        return name in self.variables or name in self.arrays or name in ENVIRONMENT

    def elements(self, name: str) -> list[str]:
        """All elements of an array, or of the positional parameters for `@` and `*`."""
        if name in {"@", "*"}:
            return [UNKNOWN] if self.arguments is None else self.arguments
        return self.arrays[name] if name in self.arrays else list(self.lookup(name))


def _some(values: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(values))
    return found if len(found) <= MAX_VALUES else (*found[: MAX_VALUES - 1], UNKNOWN)
