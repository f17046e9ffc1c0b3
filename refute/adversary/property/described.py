"""Examples that name inputs and outputs in words instead of writing the call."""

import ast
import re

from refute.adversary.property.expected import read_value
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.notation import Inline, consistent, value_at


def read_described(text: str, function: str, parameters: tuple[str, ...], required: int) -> list[Inline]:
    """Examples that name inputs instead of writing the call: `Input: [1, 2]`, `Output: 3`; `[1, 2] -> 3`.

    Args:
        text: prose.
        function: the only function that it can speak of.
        parameters: the function's positional parameters, in order.
        required: how many of them have no default.
    """
    found: list[Inline] = []
    pieces = [
        (hit["given"], text[hit.start("value") :], hit[0], hit.start())
        for pattern in (_INPUT_OUTPUT, _FOR_THE_OUTPUT, _LITERAL_TO_LITERAL)
        for hit in pattern.finditer(text)
    ]
    for given, value, whole, start in pieces:
        call = described_call(given, function, parameters, required)
        expected = value_at(value, code=False)
        if call is not None and expected is not None:
            quote = whole.strip().partition("\n\n")[0][:300]
            found.append(
                Inline(expression=call, expected=expected[0], strict=False, weak=False, quote=quote, start=start)
            )
    return consistent(found)


_INPUT_OUTPUT = re.compile(
    r"\binputs?\b\s*[:=]?\s*(?P<given>[^\n]*?(?:\n(?!\s*\n|"
    r"\s*(?:(?:expected|sample)\s+)?(?:output|result|return|answer))[^\n]*){0,12}?)\s*(?:[\n,;|]|(?==+>|-+>|→))\s*"
    r"(?:=+>|-+>|→)?\s*\b(?:(?:expected|sample)\s+)?(?:outputs?|results?|returns?|answer)\b\s*[:=]\s*"
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
    r"\b(?:for|if|given|with|when) (?:the )?(?:inputs? )?(?P<given>\w+\s*=\s*[^\n]{1,300}?)\s*,?\s*(?:then )?(?:the )?"
    r"(?:output|result|answer|return value|function|it) (?:(?:should|must|will|would) )?"
    r"(?:be|is|returns?|equals?|gives?)\s*:?\s*(?P<value>[^\n]+)",
    re.IGNORECASE,
)


def described_call(given: str, function: str, parameters: tuple[str, ...], required: int) -> ast.expr | None:
    """The call of a function with what is said to be given; None where that is not plain data for each parameter.

    Args:
        given: as it is written, by position or by name.
        function: its name.
        parameters: the function's positional parameters, in order.
        required: how many of them have no default.
    """
    given = re.sub(r"\s*\n\s*", "\n", given.strip().strip("`"))
    attempts = [given, given.replace("\n", ", "), re.sub(r"(?m)^(\w+)\s*:\s", r"\1 = ", given).replace("\n", ", ")]
    for attempt in attempts:
        call = parse_expression(f"{function}({attempt})")
        if not isinstance(call, ast.Call) or not attempt:
            continue
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        # `1 + 2 -> 3` is what a calculator reads, a text, and not the number 3.
        if not all(read_value(source_of(value)) and not isinstance(value, ast.BinOp) for value in values):
            continue
        names = [*parameters[: len(call.args)], *(keyword.arg for keyword in call.keywords)]
        complete = set(parameters[:required]) <= set(names) <= set(parameters)
        if complete and len(names) == len(set(names)) == len(values):
            return call
    return None
