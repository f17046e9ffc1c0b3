"""What is told of something that can be called: of its code, its parameters, its annotations."""

import contextlib
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, Final

TEXT: Final = 20_000
PLAIN: Final = (type(None), bool, int, float, str)
ITEMS: Final = 50
"""Items of a default that is told as a tuple."""
BUILT_IN: Final = {kind.__name__: kind for kind in (int, float, str, bool, bytes, list, dict, set, tuple, object)}
STARS: Final = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS
Parameter = inspect.Parameter
Shape = tuple[Any, Any, Any]


class Shown:
    """Something of the other process that is only ever looked at: a default, an annotation."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def shape_of(function: Any, annotation: Callable[[Any, Any], Any]) -> Shape:
    """What is told of something that can be called."""
    facts = None
    if type(function) is FunctionType:
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & one) for one in STARS)
        numbers = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        facts = (code.co_name, numbers, code.co_varnames[:count])
    try:
        signature = inspect.signature(function)
    except Exception:
        return facts, None, ()
    parameters = signature.parameters.values()
    annotations = [(one.name, one.annotation) for one in parameters] + [("return", signature.return_annotation)]
    return (
        facts,
        tuple((one.name, int(one.kind), *_default(one.default)) for one in parameters),
        tuple((name, annotation(function, one)) for name, one in annotations if one is not Parameter.empty),
    )


def _default(value: Any) -> tuple[int, Any]:
    """How a default is told: none at all, a plain one, or its text."""
    if value is Parameter.empty:
        return 0, None
    if _is_plain(value) or (type(value) is tuple and len(value) <= ITEMS and all(map(_is_plain, value))):
        return 1, value
    return 2, text_of(value)


def _is_plain(value: Any) -> bool:
    return type(value) in PLAIN and not (isinstance(value, int) and abs(value) > 1 << 62)


def text_of(value: Any) -> str:
    """An annotation or default in words."""
    if isinstance(value, type):
        return value.__qualname__
    if isinstance(value, str):
        return value[:200]
    with contextlib.suppress(Exception):
        return repr(value)[:200]
    return object.__repr__(value)


def shown_signature(shape: Shape) -> inspect.Signature | None:
    """The signature that was told of."""
    _, parameters, _ = shape
    if parameters is None:
        return None
    annotations = shown_annotations(shape)
    built = [
        Parameter(
            str(name),
            inspect._ParameterKind(kind),  # noqa: SLF001  # the only constructor from a number
            default=(Parameter.empty, default, Shown(str(default)))[how],
            annotation=annotations.get(name, Parameter.empty),
        )
        for name, kind, how, default in parameters
    ]
    return inspect.Signature(built, return_annotation=annotations.get("return", Parameter.empty))


def shown_annotations(shape: Shape) -> dict[str, Any]:
    """The annotations that were told of; text is never evaluated, and names a class where that is a plain one."""
    return {str(name): BUILT_IN.get(one, Shown(one)) if type(one) is str else one for name, one in shape[2]}


def shown_attribute(shape: Shape, name: str) -> Any:
    """One of the attributes of a function that say what it takes. Raises AttributeError: what was told of has none."""
    signature = shown_signature(shape)
    if name == "__signature__" and signature is not None:
        return signature
    if shape[0] is None or signature is None:
        raise AttributeError(name)
    if name == "__annotations__":
        return shown_annotations(shape)
    given = [one for one in signature.parameters.values() if one.default is not Parameter.empty]
    if name == "__defaults__":
        return tuple(one.default for one in given if one.kind is not Parameter.KEYWORD_ONLY) or None
    if name == "__kwdefaults__":
        return {one.name: one.default for one in given if one.kind is Parameter.KEYWORD_ONLY} or None
    return _code(*shape[0])


def _template() -> None:
    cannot("needs the implementation in the test's process: copies a function")  # type: ignore[name-defined]  # noqa: F821


def _code(name: str, numbers: tuple[int, int, int, int], names: tuple[str, ...]) -> CodeType:
    """What a function's code says of its parameters; a copy that is run finds `cannot` among the function's globals."""
    positional, only, keyword, flags = map(int, numbers)
    return _template.__code__.replace(
        co_name=str(name), co_argcount=positional, co_posonlyargcount=only, co_kwonlyargcount=keyword,
        co_flags=flags & ~inspect.CO_NESTED, co_varnames=tuple(map(str, names)), co_nlocals=len(names),
    )  # fmt: skip


def is_hidden(name: str) -> bool:
    """Whether an attribute of a function is for whoever made it, or for those who run tests."""
    return name.startswith(("__", "_refute", "_pytest", "_hypothesis"))
