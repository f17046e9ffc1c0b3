"""Python expressions: what each yields."""

import ast
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final

from refute.scan.core.symbols import UNKNOWN, capped
from refute.scan.python import folding
from refute.scan.python.calls import Calls
from refute.scan.python.members import iterated, joined, percent
from refute.scan.python.values import (
    MAX_CHOICES,
    MAX_ITEMS,
    UNK,
    Env,
    Function,
    PathValue,
    as_text,
    choose,
    is_constant,
    lift,
    options_of,
)

_MAX_ALL_ROUNDS: Final = 12_000


def operate(kind: str, left: Any, right: Any) -> Any:
    """A binary operator, paths and texts with unknown parts included."""
    texts = isinstance(left, str) + isinstance(right, str)
    if kind == "Div" and (isinstance(left, PathValue) or isinstance(right, PathValue)):
        return PathValue(joined(left, right))
    if kind == "Add" and texts == 1:
        return capped(as_text(left) + as_text(right))
    if kind == "Mod" and isinstance(left, str) and not is_constant(right):
        return capped(percent(left, right))
    if kind == "Add" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return [*left, *right] if len(left) + len(right) <= MAX_ITEMS else UNK
    return folding.binary(kind, left, right)


@dataclass(slots=True, eq=False, repr=False)
class Expressions(Calls):
    """The part of the walk that works expressions out, by a method for each kind of node."""

    def value(self, node: ast.expr) -> Any:
        """Walk an expression and say what it yields."""
        self.report.budget.spend()
        evaluate = getattr(self, f"_{type(node).__name__.lower()}", None)
        return evaluate(node) if evaluate is not None else UNK

    def _constant(self, node: ast.Constant) -> Any:
        return node.value if node.value is not Ellipsis else UNK

    def _name(self, node: ast.Name) -> Any:
        return self.lookup(node.id)

    def _attribute(self, node: ast.Attribute) -> Any:
        return lift(lambda owner: self.attribute(owner, node.attr, node), self.value(node.value))

    def _binop(self, node: ast.BinOp) -> Any:
        kind = type(node.op).__name__
        return lift(lambda left, right: operate(kind, left, right), self.value(node.left), self.value(node.right))

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(value, int) and isinstance(node.op, ast.USub | ast.Invert):
            return -value if isinstance(node.op, ast.USub) else ~value
        return UNK

    def _ifexp(self, node: ast.IfExp) -> Any:
        self.value(node.test)
        return choose([self.value(node.body), self.value(node.orelse)])

    def _boolop(self, node: ast.BoolOp) -> Any:
        return choose([self.value(part) for part in node.values])

    def _compare(self, node: ast.Compare) -> Any:
        for part in (node.left, *node.comparators):
            self.value(part)
        return UNK

    def _part(self, node: ast.FormattedValue | ast.Await | ast.Starred) -> Any:
        return self.value(node.value)

    _formattedvalue = _await = _starred = _part

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Any:
        return UNK if node.value is None else self.value(node.value)

    _yieldfrom = _yield

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        parts = [self.value(part) for part in node.values]
        return lift(lambda *row: capped("".join(map(as_text, row))), *parts)

    def _elements(self, nodes: list[ast.expr]) -> list[Any]:
        items: list[Any] = []
        for part in nodes:
            value = self.value(part)
            spread = isinstance(part, ast.Starred) and isinstance(value, list | tuple)
            items.extend(value if spread else [value])
        return items

    def _list(self, node: ast.List | ast.Set) -> Any:
        return self._elements(node.elts)

    _set = _list

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._elements(node.elts))

    def _dict(self, node: ast.Dict) -> Any:
        made: dict[Any, Any] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.value(item)
            if key is None:
                made.update(value if isinstance(value, dict) else {})
                continue
            name = self.value(key)
            made[name if isinstance(name, str | int | bytes | float) else UNKNOWN] = value
        return made

    def _subscript(self, node: ast.Subscript) -> Any:
        index = self.value(node.slice)
        return lift(lambda owner: self.item(owner, index, node), self.value(node.value))

    def _slice(self, node: ast.Slice) -> Any:
        bounds = [None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
        return slice(*bounds) if is_constant(bounds) else UNK

    def _namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def _lambda(self, node: ast.Lambda) -> Any:
        function = Function(node, self.env)
        self.functions.append(function)
        return function

    def _listcomp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        return self._comprehension(node.elt, node.generators)

    _setcomp = _generatorexp = _listcomp

    def _dictcomp(self, node: ast.DictComp) -> Any:
        self._comprehension(node.value, node.generators)
        return UNK

    def _comprehension(self, element: ast.expr, generators: list[ast.comprehension]) -> Any:
        outer, self.env = self.env, Env(self.env)
        try:
            return self._generate(element, generators)
        finally:
            self.env = outer

    def _generate(self, element: ast.expr, generators: list[ast.comprehension]) -> Any:
        if not generators:
            return [self.value(element)]
        first, *rest = generators
        sequence = iterated(self.value(first.iter))
        listed = isinstance(sequence, list)
        self.rounds += len(sequence) if listed else 0
        if not listed or len(sequence) > MAX_ITEMS // 2 or self.rounds > _MAX_ALL_ROUNDS:
            self.bind(first.target, choose(sequence[:MAX_CHOICES]) if listed else sequence)
            for condition in first.ifs:
                self.value(condition)
            self._generate(element, rest)
            return UNK
        made: list[Any] = []
        for condition in first.ifs:
            self.value(condition)
        for item in sequence:
            self.env.names.pop(getattr(first.target, "id", ""), None)
            self.bind(first.target, item)
            inner = self._generate(element, rest)
            made.extend(inner if isinstance(inner, list) else [UNK])
        return made

    def _call(self, node: ast.Call) -> Any:
        target = self.value(node.func)
        arguments = self._elements(node.args)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update({key: item for key, item in value.items() if isinstance(key, str)})
        results = []
        for each in options_of(target):
            for row in islice(product(*map(options_of, arguments)), MAX_CHOICES):
                single = {key: options_of(value)[0] for key, value in keywords.items()}
                results.append(self.call(each, list(row), single, node))
        return choose(results)
