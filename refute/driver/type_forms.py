"""Types as values, `list[int]`, `int | None`, `Callable[[int], str]`: taken apart, and made again by the other side."""

import ast
import types
import typing
from collections.abc import Callable
from functools import reduce
from operator import or_
from types import ModuleType
from typing import Any, Final

from refute.driver.errors import CannotCarry


def _form(name: str) -> Any:
    """`Union`, `Literal`, `List` without arguments."""
    found = vars(typing).get(name)
    if type(found) not in BARE:
        raise ValueError(f"typing has no form {name!r}")
    return found


def _carried(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Text among the arguments is code that `get_type_hints` runs, so it is passed in neither direction.

    Raises:
        CannotCarry: there is some.
    """
    if _has_text(args):
        raise CannotCarry("needs the implementation in the test's process: passes a type that is written as text to it")
    return args


def _taken(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """As it arrives: whoever writes text there did not come by `_carried`."""
    if _has_text(args):
        raise ValueError("a type's argument is text")
    return args


def _has_text(args: tuple[Any, ...]) -> bool:
    return any(isinstance(one, str | typing.ForwardRef) for one in args)


def _parts(value: Any) -> list[Any] | None:
    """`List[int]` by its name in typing; `Box[int]`, of a class that may be anybody's, is no value."""
    origin = value.__origin__
    named = "Union" if origin is typing.Union else value._name or getattr(origin, "_name", None)  # noqa: SLF001  # what typing shows it by
    if type(vars(typing).get(str(named))) not in BARE:
        return None
    return [named, *(value.__args__ if named == "Literal" else _carried(value.__args__))]


def _subscribed(name: str, *args: Any) -> Any:
    form: Any = _form(name)
    if name == "Literal":
        return form[args]
    if name == "Callable":
        *first, last = _taken(args)
        return form[... if first == [...] else first, last]
    return form[_taken(args)]


BARE: Final = tuple({type(getattr(typing, name)) for name in ("Union", "List", "Tuple", "Callable", "Literal", "Dict")})
_kinds: Final[dict[str, type]] = {name: vars(typing)[name] for name in vars(typing) if name.endswith("GenericAlias")}
TYPE_FORMS: Final[dict[type, tuple[str, Callable[[Any], list[Any] | None], Callable[..., Any]]]] = {
    types.GenericAlias: (
        "alias",
        lambda v: [v.__origin__, *_carried(v.__args__)],
        lambda origin, *args: types.GenericAlias(origin, _taken(args)),
    ),
    types.UnionType: ("or", lambda v: list(v.__args__), lambda *args: reduce(or_, args)),
    **{
        _kinds[f"_{name}GenericAlias"]: ("subscribed", _parts, _subscribed)
        for name in ("Union", "Literal", "", "Callable")
    },
    **{kind: ("form", lambda v: [v._name], _form) for kind in BARE},  # noqa: SLF001  # as above
}
"""As `plain_values.VALUES`: type → name on the wire, what takes it apart (None: it is no value), what makes it."""


PARTS: Final = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List),
    *(ast.BinOp, ast.BitOr, ast.Constant, ast.Load),
)
"""What a type is written of: nothing that calls."""
MOST: Final = 1_000
"""Characters of a type."""


def as_type(written: Any, module: ModuleType | None) -> Any:
    """The type that a text names in the test's module, since there is no such module where it goes.

    Returns:
        What is no text, or names nothing there, as it is.
    """
    if not isinstance(written, str) or module is None or len(written) > MOST:
        return written
    try:
        tree = ast.parse(written, mode="eval")
        if not all(isinstance(node, PARTS) for node in ast.walk(tree)):
            return written
        return eval(compile(tree, "<annotation>", "eval"), vars(module))  # noqa: S307  # names and subscripts
    except Exception:  # as it would be for whoever asks for it there
        return written
