"""The right-hand side of an example: which value, exception or text a person wrote down."""

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from refute.adversary.property.expressions import dotted, parse_expression, source_of

_WORDS_FOR_CONSTANTS = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nil": None,
    "TRUE": True,
    "FALSE": False,
}
_VALUE_CALLS = frozenset(
    {"set", "frozenset", "dict", "list", "tuple", "float", "complex", "bytearray", "range", "bytes"}
)
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "−": "-"})
_AFTER = re.compile(
    r"""\s*[;,)`]|\*\*(?:[\s.,;:)]|$)|\s+\#|\s*//|\s+\(|\s+[-–—]{1,2}\s|\.(?:\s|`|$)|\s*$|\s*\n
    |\s+(?:and|because|since|as|for|but|while|which|whereas|where|example|e\.g\.|due|by|not|rather|instead|unlike)\b""",
    re.VERBOSE,
)
"""What may follow a value in prose. `f(9) returns 9 items` and `3 or 4` are no values."""
_RAISED = re.compile(
    r"\s*(?:an? |the )?`?(?P<name>(?:\w+\.)*[A-Z]\w*)`?(?:\s*\([^)]*\))?(?!\w)(?!\s*,?\s*(?:if|"
    r"when|whenever|unless|only|on|or|for|where|while|after|from)\b)"
)
_ABBREVIATED = re.compile(r"(?P<quote>['\"])(?P<start>[0-9a-fA-F]{4,})(?:\.\.\.|…)(?P<end>[0-9a-fA-F]*)(?P=quote)")
_MAX_CUTS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value to compare with; `node` holds `_Near(…)` calls where floats are written."""

    node: ast.expr
    plain: ast.expr
    """The same without `_Near`."""
    written: str
    """The characters in the text."""

    @property
    def source(self) -> str:
        """Python for the generated file."""
        return source_of(self.node)

    @property
    def in_brackets(self) -> bool:
        """Whether it is one plain value in round brackets, `('a')`: whoever writes that may mean a tuple of it."""
        return isinstance(self.plain, ast.Constant) and self.written.startswith("(") and self.written.endswith(")")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raises:
    """An exception; only its type counts, messages are not part of an example's promise."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What is printed or shown, word for word (`...` stands for anything)."""

    text: str


Expected = Value | Raises | Text


def read_value(text: str, *, code: bool = False) -> Value | None:
    """The whole text as a value; None where it is prose or computes something.

    Args:
        text: e.g. `[1, 2.50]`, `{'a'}`, `true`, `Decimal('1.5')`, `19 - 5 - 6 = 8`.
        code: whether it stands after `==`, where any arithmetic is meant as such (else `3-5` may be a span).
    """
    text = text.strip().strip("`").strip().translate(_QUOTES)
    *steps, text = re.split(r"\s==?\s", text)
    if any((step := parse_expression(part)) is None or not _is_arithmetic(step) for part in steps):
        return None
    node = parse_expression(text)
    if node is None or (isinstance(node, ast.Tuple) and not text.startswith("(")):
        return None
    node = _Constants().visit(node)
    if not _is_value(node, text, code=code):
        return None
    near = _Floats(text).visit(copy.deepcopy(node))
    return Value(node=near, plain=node, written=text)


def read_abbreviated(value: Value) -> Text | None:
    """A digest of which only a part is written down, as what may stand for all of it; None for any other value."""
    hit = _ABBREVIATED.fullmatch(value.written)
    return Text(text=f"{hit['start']}...{hit['end']}") if hit else None


def read_raised(text: str) -> tuple[Raises, int] | None:
    """The exception named right after "raises" and where its name ends; None where a condition follows."""
    hit = _RAISED.match(text)
    return (Raises(name=hit["name"]), hit.end("name")) if hit else None


def read_prefix(text: str, *, code: bool = False) -> tuple[Value, int] | None:
    """The value that the text starts with and where it ends, when what follows cannot belong to it."""
    for cut in _cuts(text):
        piece = re.sub(r"(?<=\d)\.$", "", text[:cut].rstrip())  # a full stop, not a float
        if piece.endswith(","):
            continue  # `3, not 5` is no pair
        node = parse_expression(piece.strip("` "))
        if isinstance(node, ast.Tuple) and not piece.lstrip("` ").startswith("("):
            if all(_is_value(item, piece, code=code) for item in node.elts):
                return None  # `2, 1` may be a pair or two thoughts
            continue
        value = read_value(piece, code=code)
        if value is not None:
            return value, cut
    return None


