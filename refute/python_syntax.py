"""Python's parser, for several threads at once.

CPython 3.11 counts the depth of the trees it builds for the whole interpreter, not for each thread: two threads that
parse at the same time get a SystemError or a RecursionError for text that has no fault (cpython issue 106905, seen in a
batch). Whatever parses in refute's own processes does it here; ruff refuses `ast.parse` elsewhere.
"""

import ast
import io
import operator
import re
import threading
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, overload

UNPARSABLE: Final = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing raises for a text that is no Python, or more than the parser bears."""
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = MappingProxyType(
    {
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
        ast.In: lambda left, right: left in right,
        ast.NotIn: lambda left, right: left not in right,
    }
)
"""What comparing operators do, for those that work expressions out as data."""
_SILENT: Final = frozenset({"annotation", "returns", "type_comment", "type_params", "kind", "simple"})
"""Fields of syntax that change nothing of what code does."""
_ONE_AT_A_TIME: Final = threading.RLock()
"""Reentrant: a collection of garbage may run code that parses, in the midst of parsing."""
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


@overload
def parse_python(source: str | bytes) -> ast.Module: ...


@overload
def parse_python(source: str | bytes, *, mode: Literal["eval"]) -> ast.Expression: ...


def parse_python(source: str | bytes, *, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """As `ast.parse`.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: the text cannot be parsed.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(source, mode=mode)  # type: ignore[return-value]  # noqa: TID251  # the one place


def parsed_or_none(source: str | bytes) -> ast.Module | None:
    """A module's tree; None where it cannot be parsed. Hostile text nests deep: that is an answer too."""
    try:
        return parse_python(source)
    except UNPARSABLE:
        return None


def expression_or_none(text: str) -> ast.expr | None:
    """The expression that a text is, white space around it aside; None where it is none."""
    try:
        return parse_python(text.strip(), mode="eval").body
    except UNPARSABLE:
        return None


def literal_of(node: ast.AST) -> tuple[Any] | None:
    """The value of a literal, in a box since it may be None; None where the code is more than that."""
    try:
        return (ast.literal_eval(node),)
    except (*UNPARSABLE, TypeError):
        return None


def python_lines(source: str, *, keep_ends: bool = False) -> list[str]:
    """A source's lines as Python numbers them; without their ends, or joined the source again.

    `str.splitlines` knows more breaks, by which code could be left out of sight.
    """
    return list(io.StringIO(source, newline="")) if keep_ends else _LINE_BREAK.split(source)


def nests_deeper(tree: ast.AST, levels: int) -> bool:
    """Whether a tree has more levels than this; told without recursion."""
    level: list[ast.AST] = [tree]
    for _ in range(levels):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def form_of(value: object, *, without: Collection[str] = ()) -> object:
    """Syntax to compare by: without places, annotations and layout.

    Args:
        value: a node, or what a field of one holds.
        without: more fields of the node itself that are left out.
    """
    match value:
        case ast.AST():
            left_out = _SILENT.union(without)
            parts = ((name, part) for name, part in ast.iter_fields(value) if name not in left_out)
            return (type(value).__name__, *(form_of(part) for _, part in parts))
        case list():
            return tuple(map(form_of, value))
        case _:
            return repr(value)
