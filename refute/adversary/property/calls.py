"""Calls that a ticket publishes, in examples, fields and docstrings: seeds of inputs."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.property.expressions import parse_expression, parse_statements, substituted
from refute.adversary.property.sessions import Example, read_sessions
from refute.adversary.property.surface import Surface

_INLINE: Final = re.compile(r"`([^`\n]+)`|([^\W\d][\w.]*\([^\n]*?\))")


def published_calls(brief: Brief, surface: Surface) -> list[ast.Call]:
    """Every call in examples, fields, claims and docstrings; names of a session stand for what they were given."""
    found = [node for tree in _trees(brief, surface) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return found[:500]


def _trees(brief: Brief, surface: Surface) -> Iterator[ast.AST]:
    for claim in brief.ticket.claims:
        for code in claim.code():
            yield from parse_statements(code) or ()
        for quoted, called in _INLINE.findall(claim.text):
            expression = parse_expression(quoted or called)
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
