"""A test's lines without what they expect, as they are shown to a voter."""

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any, Final

from refute.adversary.attack import TestRun
from refute.adversary.counterexample import arguments
from refute.adversary.references import defined, loaded
from refute.python_syntax import UNPARSABLE, expression_or_none, parse_python

RESULT: Final = "result"


def literal(text: str) -> tuple[Any] | None:
    """The value of a literal, in a box since it may be None; `[1, ...]` is one that was cut short."""
    try:
        node = parse_python(text.strip(), mode="eval")
        cut = any(isinstance(part, ast.Constant) and part.value is ... for part in ast.walk(node))
        return None if cut else (ast.literal_eval(node),)
    except (*UNPARSABLE, TypeError):
        return None


def assign(name: str, value: ast.expr) -> ast.stmt:
    """`name = value`."""
    return ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value, lineno=0)


def as_result(node: ast.stmt) -> ast.stmt:
    """A statement without what it expects."""
    match node:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            return assign(RESULT, right if literal(ast.unparse(left)) is not None else left)
        case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=inner)):
            return assign(RESULT, inner)
        case ast.Assert(test=test):
            return assign(RESULT, test)
        case ast.Expr(value=value):
            return assign(RESULT, value)
        case ast.Assign(targets=targets, value=value):  # later rounds of a loop may need the names
            return ast.Assign(targets=[ast.Name(id=RESULT, ctx=ast.Store()), *targets], value=value, lineno=0)
    return node


def raising_around(function: ast.FunctionDef, failing: ast.stmt) -> ast.With | None:
    """The `with pytest.raises(…)` around a statement, or that it is itself."""
    for node in ast.walk(function):
        if isinstance(node, ast.With) and node.lineno <= failing.lineno <= (node.end_lineno or 0) and _raises(node):
            return node
    return None


def shown_code(
    body: Sequence[ast.stmt], function: ast.FunctionDef, failing: ast.stmt, last: Sequence[ast.stmt], run: TestRun
) -> str:
    """The test's lines up to the failing one, and the file's helpers that they use.

    Args:
        body: the test file's statements.
        function: the test.
        failing: the statement of it that failed.
        last: what stands in its place.
        run: how it failed, with the smallest input.
    """
    inputs = run.smallest_input.splitlines()
    draws = [line.partition("=")[2] for line in inputs if line.startswith("draw ")]
    lines = [_Drawn(draws).visit(line) for line in copy.deepcopy(list(_until(function.body, failing, last)))]
    lines = _parametrized(function, lines)
    wanted = set().union(*(loaded(line) for line in lines))
    helpers: list[ast.stmt] = []
    grown = True
    while grown:
        grown = False
        for node in body:
            if node is not function and node not in helpers and wanted.intersection(defined(node)):
                helpers.append(node)
                wanted |= loaded(node)
                grown = True
    told = arguments("\n".join(line for line in inputs if not line.startswith("draw "))) or {}
    given = [f"{name} = {value}" for name, value in told.items() if value.strip() != "data(...)"]
    helpers.sort(key=lambda node: node.lineno)
    return "\n".join([*map(_unparsed, helpers), *given, *map(_unparsed, lines)])


