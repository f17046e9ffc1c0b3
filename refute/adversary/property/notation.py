"""Examples in prose, by the rows of notation.toml: `f(3) == 4`, `f(3) -> 4`, `f(3) raises E`, `Input: 3 Output: 4`."""

import ast
import functools
import itertools
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from refute.adversary.property.doubts import doubtful
from refute.adversary.property.expressions import dotted, free_names, parse_expression
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS, STANDARD_MODULES
from refute.adversary.property.sessions import Example, Step
from refute.adversary.property.surface import Function
from refute.adversary.property.values import Expected, Value, leading_value, read_raised, read_value
from refute.adversary.tables import of_kind, said

_CALL: Final = re.compile(r"(?<![\w.'\"])([^\W\d]\w*(?:\.\w+)*)\s?(?=\()")
_QUOTED: Final = re.compile(r"`([^`]+)`")
_CLOSING: Final = re.compile(r"[)\]]")
_GOES_ON: Final = re.compile(r"(?:\.[^\W\d]\w*)*(?=[(\[])")
_ATTRIBUTES: Final = re.compile(r"(?:\.[^\W\d]\w*)*(?=[\s`]|\Z)")
_JOINED: Final = re.compile(r"`?(?:,|,? and)\s+`?")
"""Between calls of which a text goes on to speak at once."""
_PLURAL: Final = re.compile(
    r"[`\s]*(?:(?:all|both|should|must|will)\s+)*(?:are|be|return|give|yield|produce|raise|equal)\b"
)
_MORE: Final = re.compile(r"`?(?:,|,? and)\s+`?(?:[-\d'\"\[({]|True\b|False\b|None\b)")
"""A value behind a value."""
_MAX_CALLS: Final = 300
_MAX_CLOSINGS: Final = 60
_MAX_CHARACTERS: Final = 2_000
"""Of a call, and of what it gives."""
_EXAMPLES_REACH: Final = 1_500
"""Characters behind a word for examples."""


class _Found(NamedTuple):
    call: ast.expr
    expected: Expected
    quote: str
    strict: bool = False
    weak: bool = False
    """Whether a lone `=` connects it: in a definition that may be mathematics rather than code."""


def read_inline(text: str, known: frozenset[str], subject: Function | None = None) -> list[Example]:
    """All examples in a text without its `>>>` blocks.

    Args:
        text: prose.
        known: public names of the implementation and its modules, with which calls start.
        subject: the only function that the text can speak of; only of it are inputs without a call.

    Left out: calls under a condition or a negation ("if …", "unlike …"), values that prose continues ("9 items"),
    and a call for which the text writes down two different values.
    """
    found = _consistent([*_calls(text, known)])
    calls = {ast.unparse(one.call) for one in found}
    if subject is not None and not subject.owner and subject.answers and not subject.wants_objects:
        # Of a call that is written down the words around it may name more than the answer.
        found += [one for one in _consistent([*_given(text, subject)]) if ast.unparse(one.call) not in calls]
    examples = [_example(one.call, one.expected, one.quote, exact=one.strict) for one in found]
    written = " ".join(one.quote for one in found)
    return examples + [_example(node, None, code) for node, code in _comparisons(text, known) if code not in written]


def _example(code: ast.expr, expected: Expected | None, quote: str, *, exact: bool = True) -> Example:
    step = Step(statement=ast.Expr(value=code), expected=expected, source=quote)
    return Example(steps=(step,), quote=quote[:300], exact=exact)


def _comparisons(text: str, known: frozenset[str]) -> Iterator[tuple[ast.expr, str]]:
    """What stands in backticks as a comparison, of more than a call and its value: `[f(n) for n in ns] == [2, 4]`."""
    names = known | ONLY_SAFE_BUILTINS | STANDARD_MODULES
    for hit in itertools.islice(_QUOTED.finditer(text), _MAX_CALLS):
        node = parse_expression(hit[1])
        readable = isinstance(node, ast.Compare) and _reaches(node, known) and free_names([node]) <= names
        if node is not None and readable and not doubtful(text, *hit.span()):
            yield node, hit[1]


def _calls(text: str, known: frozenset[str]) -> Iterator[_Found]:
    end, waiting = 0, list[ast.expr]()  # calls that are joined to the next one, and given nothing yet
    for hit in itertools.islice(_CALL.finditer(text), _MAX_CALLS):
        if hit.start() < end or hit[1].partition(".")[0] not in known | ONLY_SAFE_BUILTINS | STANDARD_MODULES | {"not"}:
            continue
        read = _call_at(text, hit.start())
        if read is None or not _reaches(read[0], known):
            continue
        waiting = waiting if _JOINED.fullmatch(text, end, hit.start()) else []
        end = read[1]
        doubt = doubtful(text, hit.start(), end)
        found = None if doubt else _linked(text, hit.start(), *read, joined=bool(waiting))
        if found is None:
            waiting = [] if doubt else [*waiting, read[0]]
            continue
        behind = hit.start() + len(found.quote)
        # "f(1) and f(2) are True" speaks of both, "… is 3" of what they make together, "… return 3 and 4" of each.
        if not waiting or (_PLURAL.match(text, end) and not _MORE.match(text, behind)):
            yield from (found._replace(call=call) for call in (*waiting, found.call))
        waiting = []


