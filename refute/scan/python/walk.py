"""Walks a Python module in the order in which it would run, with symbolic values: statements, by kind."""

import ast
from dataclasses import dataclass
from typing import Any, Final

from refute.scan.core.symbols import NAME
from refute.scan.python.expressions import Expressions, operate
from refute.scan.python.state import RUNS_COMMANDS
from refute.scan.python.values import SHARED, UNK, Function, Members, Ref, lift

_MAX_ROUNDS: Final = 300
_MAX_STATEMENTS: Final = 4
"""Statements of a loop's body up to which it is walked for each element."""


@dataclass(slots=True, eq=False, repr=False)
class PythonWalker(Expressions):
    """One walk over one tree."""

    def module(self, tree: ast.Module) -> None:
        """Walk a whole module; functions that nothing called are walked last, with unknown parameters."""
        self.env["__doc__"] = ast.get_docstring(tree, clean=False)
        self.env.update(__file__=self.own_path, __name__=NAME, __builtins__=Ref("builtins"))
        self.body(tree.body)
        for function in self.functions:
            if function.node not in self.called:
                self.enter(function, [], {}, known=False)

    def body(self, statements: list[ast.stmt]) -> list[Any]:
        """Walk statements; returns the values they may return."""
        return [value for statement in statements for value in self._statement(statement)]

    def _statement(self, node: ast.AST) -> list[Any]:  # noqa: C901, PLR0912 - one branch per kind
        self.report.spend()
        match node:
            case ast.Expr(value=inner):
                self.value(inner)
            case ast.Return(value=ast.expr()):
                return [self.value(node.value)]  # type: ignore[arg-type]  # the pattern says so
            case ast.For() | ast.AsyncFor():
                return self._loop(node)
            case ast.withitem(context_expr=inner, optional_vars=target):
                value = self.value(inner)
                if target is not None:
                    self.bind(target, value)
            case ast.Assign(value=inner, targets=targets):
                value = self.value(inner)
                for target in targets:
                    self.bind(target, value)
            case ast.AnnAssign(value=inner):
                self.value(node.annotation)
                if inner is not None:
                    self.bind(node.target, self.value(inner))
            case ast.AugAssign(target=target, op=operator):
                sides = self.value(target), self.value(node.value)
                self._rebind(target, lift(lambda *row: operate(operator, *row), *sides))
            case ast.Import() | ast.ImportFrom():
                self.bring(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Global() | ast.Nonlocal():
                self.env.update(dict.fromkeys(node.names, SHARED))
            case _:
                return self._parts(node)
        return []

    def _parts(self, node: ast.AST) -> list[Any]:
        """Walk all that a statement holds: branches, handlers and cases, none of which needs to run, or expressions."""
        without_end = isinstance(node, ast.While) and _is_endless(node)
        branches = not isinstance(node, ast.With | ast.AsyncWith)
        self.branching += branches
        self.endless += without_end
        returned: list[Any] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            else:
                returned.extend(self._statement(child))
        self.branching -= branches
        self.endless -= without_end
        return returned

    def _loop(self, node: ast.For | ast.AsyncFor) -> list[Any]:
        plain = all(isinstance(part, ast.AugAssign | ast.Assign | ast.Expr) for part in node.body)
        short = plain and len(node.body) <= _MAX_STATEMENTS
        items, _ = self.elements(node.iter, _MAX_ROUNDS if short else 0)
        returned: list[Any] = []
        self.branching += 1
        for item in items or [UNK]:
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
        self.env[node.name] = result

    def _class(self, node: ast.ClassDef) -> None:
        outer, made = self.env, Members()
        for base in [*node.bases, *[keyword.value for keyword in node.keywords]]:
            value = self.value(base)
            made.update(value if isinstance(value, Members) else {})
        self.env, before = outer.new_child(made), len(self.functions)
        self.body(node.body)
        for function in self.functions[before:]:
            if function.env is self.env and not isinstance(function.node, ast.Lambda):
                function.instance, function.env = made, outer
        self.env = outer
        self.env[node.name] = made


def _is_endless(node: ast.While) -> bool:
    """Whether a loop on a constant leaves nowhere."""
    leaving = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
    constant = isinstance(node.test, ast.Constant) and bool(node.test.value)
    return constant and not any(isinstance(part, leaving) for part in ast.walk(node))
