"""What the parts of the Python walk share: its state, one call with its arguments, and whose effects those are."""

import ast
from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from refute.scan.core.effects import Effects
from refute.scan.core.judge import Judge
from refute.scan.core.report import Report, Spot
from refute.scan.core.symbols import HERE, UNKNOWN, show
from refute.scan.core.tables import Command
from refute.scan.python.members import NAMED
from refute.scan.python.values import UNK, Env, Function, Ref, as_text


class Engine(Protocol):
    """Acts on effects."""

    report: Report

    def perform(self, effects: Effects, frame: "Call") -> Any:
        """Act on what a handler yields; returns what the call yields."""
        ...


@dataclass(slots=True, eq=False, repr=False)
class Walk(ABC):
    """One walk over one tree, in the order in which it would run."""

    engine: Engine
    spot: Callable[[ast.AST], Spot]
    """Says where a node stands in the scanned file."""
    depth: int = 0
    env: Env = field(default_factory=ChainMap)
    cwd: str = HERE
    variables: dict[str, str] = field(default_factory=dict)
    """What the text itself puts into the environment."""
    rounds: int = 0
    """Elements for which comprehensions were worked out one by one."""
    branching: int = 0
    endless: int = 0
    """How many `while True` loops surround this point."""
    stack: tuple[ast.AST, ...] = ()
    called: set[ast.AST] = field(default_factory=set)
    entries: dict[ast.AST, dict[Any, Any]] = field(default_factory=dict)
    """Function → arguments it was walked with → what it returned."""
    functions: list[Function] = field(default_factory=list)
    stars: list[str] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)
    """What the module did so far, where only the combination is dangerous."""

    @property
    def report(self) -> Report:
        """Where findings go."""
        return self.engine.report

    @abstractmethod
    def body(self, statements: list[ast.stmt]) -> list[Any]:
        """Walk statements; returns the values that they may return."""

    @abstractmethod
    def value(self, node: ast.expr) -> Any:
        """Walk an expression and say what it yields."""

    @abstractmethod
    def call(self, target: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        """Call a value."""

    @abstractmethod
    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        """`owner.name`, judged where it climbs out of what it belongs to."""

    @abstractmethod
    def assign(self, owner: Any, name: str, value: Any, node: ast.AST) -> None:
        """`owner.name = value`, or `owner[name] = value`."""

    def row_of(self, value: Any) -> Command | None:
        """The row about what a value names; `requests.*` stands for every member that no other row names."""
        calls, name = self.report.knowledge.calls, value.name if isinstance(value, Ref) else ""
        return calls.get(name) or calls.get(f"{name.rpartition('.')[0]}.*")

    def is_telling(self, value: Any) -> bool:
        """Whether calling a value is judged by some row, or yields something known."""
        return isinstance(value, Ref) and (value.name in NAMED or self.row_of(value) is not None)


@dataclass(slots=True)
class Call:
    """One call with its arguments worked out; what a method of a path or file belongs to is the first of them.

    The engine acts on its effects.
    """

    walker: Walk
    name: str
    """Dotted name of what is called, as far as it is known; `Path.`, `File.` for methods of paths and open files."""
    arguments: list[Any]
    keywords: dict[str, Any]
    node: ast.AST

    @property
    def judge(self) -> Judge:
        """Judges effects of this call; what comes from outside, and not by a parameter, counts in full."""
        walker = self.walker
        soft = not any(UNKNOWN in value for value in self.values if isinstance(value, str))
        return Judge(walker.report, walker.spot(self.node), self.shown(), walker.cwd, soft=soft)

    @property
    def last(self) -> str:
        """The name behind the last dot."""
        return self.name.rpartition(".")[2]

    @property
    def values(self) -> list[Any]:
        """All that it is given."""
        return [*self.arguments, *self.keywords.values()]

    def shown(self) -> str:
        """The call for a person."""
        method = self.name.startswith(("Path.", "File."))
        parts = [as_text(one) if isinstance(one, str | bytes | int) else "…" for one in self.arguments[method:]]
        name = f"….{self.last}" if method else self.name.removeprefix("builtins.")
        return f"{name}({', '.join(repr(show(part)) for part in parts)})"

    def argument(self, position: int, *keywords: str) -> Any:
        """An argument by keyword or position, UNK where it is missing."""
        named = next((self.keywords[name] for name in keywords if name in self.keywords), UNK)
        return self.arguments[position] if named is UNK and position < len(self.arguments) else named

    def text(self, position: int, *keywords: str) -> str:
        """An argument as text."""
        return as_text(self.argument(position, *keywords))