class _Drawn(ast.NodeTransformer):
    """Puts what Hypothesis drew inside the test in the place of the draws, in their order."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = [literal_node for value in values if (literal_node := expression_or_none(value)) is not None]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "draw" and self._values:
            return self._values.pop(0)
        self.generic_visit(node)
        return node


def _until(
    statements: Sequence[ast.stmt], failing: ast.stmt, last: Sequence[ast.stmt], *, looped: bool = False
) -> Iterator[ast.stmt]:
    """The statements before the failing one, without their own expectations; then `last` in its place.

    In a loop those behind it stay too, since later rounds need them.
    """
    for place, node in enumerate(statements):
        if node.lineno <= failing.lineno <= (node.end_lineno or 0):
            inner = [child for child in getattr(node, "body", []) if isinstance(child, ast.stmt)]
            if isinstance(node, ast.For | ast.While | ast.If | ast.With) and failing is not node and inner:
                if isinstance(node, ast.With) and _raises(node):
                    yield from last
                    return
                yield _cut(node, list(_until(node.body, failing, last, looped=isinstance(node, ast.For | ast.While))))
            else:
                yield from last
            if looped:
                yield from map(_without_expectation, statements[place + 1 :])
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield _without_expectation(node)


def _cut(node: ast.For | ast.While | ast.If | ast.With, body: list[ast.stmt]) -> ast.stmt:
    """A compound statement with another body, and of a loop's table only the columns that the body uses."""
    match node:
        case ast.For(target=target, iter=rows):
            target, rows = _columns(target, rows, set().union(*map(loaded, body)))
            return ast.For(target=target, iter=rows, body=body, orelse=[], lineno=0)
        case ast.While(test=test):
            return ast.While(test=test, body=body, orelse=[])
        case ast.If(test=test):
            return ast.If(test=test, body=body, orelse=[])
        case ast.With(items=items):
            return ast.With(items=items, body=body, lineno=0)


def _parametrized(function: ast.FunctionDef, lines: list[ast.stmt]) -> list[ast.stmt]:
    """The lines in loops over what `pytest.mark.parametrize` gives."""
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, rows, *_]):
                given = literal(ast.unparse(names))
                text = given[0] if given else ""
                parts = [one.strip() for one in (text.split(",") if isinstance(text, str) else text)]
                stored: list[ast.expr] = [ast.Name(id=part, ctx=ast.Store()) for part in parts]
                target = stored[0] if len(stored) == 1 else ast.Tuple(elts=stored, ctx=ast.Store())
                target, rows = _columns(target, rows, set().union(*map(loaded, lines)))
                lines = [ast.For(target=target, iter=rows, body=lines, orelse=[], lineno=0)]
    return lines


def _columns(target: ast.expr, rows: ast.expr, used: set[str]) -> tuple[ast.expr, ast.expr]:
    """A table without the columns that nothing uses: they hold what the test expects."""
    if not isinstance(target, ast.Tuple) or not isinstance(rows, ast.List | ast.Tuple):
        return target, rows
    kept = [place for place, one in enumerate(target.elts) if loaded(_read(one)) & used]
    lines = [row.elts for row in rows.elts if isinstance(row, ast.Tuple | ast.List)]
    if len(lines) != len(rows.elts) or any(len(line) != len(target.elts) for line in lines) or not kept:
        return target, rows
    if len(kept) == 1:
        return target.elts[kept[0]], ast.List(elts=[line[kept[0]] for line in lines], ctx=ast.Load())
    picked: list[ast.expr] = [ast.Tuple(elts=[line[place] for place in kept], ctx=ast.Load()) for line in lines]
    names = ast.Tuple(elts=[target.elts[place] for place in kept], ctx=ast.Store())
    return names, ast.List(elts=picked, ctx=ast.Load())


def _read(node: ast.expr) -> ast.expr:
    return parse_python(ast.unparse(node), mode="eval").body


def _raises(node: ast.With) -> bool:
    return any("raises" in ast.unparse(item.context_expr).partition("(")[0] for item in node.items)


def _without_expectation(node: ast.stmt) -> ast.stmt:
    if isinstance(node, ast.Assert):
        found = as_result(node)
        return ast.Expr(value=found.value) if isinstance(found, ast.Assign) else found
    return node


class _WithoutWords(ast.NodeTransformer):
    """Leaves out texts that are no part of what runs: docstrings may tell what is expected, or talk to a voter."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return ast.copy_location(ast.Pass(), node) if is_text else node


def _unparsed(node: ast.stmt) -> str:
    """A statement as text, without docstrings."""
    plain = _WithoutWords().visit(copy.deepcopy(node))
    if (
        isinstance(plain, ast.FunctionDef | ast.ClassDef)
        and isinstance(plain.body[0], ast.Pass)
        and len(plain.body) > 1
    ):
        plain.body = plain.body[1:]
    return ast.unparse(ast.fix_missing_locations(plain))
