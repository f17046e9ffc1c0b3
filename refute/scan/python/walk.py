"""Walks a Python module in the order in which it would run, with symbolic values: statements, by kind."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
from dataclasses import dataclass
from typing import Any, Final

from refute.scan.python.expressions import Expressions, operate
from refute.scan.python.members import iterated
from refute.scan.python.names import RUNS_COMMANDS
from refute.scan.python.values import MAX_CHOICES, UNK, Class, Env, Function, Ref, choose, lift, options_of

_MAX_ROUNDS: Final = 300
_MAX_STATEMENTS: Final = 4
"""Statements of a loop's body up to which it is walked for each element."""
_WAITS: Final = frozenset(
    """sleep wait recv accept get join exit _exit readline input select poll run_forever next popleft""".split()
)
"""Calls that wait for something."""


@dataclass(slots=True, eq=False, repr=False)
class PythonWalker(Expressions):
    """One walk over one tree."""

    def module(self, tree: ast.Module) -> None:
        """Walk a whole module; functions that nothing called are walked last, with unknown parameters."""
        self.env.names["__doc__"] = ast.get_docstring(tree, clean=False)
        self.body(tree.body)
        for function in self.functions:
            if function.node not in self.called:
                returned = self.enter(function, [], {}, known=False)
                if getattr(function.node, "name", "").startswith("__reduce"):
                    self._unpickle(returned, function.node)

    def _unpickle(self, returned: Any, node: ast.AST) -> None:
        """Judge what unpickling an object would call."""
        for value in options_of(returned):
            if isinstance(value, tuple | list) and len(value) > 1 and self.is_telling(value[0]):
                self.call(value[0], list(value[1]) if isinstance(value[1], tuple | list) else [UNK], {}, node)

    def body(self, statements: list[ast.stmt]) -> list[Any]:
        """Walk statements; returns the values they may return."""
        returned: list[Any] = []
        for statement in statements:
            self.report.budget.spend()
            returned.extend(self._statement(statement))
        return returned

    def _statement(self, node: ast.stmt) -> list[Any]:  # noqa: C901, PLR0911, PLR0912 - one branch per kind
        match node:
            case ast.Return():
                return [] if node.value is None else [self.value(node.value)]
            case ast.If():
                self.value(node.test)
                return self._branches(node.body, node.orelse)
            case ast.For() | ast.AsyncFor():
                return self._loop(node)
            case ast.While():
                return self._while(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, value)
                return self.body(node.body)
            case ast.Try() | ast.TryStar():
                for handler in node.handlers:
                    if handler.type is not None:
                        self.value(handler.type)
                return self._branches(node.body, *[one.body for one in node.handlers], node.orelse, node.finalbody)
            case ast.Match():
                self.value(node.subject)
                return self._branches(*[case.body for case in node.cases])
            case ast.Assign():
                value = self.value(node.value)
                for target in node.targets:
                    self.bind(target, value)
            case ast.AnnAssign():
                self.value(node.annotation)
                if node.value is not None:
                    self.bind(node.target, self.value(node.value))
            case ast.AugAssign():
                sides = self.value(node.target), self.value(node.value)
                self._rebind(node.target, lift(lambda *row: operate(node.op, *row), *sides))
            case ast.Import() | ast.ImportFrom():
                self.bring(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Global() | ast.Nonlocal():
                self.env.shared.update(node.names)
        if isinstance(node, ast.Expr | ast.Assert | ast.Raise):
            for child in ast.iter_child_nodes(node):
                self.value(child)  # type: ignore[arg-type]  # of these kinds all children are expressions
        return []

    def _branches(self, *bodies: list[ast.stmt]) -> list[Any]:
        self.branching += 1
        returned = [value for body in bodies for value in self.body(body)]
        self.branching -= 1
        return returned

    def _while(self, node: ast.While) -> list[Any]:
        self.value(node.test)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value) and not _ends(node)
        self.endless += endless
        returned = self._branches(node.body, node.orelse)
        self.endless -= endless
        return returned

    def _loop(self, node: ast.For | ast.AsyncFor) -> list[Any]:
        sequence = iterated(self.value(node.iter))
        plain = all(isinstance(part, ast.AugAssign | ast.Assign | ast.Expr) for part in node.body)
        each = [choose(sequence[:MAX_CHOICES]) if isinstance(sequence, list) else sequence]
        if plain and len(node.body) <= _MAX_STATEMENTS and isinstance(sequence, list) and len(sequence) <= _MAX_ROUNDS:
            each = sequence or each
        returned: list[Any] = []
        self.branching += 1
        for item in each:
            self._rebind(node.target, item)
            returned.extend(self.body(node.body))
        returned.extend(self.body(node.orelse))
        self.branching -= 1
        return returned

    def _rebind(self, target: ast.expr, value: Any) -> None:
        """Give a target a value in place of what it had, whatever branch this is."""
        branching, self.branching = self.branching, 0
        self.bind(target, value)
        self.branching = branching

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        function = Function(node, self.env)
        self.functions.append(function)
        result: Any = function
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.value(default)
        for decorator in reversed(node.decorator_list):
            wrapper = self.value(decorator)
            if isinstance(wrapper, Ref) and wrapper.name in RUNS_COMMANDS:
                self.report.add("dynamic-code", self.spot(decorator), f"@{wrapper.name}")
            if self.is_telling(wrapper) or (isinstance(wrapper, Function) and isinstance(wrapper.node, ast.Lambda)):
                result = self.call(wrapper, [result], {}, decorator)
        self.env.names[node.name] = result

    def _class(self, node: ast.ClassDef) -> None:
        outer, self.env = self.env, Env(self.env)
        made = Class(self.env.names)
        for base in [*node.bases, *[keyword.value for keyword in node.keywords]]:
            value = self.value(base)
            if isinstance(value, Class):
                made.names.update(value.names)
            made.base = value if self.is_telling(value) else getattr(value, "base", made.base)
        before = len(self.functions)
        self.body(node.body)
        for function in self.functions[before:]:
            if function.env is self.env and not isinstance(function.node, ast.Lambda):
                function.instance, function.env = Class(made.names, made.base, made=True), outer
        self.env = outer
        self.env.names[node.name] = made


def _ends(node: ast.While) -> bool:
    """Whether a loop on a constant leaves, yields or waits somewhere."""
    leaving = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
    calls = [inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    waits = any((one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")) in _WAITS for one in calls)
    return waits or any(isinstance(inner, leaving) for inner in ast.walk(node))
