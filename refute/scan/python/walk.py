"""Walks a Python module in the order in which it would run, with symbolic values, and hands every call on."""

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from refute.scan.core.report import Report, Spot
from refute.scan.core.symbols import HERE, NAME
from refute.scan.python import assigning, expressions, functions, invoke, names
from refute.scan.python.state import Call, Engine, is_dangerous
from refute.scan.python.statements import walk_statement
from refute.scan.python.values import PROCESSES, UNK, Class, Env, Function, Instance, Partial, Ref, choose
from refute.scan.rules import Language

_BUILTINS: Final = frozenset(dir(builtins)) | {"__builtins__", "__loader__", "__import__"}


@dataclass(slots=True, eq=False, repr=False)
class PythonWalker:
    """One walk over one tree."""

    engine: Engine
    spot: Callable[[ast.AST], Spot]
    depth: int = 0
    env: Env = field(default_factory=Env)
    cwd: str = HERE
    variables: dict[str, str] = field(default_factory=dict)
    """What the text itself puts into the environment."""
    rounds: int = 0
    """Elements for which comprehensions were worked out one by one."""
    branching: int = 0
    endless: int = 0
    """How many `while True` loops surround this point."""
    stack: tuple[ast.AST, ...] = ()
    yielded: list[Any] = field(default_factory=list)
    """What the function under way has yielded."""
    called: set[ast.AST] = field(default_factory=set)
    entries: dict[ast.AST, dict[Any, Any]] = field(default_factory=dict)
    """Function → arguments it was walked with → what it returned."""
    functions: list[Function] = field(default_factory=list)
    decoded: set[str] = field(default_factory=set)
    """Texts that came out of a decoder."""
    stars: list[str] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)
    """What the module did so far, where only the combination is dangerous."""

    @property
    def report(self) -> Report:
        """Where findings go."""
        return self.engine.report

    def module(self, tree: ast.Module) -> None:
        """Walk a whole module; functions that nothing called are walked last, with unknown parameters."""
        self.env.names["__doc__"] = ast.get_docstring(tree, clean=False)
        self.body(tree.body)
        for function in self.functions:
            if function.node not in self.called:
                self.enter(function, [], {}, known=False)

    def body(self, statements: list[ast.stmt]) -> list[Any]:
        """Walk statements; returns the values they may return."""
        returned: list[Any] = []
        for statement in statements:
            self.report.budget.spend()
            found = walk_statement(self, statement)
            if found:
                returned.extend(found)
        return returned

    def value(self, node: ast.expr) -> Any:
        """Walk an expression and say what it yields."""
        self.report.budget.spend()
        return expressions.evaluate(self, node)

    def enter(self, function: Function, arguments: list[Any], keywords: dict[str, Any], *, known: bool = True) -> Any:
        """Walk a function's body with these arguments; without known arguments every parameter is unknown."""
        return functions.enter(self, function, arguments, keywords, known=known)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a target a value."""
        match target:
            case ast.Name():
                names_ = self.env.owner(target.id).names
                old = names_.get(target.id) if self.branching else None
                names_[target.id] = value if old is None else choose([old, value])
                if target.id == "pytest_plugins":
                    self._note_plugins(value)
            case ast.Tuple() | ast.List():
                items = list(value) if isinstance(value, list | tuple) and len(value) == len(target.elts) else None
                for index, part in enumerate(target.elts):
                    inner = part.value if isinstance(part, ast.Starred) else part
                    self.bind(inner, items[index] if items is not None else value if value == PROCESSES else UNK)
            case ast.Attribute():
                owner = self.value(target.value)
                assigning.assign_attribute(self, owner, target, value)
            case ast.Subscript():
                assigning.assign_item(self, self.value(target.value), self.value(target.slice), value, target)

    def _note_plugins(self, value: Any) -> None:
        for module in value if isinstance(value, list | tuple) else [value]:
            if isinstance(module, str):
                self.report.reached.append((f"{module.replace('.', '/')}.py", Language.PYTHON))

    def lookup(self, name: str) -> Any:
        """What a name stands for."""
        value = self.env.find(name)
        if value is not None or name in self.env.names:
            return value
        if name == "__file__":
            return f"{HERE}/{self.report.path}"
        if name == "__name__":
            return NAME
        for module in self.stars:
            if is_dangerous(Ref(f"{module}.{name}"), self.report.knowledge):
                return Ref(f"{module}.{name}")
        if name in {"__builtins__", "builtins"}:
            return Ref("builtins")
        return Ref(f"builtins.{name}") if name in _BUILTINS else UNK

    def call(self, target: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        """Call a value."""
        match target:
            case Function():
                return self.enter(target, arguments, keywords)
            case Partial():
                return self.call(target.target, [*target.arguments, *arguments], keywords, node)
            case Class():
                if "__init__" in target.methods:
                    self.enter(target.methods["__init__"], arguments, keywords)
                elif target.base is not None:
                    self.call(target.base, arguments, keywords, node)
                return Instance(target)
            case Ref():
                return invoke.call_reference(Call(self, target.name, arguments, keywords, node))
            case names.Bound():
                return invoke.call_method(self, target, arguments, keywords, node)
        return invoke.call_unknown(Call(self, "?", arguments, keywords, node))