def _call_at(text: str, start: int) -> tuple[ast.expr, int] | None:
    """The call that begins at a position, with what is asked of its result (`C(…).m(…)`, `f(…)[0]`), and its end."""
    found = None
    for closing in itertools.islice(_CLOSING.finditer(text, start, start + _MAX_CHARACTERS), _MAX_CLOSINGS):
        if (node := parse_expression(text[start : closing.end()])) is not None:
            found = node, closing.end()
            if not _GOES_ON.match(text, closing.end()):
                break
    if found is not None and (more := _ATTRIBUTES.match(text, found[1])):
        node = parse_expression(text[start : more.end()])
        return (node, more.end()) if node is not None else found
    return found


def _reaches(node: ast.expr, known: frozenset[str]) -> bool:
    calls = [dotted(inner.func) or "" for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return any(name.partition(".")[0] in known for name in calls)


def _linked(text: str, start: int, call: ast.expr, end: int, *, joined: bool) -> _Found | None:
    for row in of_kind("link"):
        link = _link(row["pattern"]).match(text, end)
        if link is None or (row.get("joined", False) and not joined):
            continue
        strict, weak = row.get("strict", False), row.get("among", False) and _mathematical(call)
        code = strict or row.get("among", False)
        read = _read(row, text[link.end() : link.end() + _MAX_CHARACTERS], strict=code)
        if read is None or (weak and not said("example", text[max(0, start - _EXAMPLES_REACH) : start])):
            return None
        quote = text[start : link.end() + read[1]].rstrip()
        return _Found(call, read[0], quote, strict, weak)
    return None


def _mathematical(call: ast.expr) -> bool:
    """Whether a call passes only what a mathematical definition does: no texts, containers, arguments by name."""
    code = ast.keyword | ast.List | ast.Tuple | ast.Dict | ast.Set
    return not any(isinstance(n, code) or isinstance(getattr(n, "value", None), str) for n in ast.walk(call))


@functools.cache
def _link(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(rf"[`\s]*(?:{pattern.pattern})[ \t`]*(?:\n[ \t]*){{0,2}}")  # a heading `Raises:` links nothing


def _read(row: dict[str, Any], rest: str, *, strict: bool) -> tuple[Expected, int] | None:
    if row["reads"] == "raises":
        return read_raised(rest, named=False)
    return read_raised(rest, named=True) or leading_value(rest, strict=strict)


def _given(text: str, function: Function) -> Iterator[_Found]:
    """Examples that name inputs instead of writing the call."""
    for hit in (one for row in of_kind("given") for one in row["pattern"].finditer(text)):
        call = _call_with(hit["given"], function)
        value = leading_value(text[hit.start("value") : hit.start("value") + _MAX_CHARACTERS])
        if call is not None and value is not None:
            quote = hit[0].strip().partition("\n\n")[0]
            yield _Found(call, value[0], quote)


def _call_with(given: str, function: Function) -> ast.expr | None:
    """The call of a function with what is said to be given; None where that is not plain data for each parameter."""
    given = re.sub(r"\s*\n\s*", ", ", re.sub(r"(?m)^\s*(\w+)\s*:\s", r"\1 = ", given.strip("` \t\n")))
    call = parse_expression(f"{function.name}({given})")
    if not isinstance(call, ast.Call) or not given:
        return None
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    # `1 + 2 -> 3` is what a calculator reads, a text, and not the number 3.
    if not all(read_value(ast.unparse(value)) and not isinstance(value, ast.BinOp) for value in values):
        return None
    known = [one.name for one in function.parameters if not one.variadic and not one.keyword_only]
    required = {one.name for one in function.parameters if one.default is None and not one.variadic}
    names = [*known[: len(call.args)], *(keyword.arg for keyword in call.keywords)]
    complete = required <= set(names) <= set(known)
    return call if complete and len(names) == len(set(names)) == len(values) else None


def _consistent(found: list[_Found]) -> list[_Found]:
    """Without calls that are given two values, and without lone `=` where values are of different kinds."""
    values: dict[str, set[str]] = {}
    for one in found:
        if isinstance(one.expected, Value):
            values.setdefault(ast.unparse(one.call), set()).add(ast.unparse(one.expected.plain))
    torn = {call for call, written in values.items() if len(written) > 1}
    kinds = {_kind(one.expected.plain) for one in found if isinstance(one.expected, Value)}
    unsure = torn or len(kinds) > 1
    return [one for one in found if ast.unparse(one.call) not in torn and not (one.weak and unsure)]


def _kind(value: ast.expr) -> str:
    plain = value.operand if isinstance(value, ast.UnaryOp) else value
    kind = plain.value if isinstance(plain, ast.Constant) else plain
    return "number" if type(kind) in {int, float} else type(kind).__name__
