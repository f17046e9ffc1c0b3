"""Examples that name inputs and outputs in words instead of writing the call."""

import ast
import json
import re
from collections.abc import Iterator

from refute.adversary.property.expected import read_value
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.lead_in import doubtful
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
    plain = _BOLD.sub(lambda hit: f"  {hit[1]}  ", text)
    pieces = [
        (hit["given"], plain[hit.start("value") :], hit[0], hit.start())
        for pattern in (_INPUT_OUTPUT, _FOR_THE_OUTPUT, _LITERAL_TO_LITERAL, _LITERAL_IN_PROSE)
        for hit in pattern.finditer(plain)
    ]
    pieces += [
        (hit["given"], hit["value"], hit[0], hit.start())
        for hit in _GIVEN_RETURN.finditer(plain)
        if not doubtful(plain, hit.start())
    ]
    for given, value, whole, start in [*pieces, *_over_lines(plain)]:
        call = described_call(_from_json(given), function, parameters, required)
        expected = value_at(_from_json(value), code=False)
        if call is not None and expected is not None:
            quote = whole.strip().partition("\n\n")[0][:300]
            found.append(
                Inline(expression=call, expected=expected[0], strict=False, weak=False, quote=quote, start=start)
            )
    return consistent(found)


def _from_json(text: str) -> str:
    """A JSON text with words that are no Python (`true`, `null`), as Python writes it; any other text as it is."""
    if _JSON_WORD.search(text) is None:
        return text
    try:
        return repr(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _over_lines(text: str) -> Iterator[tuple[str, str, str, int]]:
    """A container written over several lines, an arrow, and a value: a grid and what becomes of it."""
    for hit in _AFTER_CONTAINER.finditer(text):
        start = _opening(text, hit.start())
        if start is not None and "\n" in text[start : hit.start()] and not text[:start].rpartition("\n")[2].strip():
            yield text[start : hit.start() + 1], text[hit.end() :], text[start : hit.end()], start


def _opening(text: str, closing: int) -> int | None:
    """Where the bracket opens that closes at a position; None where texts in quotes make that hard to tell."""
    depth = 0
    for position in range(closing, max(-1, closing - _MAX_CONTAINER), -1):
        if text[position] in "\"'":
            return None
        depth += (text[position] in ")]}") - (text[position] in "([{")
        if depth == 0:
            return position
    return None


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
_LITERAL_IN_PROSE = re.compile(
    r"\b(?:e\.g\.|for example|for instance|examples?|i\.e\.)[,:]?[ \t]+`?(?P<given>[\[({\"'][^\n]*?)`?[ \t]*"
    r"(?:=+>|-+>|→|➞|⇒|(?:becomes|gives|yields|returns|turns into|is turned into|maps to)\b)[ \t]*`?(?P<value>[^\n]+)",
    re.IGNORECASE,
)
_GIVEN_RETURN = re.compile(
    r"\b(?:given|for|with)\s+(?:an?\s+|the\s+)?(?:(?:inputs?|arguments?|list|string|text|array|number|value|tuple|word)"
    r"\s+)?`?(?P<given>[\[({\"'\d-][^\n]*?)`?\s*,?\s*"
    r"(?:when\s+`?[\w.]+`?(?:\(\))?\s+is\s+(?:called|run|invoked)\s*,?\s*)?(?:then\s+)?(?:the\s+)?"
    r"(?:(?:function|result|output|answer|return value|it|you)\s+)?(?:(?:should|must|will)\s+)?"
    r"(?:be|is|returns?|gives?|yields?|outputs?)\s*:?\s*(?P<value>[^\n]+)",
    re.IGNORECASE,
)
_AFTER_CONTAINER = re.compile(r"[\])}](?=[ \t]*(?:=+>|-+>|→|➞|⇒))[ \t]*(?:=+>|-+>|→|➞|⇒)[ \t]*")
_BOLD = re.compile(r"\*\*((?:sample |expected )?(?:inputs?|outputs?)\s?\d?:?)\*\*", re.IGNORECASE)
_MAX_CONTAINER = 2_000
_JSON_WORD = re.compile(r"\b(?:true|false|null)\b")
_FOR_THE_OUTPUT = re.compile(
    r"\b(?:for|if|given|with|"
    r"when)\s+(?:the\s+)?(?:inputs?\s+)?(?P<given>\w+\s*=\s*[^\n]{1,300}?)\s*,?\s*(?:then\s+)?(?:t"
    r"he\s+)?"
    r"(?:output|result|answer|return value|function|it)\s+(?:(?:should|must|will|would)\s+)?(?:be|"
    r"is|returns?|equals?|gives?)"
    r"\s*:?\s*(?P<value>[^\n]+)",
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
