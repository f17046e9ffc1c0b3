"""Examples inside prose: `f(3) == 4`, `f(3) -> 4`, `f(3)  # returns 4`, `f(3) raises E`."""

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from refute.adversary.property.doubts import OWN_LINE, doubtful
from refute.adversary.property.expected import Expected, Raises, Value, read_abbreviated, read_prefix, read_raised
from refute.adversary.property.expressions import dotted, parse_expression, source_of
from refute.adversary.property.namespace import STANDARD_MODULES, WRAPPERS

_CALL = re.compile(r"(?<![\w.'\"])([^\W\d]\w*(?:\.\w+)*)\s?(?=\()")
_MAX_CALLS = 300
_MAX_CALL_CHARACTERS = 2_000
_CONNECTOR = re.compile(
    r"""[`\s]*(?:
      (?P<raises>(?:\#\s*|//\s*)?(?:=+>|-+>|→|➞|⇒|➜)?\s*(?:should\s+|must\s+|will\s+|would\s+)?(?:raises?|throws?)\b\s*:?)
    | (?P<equal>===?(?!>)|\bis(?=\s+(?:True|False|None)\b))
    | (?P<arrow>(?:\#\s*)?(?:=+>|-+>|→|➞|⇒|➜|↦|⟶|⟹|—>|–>|≈)\s*(?:returns?\b)?)
    | (?P<comment>(?:\#|//)\s*(?:(?:it\s+)?(?:returns?|gives?|yields?|outputs?|prints?|evaluates\s+to
        |result(?:\s+is)?|is)\b|={1,2})?\s*:?)
    | (?P<single>=(?![=>]))
    | (?P<colon>:(?=[ \t]))
    | (?P<below>(?=[ \t]*\n[ \t]*\S))
    | (?P<word>(?:should|must|will|would|shall)?\s*(?:returns?|gives?|yields?|produces?|evaluates?\s+to|results?\s+in
        |equals?(?:\s+to)?|is\s+equal(?:\s+to)?|be\s+equal(?:\s+to)?|be|is|outputs?)\b\s*:?)
    )[ \t`]*(?:\n[ \t]*){0,2}""",
    re.VERBOSE,
)
_EXAMPLE_WORD = re.compile(
    r"\b(?:e\.g\.|eg\.?|for example|for instance|such as|examples?|i\.e\.|test ?cases?|(?:tests|cases|samples?)\s*:)",
    re.IGNORECASE,
)
_OPERATOR = re.compile(r"[\w)\]'\"]([ \t]*)(?:\*\*|//|<<|>>|<=|>=|==|!=|[-+*/%&|^@<>])\1\Z|(?:^|(?<=[\s`(\[,:]))[-~]\Z")
"""`2 * f(3) == 12` says nothing of `f(3)` alone."""
_RESPECTIVELY = re.compile(r"[^.\n]{0,200}\brespectively\b")
"""`f(1) and f(2) return 3 and 4 respectively`: the first value is not the last call's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inline:
    """One example found in prose."""

    expression: ast.expr
    expected: Expected
    strict: bool
    """Whether it is written as Python's `==`, where a list is no tuple."""
    weak: bool
    """Whether a lone `=` connects it: in a definition that may be mathematics rather than code."""
    quote: str
    start: int
    """Position in the text."""


def read_inline(text: str, known: frozenset[str]) -> list[Inline]:
    """All examples in a text (without its `>>>` blocks) whose calls start with a known name.

    Args:
        text: prose; positions in the answer refer to it.
        known: public names of the implementation and its modules.

    Left out: calls under a condition or a negation ("if …", "unlike …"), values that prose continues ("9 items"),
    and a call for which the text writes down two different values.
    """
    return consistent(_calls(text, known))


def _calls(text: str, known: frozenset[str]) -> Iterator[Inline]:
    end_of_last = 0
    for hit in itertools.islice(_CALL.finditer(text), _MAX_CALLS):
        root = hit[1].partition(".")[0]
        if hit.start() < end_of_last or root not in known | WRAPPERS | STANDARD_MODULES:
            continue
        end = end_of_call(text, hit.end())
        node = parse_expression(text[hit.start() : end]) if end else None
        if end is None or node is None or not calls_known(node, known):
            continue
        if doubtful(text, hit.start()) and not _listed(text, hit):
            continue
        end_of_last = end
        example = None if _OPERATOR.search(text[: hit.start()][-20:]) else _connected(text, hit.start(), end, node)
        if example is not None:
            yield example


def _listed(text: str, call: re.Match[str]) -> bool:
    """Whether a call begins one of several lines that begin so: a list of examples has no condition above it."""
    begun = [one for one in re.finditer(rf"{re.escape(call[1])}\(", text) if OWN_LINE.search(text[: one.start()])]
    return len(begun) > 1 and call.start() in {one.start() for one in begun}