def _cuts(text: str) -> Iterator[int]:
    """Where the value may end, longest first."""
    ends = sorted({hit.start() for hit in _AFTER.finditer(text)} | {len(text)}, reverse=True)
    if text[:1] in "[({":
        yield from ends[-_MAX_CUTS * 10 :]
    else:
        yield from ends[-_MAX_CUTS:]


def _is_arithmetic(node: ast.AST) -> bool:
    allowed = ast.BinOp | ast.UnaryOp | ast.Constant | ast.operator | ast.unaryop
    return all(isinstance(inner, allowed) for inner in ast.walk(node))


def _is_value(node: ast.AST, text: str, *, code: bool) -> bool:  # noqa: PLR0911  # one per kind of node
    match node:
        case ast.Constant(value=value):
            return value is not Ellipsis
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return all(_is_value(item, text, code=code) for item in items)
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and _is_value(key, text, code=code) for key in [*keys, *values])
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is_value(operand, text, code=code)
        case ast.BinOp(left=left, op=op, right=right):
            spaced = code or isinstance(op, ast.Pow) or (_is_arithmetic(node) and _operator_spaced(node, text))
            return spaced and _is_value(left, text, code=code) and _is_value(right, text, code=code)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            inner = [*arguments, *(keyword.value for keyword in keywords)]
            return _builds_value(function) and all(_is_value(item, text, code=code) for item in inner)
        case ast.Attribute():
            return dotted(node) is not None
        case ast.Name(id=name):
            return name in {"inf", "nan"}
        case _:
            return False


def _builds_value(function: ast.expr) -> bool:
    """Constructors: `set()`, `Decimal('1')`, `datetime.date(2020, 1, 1)`, `Point(1, 2)`; not `f(3)`."""
    name = dotted(function)
    if name is None:
        return False
    last = name.rpartition(".")[2]
    return name in _VALUE_CALLS or last[:1].isupper()


def _operator_spaced(node: ast.BinOp, text: str) -> bool:
    """`2 + 3`, not `3-5` or `2020-10-12`."""
    end, start = node.left.end_col_offset, node.right.col_offset
    between = text.encode()[end:start].decode(errors="replace")
    return between.startswith((" ", ")")) and between.endswith((" ", "("))


class _Constants(ast.NodeTransformer):
    """`true`, `null` and their like, as other languages write them; `inf` and `nan` as floats print them."""

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name is ast's
        if node.id in _WORDS_FOR_CONSTANTS:
            return ast.Constant(value=_WORDS_FOR_CONSTANTS[node.id])
        if node.id in {"inf", "nan"}:
            return ast.Call(func=ast.Name(id="float", ctx=ast.Load()), args=[ast.Constant(value=node.id)], keywords=[])
        return node


class _Floats(ast.NodeTransformer):
    """Floats become `_Near(value, within)`, outside computations, calls, sets and keys."""

    def __init__(self, text: str) -> None:
        self.text = text

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        written = ast.get_source_segment(self.text, node)
        if not isinstance(node.value, float) or written is None:
            return node
        try:
            exponent = Decimal(written.replace("_", "")).as_tuple().exponent
        except InvalidOperation:
            return node
        if not isinstance(exponent, int):
            return node
        half_unit = 0.5 * 10.0 ** min(exponent, -1)
        within = float(f"{max(half_unit, 1e-9 * abs(node.value)) * (1 + 1e-9):.10g}")
        return ast.Call(
            func=ast.Name(id="_Near", ctx=ast.Load()),
            args=[ast.Constant(value=node.value), ast.Constant(value=within)],
            keywords=[],
        )

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        inner = self.visit(node.operand)
        if isinstance(inner, ast.Call) and isinstance(node.op, ast.USub) and source_of(inner.func) == "_Near":
            value, within = inner.args
            if isinstance(value, ast.Constant) and isinstance(value.value, float):
                inner.args = [ast.Constant(value=-value.value), within]
                return inner
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        node.values = [self.visit(value) for value in node.values]
        return node

    def _as_written(self, node: ast.expr) -> ast.expr:
        return node

    visit_BinOp = visit_Call = visit_Set = _as_written  # noqa: N815
