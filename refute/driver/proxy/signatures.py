"""What is told of something that can be called: of its code, its parameters, its annotations."""

import contextlib
import inspect
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any, Final

TEXT: Final = 20_000
PLAIN: Final = (type(None), bool, int, float, str)
ITEMS: Final = 50
"""Items of a default that is told as a tuple."""
BUILT_IN: Final = {kind.__name__: kind for kind in (int, float, str, bool, bytes, list, dict, set, tuple, object)}
STARS: Final = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS
Parameter = inspect.Parameter
Shape = tuple[Any, Any, Any]
FACTS: Final = ("co_name", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_varnames")


class CodeFacts(SimpleNamespace):
    """What a function's code says of its parameters; nothing runs it."""


class Shown:
    """Something of the other process that is only ever looked at: a default, an annotation."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def annotations_of(kind: type) -> dict[str, Any]:
    """The annotations of a class; what is written as text is what it names in the class's module, if it names it."""
    with contextlib.suppress(Exception):
        return inspect.get_annotations(kind, eval_str=True)
    return inspect.get_annotations(kind)


def _signature(function: Any) -> inspect.Signature:
    """As `annotations_of`. Raises Exception: there is none to be known."""
    with contextlib.suppress(Exception):
        return inspect.signature(function, eval_str=True)
    return inspect.signature(function)


def shape_of(function: Any, annotation: Callable[[Any], Any]) -> Shape:
    """What is told of something that can be called."""
    facts = None
    if type(function) is FunctionType:
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & one) for one in STARS)
        facts = (*(getattr(code, name) for name in FACTS[:-1]), code.co_varnames[:count])
    try:
        signature = _signature(function)
    except Exception:
        return facts, None, ()
    parameters = signature.parameters.values()
    annotations = [(one.name, one.annotation) for one in parameters] + [("return", signature.return_annotation)]
    return (
        facts,
        tuple((one.name, int(one.kind), *_default(one.default)) for one in parameters),
        tuple((name, annotation(one)) for name, one in annotations if one is not Parameter.empty),
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


def shown_signature(shape: Shape) -> inspect.Signature:
    """The signature that was told of."""
    annotations = shown_annotations(shape)
    built = [
        Parameter(
            str(name),
            inspect._ParameterKind(kind),  # noqa: SLF001  # the only constructor from a number
            default=(Parameter.empty, default, Shown(str(default)))[how],
            annotation=annotations.get(name, Parameter.empty),
        )
        for name, kind, how, default in shape[1]
    ]
    return inspect.Signature(built, return_annotation=annotations.get("return", Parameter.empty))


def shown_annotations(shape: Shape) -> dict[str, Any]:
    """The annotations that were told of; text is never evaluated, and names a class where that is a plain one."""
    return {str(name): BUILT_IN.get(one, Shown(one)) if type(one) is str else one for name, one in shape[2]}


def shown_attribute(shape: Shape, name: str) -> Any:
    """One of the attributes of a function that say what it takes. Raises AttributeError: what was told of has none."""
    facts, parameters, _ = shape
    if name == "__code__" and facts is not None:
        return CodeFacts(**dict(zip(FACTS, facts, strict=True)))
    if name == "__annotations__" and facts is not None:
        return shown_annotations(shape)
    if name == "__signature__" and parameters is not None:
        return shown_signature(shape)
    if facts is not None and parameters is not None and "defaults__" in name:
        given = [one for one in shown_signature(shape).parameters.values() if one.default is not Parameter.empty]
        by_name = {one.name: one.default for one in given if one.kind is Parameter.KEYWORD_ONLY}
        by_place = tuple(one.default for one in given if one.name not in by_name)
        return (by_place if name == "__defaults__" else by_name) or None
    raise AttributeError(name)


def is_hidden(name: str) -> bool:
    """Whether an attribute of a function is for whoever made it, or for those who run tests."""
    return name.startswith(("__", "_refute", "_pytest", "_hypothesis"))
