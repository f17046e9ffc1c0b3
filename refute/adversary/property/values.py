"""The right-hand side of an example: which value, exception or text a person wrote down."""

import ast
import copy
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from refute.adversary.property.expressions import dotted, parse_expression, substituted
from refute.adversary.tables import pattern

_WORDS: Final[Mapping[str, ast.expr]] = {
    **{
        spelled: ast.Constant(value=value)
        for word, value in (("true", True), ("false", False), ("null", None), ("none", None), ("nil", None))
        for spelled in (word, word.upper())
    },
    **{
        word: ast.Call(func=ast.Name(id="float", ctx=ast.Load()), args=[ast.Constant(value=word)], keywords=[])
        for word in ("inf", "nan")
    },
}
"""As other languages write them, and as floats print them."""
_BUILDERS: Final = frozenset(
    {"set", "frozenset", "dict", "list", "tuple", "float", "complex", "bytearray", "range", "bytes"}
)
_ARITHMETIC: Final = re.compile(r"[\d\s.+*/()-]+")
_CUT_SHORT: Final = re.compile(r"(?:[\da-fA-F]{4,})?(?:\.\.\.|…)[\da-fA-F]*")
"""A digest of which only a part is written down, and what stands for any text."""
_ALONE: Final = re.compile(r"(?:(?<=Error)|(?<=Exception))`*\s*?(?:[:(.,;)\n]|\Z)")
_MAX_CUTS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value to compare with."""

    plain: ast.expr
    written: str
    """The characters in the text."""

    @property
    def source(self) -> str:
        """Python for the generated file, in which `pytest.approx(…)` stands for each float."""
        return ast.unparse(_near(copy.deepcopy(self.plain), self.written))


@dataclass(frozen=True, slots=True, kw_only=True)
class Raises:
    """An exception by its type; what it says counts where a ticket's own session shows it."""

    name: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What is printed or shown, word for word (`...` stands for anything)."""

    text: str


Expected = Value | Raises | Text


def read_value(text: str, *, strict: bool = False) -> Value | None:
    """The whole text as a value; None where it is prose or calls what is no class.

    Args:
        text: e.g. `[1, 2.50]`, `{'a'}`, `true`, `Decimal('1.5')`, `19 - 5 - 6 = 8`.
        strict: whether it is Python, where `3-5` is arithmetic and no span.
    """
    text = text.strip("` \t\n")
    *steps, last = re.split(r"\s==?\s", text)
    text = last if all(map(_ARITHMETIC.fullmatch, steps)) else text
    node = parse_expression(text)
    if node is None or (isinstance(node, ast.Tuple) and not text.startswith("(")):
        return None
    node = substituted(node, _WORDS)
    computed = any(isinstance(inner, ast.BinOp) for inner in ast.walk(node))
    is_span = computed and not strict and re.search(r"\w[-/]\w", text)
    return Value(plain=node, written=text) if _is_value(node) and not is_span else None


def leading_value(text: str, *, strict: bool = False) -> tuple[Value, int] | None:
    """The value that the text starts with and where it ends; None where what follows may belong to it.

    One in brackets may go on over several lines.
    """
    if text[:1] not in {"[", "(", "{"} and text[:3] not in {'"""', "'''"}:
        text = text.partition("\n")[0]
    ends = sorted({hit.start() for hit in pattern("end").finditer(text)} | {len(text)}, reverse=True)
    for cut in itertools.islice(filter(None, ends), _MAX_CUTS):
        piece = re.sub(r"(?<=\d)\.$", "", text[:cut].strip("` "))  # a full stop, not a float
        if not piece or piece.endswith(","):
            continue
        if (value := read_value(piece, strict=strict)) is not None:
            return value, cut
        if read_value(f"({piece})", strict=strict) is not None:
            return None  # `2, 1` may be a pair or two thoughts
    return None


def read_raised(text: str, *, named: bool) -> tuple[Raises, int] | None:
    """The exception with which a text starts and where its name ends; None where a condition follows.

    Args:
        text: what stands behind "raises" or an arrow.
        named: whether its name has to say that it is one, and to be all that is said.
    """
    hit = pattern("raised").match(text)
    if hit is None or (named and not _ALONE.match(text, hit.end("name"))):
        return None
    return (Raises(name=hit["name"]), hit.end("name"))


def _is_value(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return value is not Ellipsis and not (isinstance(value, str) and _CUT_SHORT.fullmatch(value))
        case ast.Attribute():
            return dotted(node) is not None
        case ast.Call(func=function, args=arguments, keywords=keywords):  # `set()`, `Point(1, 2)`; not `f(3)`
            name = dotted(function) or ""
            builds = name in _BUILDERS or name.rpartition(".")[2][:1].isupper()
            return builds and all(map(_is_value, [*arguments, *(keyword.value for keyword in keywords)]))
        case ast.UnaryOp(op=ast.Not() | ast.Invert()):
            return False
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.UnaryOp() | ast.BinOp():
            return all(_is_value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        case _:
            return False


def _near(node: ast.expr, text: str) -> ast.expr:
    """The same with `pytest.approx(value, abs=within)` for floats, outside of computations, calls, sets and keys."""
    match node:
        case ast.Constant(value=float(value)) | ast.UnaryOp(operand=ast.Constant(value=float(value))):
            written = (ast.get_source_segment(text, node) or repr(value)).replace("_", "")
            exponent = int(Decimal(re.sub(r"\s", "", written)).as_tuple().exponent)
            within = float(f"{max(0.5 * 10.0 ** min(exponent, -1), 1e-9 * abs(value)) * (1 + 1e-9):.10g}")
            near = ast.Attribute(value=ast.Name(id="pytest", ctx=ast.Load()), attr="approx", ctx=ast.Load())
            return ast.Call(func=near, args=[node], keywords=[ast.keyword(arg="abs", value=ast.Constant(value=within))])
        case ast.List(elts=items) | ast.Tuple(elts=items):
            node.elts = [_near(item, text) for item in items]
        case ast.Dict(values=items):
            node.values = [_near(item, text) for item in items]
        case _:
            pass
    return node
