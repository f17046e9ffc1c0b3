"""Examples that name inputs and outputs in words instead of writing the call."""

import ast
import re

from refute.adversary.property.expected import read_value
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.notation import Inline, consistent, value_at


def read_described(text: str, function: str, parameters: tuple[str, ...], required: int) -> list[Inline]:
    """Examples that name inputs instead of writing the call: `Input: [1, 2]`, `Output: 3`; "for x = 3 the output is 9".

    Args:
        text: prose.
        function: the only function that it can speak of.
        parameters: the function's positional parameters, in order.
        required: how many of them have no default.
    """
    found: list[Inline] = []
    for hit in [*_INPUT_OUTPUT.finditer(text), *_FOR_THE_OUTPUT.finditer(text), *_LITERAL_TO_LITERAL.finditer(text)]:
        call = _described_call(hit["given"], function, parameters, required)
        expected = value_at(hit["value"], code=False)
        if call is not None and expected is not None:
            quote = hit[0].strip().partition("\n\n")[0][:300]
            found.append(
                Inline(expression=call, expected=expected[0], strict=False, weak=False, quote=quote, start=hit.start())
            )
    return consistent(found)


_INPUT_OUTPUT = re.compile(
    r"\binputs?\b\s*[:=]?\s*(?P<given>[^\n]*(?:\n(?!\s*\n|"
    r"\s*output)[^\n]*){0,12}?)\s*[\n,;]\s*(?:=+>|-+>|→)?\s*\boutputs?\b\s*[:=]\s*"
    r"(?P<value>[^\n]*)",
    re.IGNORECASE,
)
_LITERAL_TO_LITERAL = re.compile(
    (
        r"^[ \t]*(?:[-*•][ \t]+|\d+[.)][ \t]+)?(?P<given>[\[({'\"\d-][^\n]*?)[ \t]*(?:=+>|-+>|→|➞|⇒)[ "
        r"\t]*(?P<value>[^\n]+)"
    ),
    re.MULTILINE,
)
_FOR_THE_OUTPUT = re.compile(
    r"\b(?:for|if|given|with|"
    r"when)\s+(?:the\s+)?(?:inputs?\s+)?(?P<given>\w+\s*=\s*[^\n]{1,300}?)\s*,?\s*(?:then\s+)?(?:t"
    r"he\s+)?"
    r"(?:output|result|answer|return value|function|it)\s+(?:(?:should|must|will|would)\s+)?(?:be|"
    r"is|returns?|equals?|gives?)"
    r"\s*:?\s*(?P<value>[^\n]+)",
    re.IGNORECASE,
)


def _described_call(given: str, function: str, parameters: tuple[str, ...], required: int) -> ast.expr | None:
    given = re.sub(r"\s*\n\s*", "\n", given.strip().strip("`"))
    attempts = [given, given.replace("\n", ", "), re.sub(r"(?m)^(\w+)\s*:\s", r"\1 = ", given).replace("\n", ", ")]
    for attempt in attempts:
        call = parse_expression(f"{function}({attempt})")
        if not isinstance(call, ast.Call) or not attempt:
            continue
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not all(read_value(source_of(value)) and not _is_formula(value) for value in values):
            continue
        names = [*parameters[: len(call.args)], *(keyword.arg for keyword in call.keywords)]
        complete = set(parameters[:required]) <= set(names) <= set(parameters)
        if complete and len(names) == len(set(names)) == len(values):
            return call
    return None


def _is_formula(value: ast.expr) -> bool:
    """`1 + 2 -> 3` is what a calculator reads, a text, and not the number 3."""
    return isinstance(value, ast.BinOp) and all(
        isinstance(node, ast.BinOp | ast.UnaryOp | ast.Constant | ast.operator | ast.unaryop)
        for node in ast.walk(value)
    )
