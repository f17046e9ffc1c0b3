"""Examples whose value does not follow the call: `6 == f(3)`, "returns 6 for f(3)", `assertEqual(f(3), 6)`."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from refute.adversary.property.expected import Expected, Raises, Value, read_value
from refute.adversary.property.expressions import dotted, parse_expression, source_of
from refute.adversary.property.lead_in import doubtful
from refute.adversary.property.notation import Inline, calls_known, end_of_call

_ASSERTION: Final = re.compile(r"\b(?:self\.)?(?P<name>assert(?:Equals?|True|False|IsNone|AlmostEqual|Raises))(?=\()")
_FIRST: Final = re.compile(
    r"(?P<lead>^[ \t]*(?:[-*•][ \t]+)?`?|`|\b(?:e\.g\.|that|i\.e\.|example:?)[ \t]+`?)(?P<value>[^\s=`][^\n=`]*?)"
    r"[ \t]*==[ \t]*(?=[^\W\d][\w.]*\()",
    re.MULTILINE,
)
_FOR: Final = re.compile(
    r"(?:\b(?:returns?|gives?|yields?)|,(?: and)?|\band)\s+`?(?P<value>[^\s`,;]{1,60})`?\s+for\s+`?"
    r"(?=[^\W\d][\w.]*\()",
    re.IGNORECASE,
)
_CLOSED: Final = re.compile(r"`|[ \t]*(?:[.,;)]?[ \t]*$|[.,;)]\s|for\b|and\b)", re.MULTILINE)
"""What may follow the call: an operator would make it a part of something else."""
_ANSWERS: Final = re.compile(r"\b(?:returns?|gives?|yields?)\b", re.IGNORECASE)


def read_other_orders(text: str, known: frozenset[str]) -> list[Inline]:
    """All such examples in a text whose calls start with a known name.

    Args:
        text: prose.
        known: public names of the implementation and its modules.
    """
    return [*_assertions(text, known), *_value_first(text, known), *_for_calls(text, known)]


def _assertions(text: str, known: frozenset[str]) -> Iterator[Inline]:
    """Methods of `unittest`."""
    for hit in _ASSERTION.finditer(text):
        end = end_of_call(text, hit.end())
        node = parse_expression(text[hit.start("name") : end]) if end else None
        if isinstance(node, ast.Call) and not doubtful(text, hit.start()):
            found = _asserted(hit["name"], node.args)
            if found is not None and calls_known(found[0], known):
                yield _inline(*found, quote=text[hit.start() : end], start=hit.start(), strict=True)


def _asserted(name: str, args: list[ast.expr]) -> tuple[ast.expr, Expected | None] | None:  # one per method
    match name, args:
        case (("assertEqual" | "assertEquals"), [left, right, *_]):
            value, call = (right, left) if read_value(source_of(left)) is None else (left, right)
            expected = read_value(source_of(value), code=True)
            return (call, expected) if expected else None
        case "assertTrue", [call, *_]:
            return call, None
        case "assertFalse", [call, *_]:
            return ast.UnaryOp(op=ast.Not(), operand=call), None
        case "assertIsNone", [call, *_]:
            return call, read_value("None")
        case "assertRaises", [error, function, *given] if dotted(error):
            return ast.Call(func=function, args=given, keywords=[]), Raises(name=dotted(error) or "")
        case _:
            return None


def _value_first(text: str, known: frozenset[str]) -> Iterator[Inline]:
    for hit in _FIRST.finditer(text):
        end = end_of_call(text, text.find("(", hit.end()))
        value = read_value(hit["value"], code=True)
        if end is not None and value is not None and _CLOSED.match(text, end):
            yield from _valued(text, hit, end, value, known, strict=True)


def _for_calls(text: str, known: frozenset[str]) -> Iterator[Inline]:
    for hit in _FOR.finditer(text):
        lead = re.split(r"[.;!?]\s|\n\s*\n", text[: hit.end()])[-1]
        end = end_of_call(text, text.find("(", hit.end()))
        value = read_value(hit["value"])
        if end is not None and value is not None and _ANSWERS.search(lead):
            yield from _valued(text, hit, end, value, known, strict=False)


def _valued(
    text: str, hit: re.Match[str], end: int, value: Value, known: frozenset[str], *, strict: bool
) -> Iterator[Inline]:
    """The example that a value and the call behind it make, unless the words before leave it in doubt."""
    call, start = parse_expression(text[hit.end() : end]), hit.start("value")
    if call is not None and calls_known(call, known) and not doubtful(text, hit.start()):
        yield _inline(call, value, quote=text[start:end], start=start, strict=strict)


def _inline(call: ast.expr, expected: Expected | None, *, quote: str, start: int, strict: bool) -> Inline:
    return Inline(expression=call, expected=expected, strict=strict, weak=False, quote=quote[:300], start=start)
