"""Calls that a ticket publishes, in examples, fields and docstrings, and what they pass: seeds of inputs."""

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any, Final

from refute.adversary.attack import Brief
from refute.adversary.property.dependence import called, reads
from refute.adversary.property.expressions import free_names, parse_expression, parse_statements, substituted
from refute.adversary.property.namespace import LIBRARY, ONLY_SAFE_BUILTINS, STANDARD_NAMES
from refute.adversary.property.sessions import Example, read_sessions
from refute.adversary.property.surface import Function, Surface
from refute.adversary.references import names_in
from refute.python_syntax import literal_of

MAX_HOLES: Final = 8
_SAFE: Final = LIBRARY | ONLY_SAFE_BUILTINS | {name for name, module in STANDARD_NAMES.items() if module in LIBRARY}
"""Names besides the implementation's own that a published call may use."""
_INLINE: Final = re.compile(r"`([^`\n]+)`|([^\W\d][\w.]*\([^\n]*?\))")


def published_calls(brief: Brief, surface: Surface) -> list[ast.Call]:
    """Every call in examples, fields, claims and docstrings; names of a session stand for what they were given."""
    found = [node for tree in _trees(brief, surface) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return found[:500]


def _trees(brief: Brief, surface: Surface) -> Iterator[ast.AST]:
    for claim in brief.ticket.claims:
        for code in claim.code():
            yield from parse_statements(code) or ()
        for quoted, written in _INLINE.findall(claim.text):
            expression = parse_expression(quoted or written)
            yield from [expression] if expression is not None else []
    documented = (text.text for face in surface.faces for text in face.docstrings)
    claimed = (text for claim in brief.ticket.claims for text in (claim.text, *claim.examples))
    for text in (*claimed, *documented):
        for session in read_sessions(text, only_checked=False):
            yield from _inlined(session)


def _inlined(session: Example) -> Iterator[ast.AST]:
    given: dict[str, ast.expr] = {}
    for step in session.steps:
        statement = substituted(step.statement, given)
        yield statement
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given[name] = value
            case _:
                continue


def may_call(call: ast.Call, function: Function, surface: Surface) -> bool:
    """Whether a call may be one of a function, by name: a method is called on something, a function by its module.

    Of what has methods of that name, its class is the one that the call names, or the only one.
    """
    on, dot, name = called(call).rpartition(".")
    if not function.owner:
        return called(call) in function.names
    if name != function.name or not dot or not (function.is_static or on.rpartition(".")[2] != function.owner):
        return False
    owners = {one.owner for one in surface.callables() if one.owner and one.name == name} | {function.owner}
    return (owners & names_in(call.func) or owners) == {function.owner}


def holes_of(call: ast.Call, surface: Surface) -> tuple[str, tuple[Any, ...]] | None:
    """The call with its literals taken out, and these; None where it uses what nobody may run, or reads a clock."""
    inner = (one for one in ast.walk(call) if isinstance(one, ast.Call) and one is not call)
    if any("moment" in reads(called(one)) for one in inner):
        return None
    emptied = _Emptied()
    template = emptied.visit(copy.deepcopy(call))
    allowed = surface.defined_names() | surface.public_names() | _SAFE
    used = free_names([template]) - {f"a{at}" for at in range(len(emptied.values))}
    if not used <= allowed or not 0 < len(emptied.values) <= MAX_HOLES:
        return None
    return ast.unparse(template), tuple(emptied.values)


class _Emptied(ast.NodeTransformer):
    """Puts names in the place of literals."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
            if (value := literal_of(node)) is None:
                return self.generic_visit(node)
            self.values += value
            return ast.Name(id=f"a{len(self.values) - 1}", ctx=ast.Load())
        return self.generic_visit(node)