def _connected(text: str, start: int, end: int, node: ast.expr) -> Inline | None:
    link = _CONNECTOR.match(text, end)
    if link is None:
        return None
    rest = text[link.end() : link.end() + _MAX_CALL_CHARACTERS]
    weak = link.lastgroup == "single" and _mathematical(node)
    if weak and not _among_examples(text, start):
        return None
    own_line = link.lastgroup in {"colon", "below"}
    if (own_line and not OWN_LINE.search(text[:start])) or _RESPECTIVELY.match(text, end):
        return None
    code = link.lastgroup in {"equal", "single"}
    expected: Expected | None = None
    if link.lastgroup == "raises":
        expected, length = read_raised(rest) or (None, 0)
    else:
        expected, length = _raised(rest), len(rest.partition("\n")[0].rstrip(" ."))
        if expected is None:
            value, length = value_at(rest, code=code) or (None, 0)
            expected = (read_abbreviated(value) or value) if value is not None else None
    if expected is None or (own_line and rest[length:].partition("\n")[0].strip("` \t.,;")):
        return None
    return Inline(
        expression=node,
        expected=expected,
        strict=link.lastgroup == "equal",
        weak=weak,
        quote=text[start : link.end() + length].rstrip(),
        start=start,
    )


def _mathematical(call: ast.expr) -> bool:
    """Whether a call passes only what a mathematical definition does: no texts, containers, arguments by name."""
    return not any(
        isinstance(node, ast.keyword | ast.List | ast.Tuple | ast.Dict | ast.Set)
        or (isinstance(node, ast.Constant) and not isinstance(node.value, int | float))
        for node in ast.walk(call)
    )


def value_at(rest: str, *, code: bool) -> tuple[Value, int] | None:
    """The value with which a text starts and its length; bracketed ones may go on over several lines."""
    line = rest.partition("\n")[0]
    if line[:1] in {"[", "(", "{"} or line[:3] in {'"""', "'''"}:
        return read_prefix(rest, code=code)
    return read_prefix(line, code=code)


def _raised(rest: str) -> Raises | None:
    """`f(-1) -> ValueError`: an exception as the whole right-hand side."""
    line = rest.partition("\n")[0]
    hit = re.match(r"(?:raises?\s+)?(?:an?\s+)?`?(\w+(?:Error|Exception))`?(?:\s*[:(.,;].*)?\s*$", line)
    return Raises(name=hit[1]) if hit else None


def calls_known(node: ast.expr, known: frozenset[str]) -> bool:
    """Whether an expression calls anything that starts with a known name."""
    calls = [dotted(n.func) or "" for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(name.partition(".")[0] in known for name in calls)


def end_of_call(text: str, opening: int) -> int | None:
    """Where the call's trailers end: `f(…)`, `C(…).m(…)`, `f(…)[0]`."""
    position = opening
    while True:
        closed = _closing(text, position)
        if closed is None:
            return None
        position = closed
        attribute = re.match(r"\.[^\W\d]\w*(?=[(\[]|\s|`|$|\.)", text[position : position + 80])
        if attribute:
            position += attribute.end()
        if text[position : position + 1] not in {"(", "["}:
            return position


def _closing(text: str, opening: int) -> int | None:
    """The position after the bracket that closes the one at `opening`, quotes respected."""
    depth, quote, position = 0, "", opening
    limit = min(len(text), opening + _MAX_CALL_CHARACTERS)
    while position < limit:
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return None


def _among_examples(text: str, start: int) -> bool:
    """Whether the position follows an "Example" word within its section."""
    return bool(_EXAMPLE_WORD.search(text[max(0, start - 1_500) : start]))


def consistent(found: Iterable[Inline]) -> list[Inline]:
    """Without calls that are given two values, and without lone `=` that disagree in type with the other examples."""
    found = list(found)
    values: dict[str, set[str]] = {}
    for example in found:
        if isinstance(example.expected, Value):
            values.setdefault(source_of(example.expression), set()).add(source_of(example.expected.plain))
    torn = {call for call, written in values.items() if len(written) > 1}
    kinds = {_shape(example) for example in found if isinstance(example.expected, Value)}
    kept = [example for example in found if source_of(example.expression) not in torn]
    if torn or len(kinds) > 1:
        kept = [example for example in kept if not example.weak]
    return [replace(example, quote=example.quote[:300]) for example in kept]


def _shape(example: Inline) -> str:
    plain = example.expected.plain if isinstance(example.expected, Value) else None
    match plain:
        case ast.Constant(value=value):
            return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
        case ast.UnaryOp(operand=ast.Constant()):
            return "number"
        case _:
            return type(plain).__name__
