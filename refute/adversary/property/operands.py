"""Where the expression begins that a call in prose is a part of: `2 * f(3) == 12` says nothing of `f(3)` alone."""

import ast
import re

from refute.adversary.property.expressions import parse_expression

_UNARY = re.compile(r"(?:^|(?<=[\s`(\[,:]))[-~]\Z")
_BINARY = re.compile(
    r"(?<=[\w)\]'\"])(?P<blank>[ \t]*)(?:(?:\*\*|//|<<|>>|<=|>=|==|!=|[+*/%&|^@<>])(?P=blank)"
    r"|(?<=[)\]\d'\"])-|(?<=[)\]\d'\"] )- )\Z"
)
"""As many blanks before as behind: `**f(1)**` is bold, and a dash after a word is a dash."""
_OPERAND = re.compile(r"(?<![\w.])[\w.]+\s*\S{1,2}\s*\Z")
_REACH = 200
"""Characters before a call in which its operators are looked for."""


def whole_start(text: str, start: int, end: int, earlier: int) -> int | None:
    """Where the whole expression begins that ends with a call.

    Args:
        text: prose.
        start: of the call.
        end: of the call.
        earlier: where the call before this one begins, which may be the left operand.

    Returns:
        `start` where no operator stands before the call; None where the left operand is not understood.
    """
    before = text[max(0, start - _REACH) : start]
    if _UNARY.search(before):
        return start - 1
    if not _BINARY.search(before):
        return start
    operand = _OPERAND.search(before)
    for candidate in (earlier, start - len(before) + operand.start() if operand else start):
        if start - _REACH <= candidate < start and isinstance(parse_expression(text[candidate:end]), ast.BinOp):
            return candidate
    return None
