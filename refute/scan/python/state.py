"""What the parts of the Python walk share: the walker as they see it, one call with its arguments, its frame."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from refute.scan.core.effects import Effects
from refute.scan.core.judge import Judge
from refute.scan.core.report import Report, Spot
from refute.scan.core.symbols import UNKNOWN, show
from refute.scan.core.tables import Command, Knowledge
from refute.scan.python.values import UNK, Env, Function, PathValue, Ref, as_text


class Engine(Protocol):
    """Acts on effects."""

    report: Report

    def perform(self, effects: Effects, frame: "Frame") -> Any:
        """Act on what a handler yields; returns what the call yields."""
        ...


class Walker(Protocol):
    """One walk over one tree."""

    engine: Engine

    @property
    def spot(self) -> Callable[[ast.AST], Spot]:
        """Says where a node stands in the scanned file."""
        ...

    depth: int
    env: Env
    cwd: str
    variables: dict[str, str]
    """What the text itself puts into the environment."""
    rounds: int
    """Elements for which comprehensions were worked out one by one."""
    branching: int
    endless: int
    """How many `while True` loops surround this point."""
    stack: tuple[ast.AST, ...]
    yielded: list[Any]
    """What the function under way has yielded."""
    called: set[ast.AST]
    entries: dict[ast.AST, dict[Any, Any]]
    """Function → arguments it was walked with → what it returned."""
    functions: list[Function]
    decoded: set[str]
    """Texts that came out of a decoder."""
    stars: list[str]
    facts: set[str]
    """What the module did so far, where only the combination is dangerous."""

    @property
    def report(self) -> Report:
        """Where findings go."""
        ...

    def body(self, statements: list[ast.stmt]) -> list[Any]:
        """Walk statements; returns the values they may return."""
        ...

    def value(self, node: ast.expr) -> Any:
        """Walk an expression and say what it yields."""
        ...

    def enter(self, function: Function, arguments: list[Any], keywords: dict[str, Any], *, known: bool = True) -> Any:
        """Walk a function's body with these arguments; without known arguments every parameter is unknown."""
        ...

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a target a value."""
        ...

    def lookup(self, name: str) -> Any:
        """What a name stands for."""
        ...

    def call(self, target: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        """Call a value."""
        ...


@dataclass(slots=True)
class Frame:
    """Whose effects the engine acts on."""

    walker: Walker
    node: ast.AST
    shown: str
    soft: bool
    keywords: dict[str, Any]

    @property
    def judge(self) -> Judge:
        """Judges effects of this call."""
        walker = self.walker
        return Judge(walker.report, walker.spot(self.node), self.shown, walker.cwd, soft=self.soft)


@dataclass(slots=True)
class Call:
    """One call with its arguments worked out."""

    walker: Walker
    name: str
    """Dotted name of what is called, as far as it is known."""
    arguments: list[Any]
    keywords: dict[str, Any]
    node: ast.AST
    owner: Any = UNK
    """What a method belongs to."""

    @property
    def frame(self) -> Frame:
        """Whose effects the engine acts on; what comes from outside, and not by a parameter, counts in full."""
        given = (value for value in (*self.arguments, *self.keywords.values()) if isinstance(value, str | PathValue))
        soft = not any(UNKNOWN in as_text(value) for value in given)
        return Frame(self.walker, self.node, self.shown(), soft, self.keywords)

    def flag(self, rule: str, *, mild: bool = False, detail: str = "") -> None:
        """Report a finding of this call."""
        self.frame.judge.flag(rule, mild=mild, detail=detail)

    def shown(self) -> str:
        """The call for a person."""
        parts = [
            as_text(argument) if isinstance(argument, str | bytes | PathValue | int) else "…"
            for argument in self.arguments
        ]
        return f"{self.name.removeprefix('builtins.')}({', '.join(repr(show(part)) for part in parts)})"

    def argument(self, position: int, keyword: str = "") -> Any:
        """An argument by position or keyword, UNK where it is missing."""
        if keyword and keyword in self.keywords:
            return self.keywords[keyword]
        return self.arguments[position] if position < len(self.arguments) else UNK

    def text(self, position: int, keyword: str = "") -> str:
        """An argument as text."""
        return as_text(self.argument(position, keyword))

    def texts(self) -> list[Any]:
        """All that it is given."""
        return [*self.arguments, *self.keywords.values()]


def row_of(name: str, known: Knowledge) -> Command | None:
    """The row about a dotted name; `requests.*` stands for every member that no other row names."""
    return known.calls.get(name) or known.calls.get(f"{name.rpartition('.')[0]}.*")


def is_dangerous(value: Any, known: Knowledge) -> bool:
    """Whether calling a value is judged by some row."""
    return isinstance(value, Ref) and row_of(value.name, known) is not None
