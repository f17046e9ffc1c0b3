"""`eval`, `exec` and `compile` as the test file sees them: the implementation's text would run in the driver."""

import ast
import builtins
import sys
from types import CodeType
from typing import Any, Final

from refute.driver.errors import CannotCarry

VALUES: Final = (
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Call, ast.keyword, ast.Attribute, ast.Tuple, ast.List,
    ast.Dict, ast.Set, ast.Starred, ast.UnaryOp, ast.UAdd, ast.USub, ast.Invert, ast.Not, ast.BinOp, ast.Add, ast.Sub,
    ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitOr, ast.BitAnd, ast.BitXor,
)  # fmt: skip
"""What the text of a value is made of: `Point(x=1, y=[2, 3])`."""
DATA: Final = frozenset(
    {"builtins", "collections", "datetime", "decimal", "fractions", "uuid", "ipaddress", "pathlib", "array"}
)
"""Modules of Python's own whose classes do nothing but hold data."""
TYPES: Final = {name: one for name, one in vars(builtins).items() if isinstance(one, type) and one is not type}
ELSEWHERE: Final = "needs the implementation in the test's process: runs text as code there"


def evaluate(source: Any, names: Any = None, local: Any = None, /) -> Any:
    """The value that a text describes, as `repr` writes it: classes are called, nothing else.

    Raises:
        CannotCarry: the text is more than a value.
        SyntaxError: it is no expression, as `eval` says it.
    """
    if isinstance(source, CodeType):
        raise CannotCarry(ELSEWHERE)
    frame = sys._getframe(1)  # noqa: SLF001  # as the real one: by default the names of where it is called
    names = frame.f_globals if names is None else names
    local = frame.f_locals if local is None and names is frame.f_globals else local
    text = source.strip() if isinstance(source, str) else source
    tree = ast.parse(text, mode="eval")
    scope = {**names, **(local or {})}
    for node in ast.walk(tree):
        if not isinstance(node, VALUES) or (isinstance(node, ast.Attribute) and node.attr.startswith("_")):
            raise CannotCarry(ELSEWHERE)
        if isinstance(node, ast.Call) and not _makes_a_value(_found(node.func, scope)):
            raise CannotCarry(ELSEWHERE)
    return builtins.eval(compile(tree, "<value>", "eval"), {**scope, "__builtins__": TYPES}, {})  # noqa: S307  # a value


def refuse(*_: Any, **__: Any) -> Any:
    """Text is not run in the driver.

    Raises:
        CannotCarry: always.
    """
    raise CannotCarry(ELSEWHERE)


def _found(function: ast.expr, scope: dict[str, Any]) -> Any:
    """What a call's function is: a name, or an attribute of one."""
    if isinstance(function, ast.Name):
        return scope.get(function.id, getattr(builtins, function.id, None))
    if isinstance(function, ast.Attribute):
        return getattr(_found(function.value, scope), function.attr, None)
    return None


def _makes_a_value(called: Any) -> bool:
    """Whether it is a class of plain data, of the test file, or one that stands for the implementation's."""
    if not isinstance(called, type) or issubclass(called, type) or called is super:
        return False
    top = str(called.__module__).partition(".")[0]
    return top in DATA or top not in sys.stdlib_module_names
