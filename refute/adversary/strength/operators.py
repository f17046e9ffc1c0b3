"""Small faults: the operators that mutmut and cosmic-ray use, as a table of signs and a few rules.

Sources: https://github.com/boxed/mutmut and https://cosmic-ray.readthedocs.io (operators), 2026-11-22. Written anew on
`ast`, since both libraries keep their operators internal and run the tests themselves, in the host's process.
"""

import ast
import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from refute.python_syntax import parse_python

OTHER: Final[Mapping[str, str]] = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "not in": "in", "is": "is not",
    "is not": "is", "+": "-", "-": "+", "*": "//", "/": "*", "//": "*", "%": "//", "**": "*", "<<": ">>", ">>": "<<",
    "&": "|", "|": "&", "^": "&", "and": "or", "or": "and",
}  # fmt: skip
"""Sign of an operator → of the one in its place."""
REMOVED: Final = {ast.Not: "not", ast.USub: "-", ast.Invert: "~"}
TOLD: Final = frozenset({"help", "description", "epilog", "metavar", "usage", "doc", "slots"})
"""Keyword arguments that only speak to people, or whose effect no claim is about."""
TEXT_CALLS: Final = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log", "warn", "print"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One node of a tree, and another in its place."""

    parent: ast.AST
    field: str
    index: int | None
    """In the field, where that is a list."""
    becomes: ast.AST
    words: str
    """What is done: `< → <=`."""
    line: int

    @contextmanager
    def made(self) -> Iterator[None]:
        """The tree with the fault, for a while."""
        held = getattr(self.parent, self.field)
        try:
            changed = (
                self.becomes if self.index is None else [*held[: self.index], self.becomes, *held[self.index + 1 :]]
            )
            setattr(self.parent, self.field, changed)
            yield
        finally:
            setattr(self.parent, self.field, held)


def faults(parent: ast.AST, line: int = 0) -> Iterator[Fault]:
    """Every fault below a node, in the order of the file: in code that runs when it is used, not in what only tells."""
    for field, value in ast.iter_fields(parent):
        for index, node in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(node, ast.AST) or _only_tells(parent, field, node):
                continue
            at, place = getattr(node, "lineno", line), index if isinstance(value, list) else None
            for words, becomes in _changes(parent, field, node):
                yield Fault(parent, field, place, ast.copy_location(becomes, node), words, at)
            yield from faults(node, at)


def _changes(parent: ast.AST, field: str, node: ast.AST) -> Iterator[tuple[str, ast.AST]]:  # noqa: C901  # a case per kind
    """What is done to one node, in words, and the node in its place."""
    if swap := _swaps().get(type(node)):
        yield swap
    match node:
        case ast.UnaryOp(op=op, operand=operand) if type(op) in REMOVED:
            yield f"{REMOVED[type(op)]} removed", operand
        case ast.Constant(value=bool(value)):
            yield f"{value} → {not value}", ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield f"{value} → {value + 1}", ast.Constant(value + 1)
        case ast.Constant(value=str(value)):
            yield f"{value[:20]!r} changed", ast.Constant(f"XX{value}XX")
        case ast.Break():
            yield "break → continue", ast.Continue()
        case ast.Continue():
            yield "continue → break", ast.Break()
        case ast.AugAssign(target=target, value=value):
            yield "assigned alone", ast.Assign([target], value)
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield "call removed", ast.Pass()
    if isinstance(parent, ast.If | ast.IfExp) and field == "test":
        yield "condition negated", ast.UnaryOp(ast.Not(), node)  # type: ignore[arg-type]  # an expression
    if isinstance(parent, ast.Return | ast.Assign) and field == "value" and ast.dump(node) != "Constant(value=None)":
        yield "returns None" if isinstance(parent, ast.Return) else "None assigned", ast.Constant(None)


@functools.cache
def _swaps() -> Mapping[type[ast.AST], tuple[str, ast.AST]]:
    """Kind of an operator → what is done in words, and the other one."""
    return {type(_operator(sign)): (f"{sign} → {other}", _operator(other)) for sign, other in OTHER.items()}


def _operator(sign: str) -> ast.AST:
    match parse_python(f"a {sign} b", mode="eval").body:
        case ast.Compare(ops=[op]) | ast.BinOp(op=op) | ast.BoolOp(op=op):
            return op
    raise ValueError(f"operators: got {sign!r}, expected the sign of one with two sides")


def _only_tells(parent: ast.AST, field: str, node: ast.AST) -> bool:
    """Whether something only speaks to people, to type checkers or to the shell, so that no claim is about it."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name in TEXT_CALLS
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.startswith("__") and name.endswith("__")
        case ast.If(test=ast.Compare(left=ast.Name(id=name)) | ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in {"__name__", "TYPE_CHECKING"}
        case ast.keyword(arg=str(name)):
            return name in TOLD
    return field in {"annotation", "returns"} or (isinstance(parent, ast.JoinedStr) and isinstance(node, ast.Constant))
