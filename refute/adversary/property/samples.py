"""Texts that a ticket's examples hand to a function: what is near them reaches code that random text never does."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from refute.adversary.property.doctests import read_sessions
from refute.adversary.property.expressions import parse_expression, parse_statements
from refute.adversary.property.surface import Face, Function, Surface
from refute.ticket.record import Claim

MAX_SAMPLES: Final = 8
"""Texts kept for one parameter."""
MAX_CHARACTERS: Final = 80
_INLINE: Final = re.compile(r"`([^`\n]+)`|([^\W\d][\w.]*\([^\n]*\))")


def with_samples(surface: Surface, claims: Iterable[Claim]) -> Surface:
    """The same surface; every function knows the texts that examples pass to its parameters.

    Args:
        surface: of the implementation.
        claims: of the ticket: their examples, and the calls in their texts.
    """
    documented = [text.text for face in surface.faces for text in face.docstrings]
    calls = [node for tree in _trees(claims, documented) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return replace(surface, faces=tuple(_sampled(face, calls) for face in surface.faces))


def _sampled(face: Face, calls: list[ast.Call]) -> Face:
    functions = tuple(replace(function, samples=_samples(function, calls)) for function in face.functions)
    return replace(face, functions=functions)


def _trees(claims: Iterable[Claim], documented: Iterable[str]) -> Iterator[ast.AST]:
    for claim in claims:
        for example in claim.examples:
            yield from parse_statements(example) or ()
        for quoted, called in _INLINE.findall(claim.text):
            expression = parse_expression(quoted or called)
            yield from [expression] if expression is not None else []
    for text in documented:
        yield from (step.statement for session in read_sessions(text) for step in session.steps)


def _samples(function: Function, calls: Iterable[ast.Call]) -> tuple[tuple[str, str], ...]:
    """Parameter and text, as passed by position or by name."""
    found: dict[str, dict[str, None]] = {}
    for call in calls:
        if _called(call) != function.name:
            continue
        passed = [
            *zip((parameter.name for parameter in function.parameters), call.args, strict=False),
            *((keyword.arg, keyword.value) for keyword in call.keywords),
        ]
        for name, node in passed:
            match node:
                case ast.Constant(value=str() as text) if name and 0 < len(text) <= MAX_CHARACTERS:
                    found.setdefault(name, {})[text] = None
                case _:
                    continue
    return tuple((name, text) for name, texts in found.items() for text in list(texts)[:MAX_SAMPLES])


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
