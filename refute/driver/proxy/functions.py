"""Functions of the other process: what is told of them, and the function that stands for one here."""

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final
from weakref import WeakKeyDictionary

from refute.driver.proxy.shaping import shaped

Info = list[Any]
TEXT: Final = 20_000
PLAIN: Final = (type(None), bool, int, float, str)
ITEMS: Final = 50
"""Items of a default that is told as a tuple."""
COROUTINE: Final = "coroutine"
GENERATORS: Final = {"generator": "isgeneratorfunction", "async generator": "isasyncgenfunction"}
"""What else a function may be → how `inspect` asks for it."""
GENERATING: Final[WeakKeyDictionary[Any, str]] = WeakKeyDictionary()
"""Stand-ins here for functions that are of GENERATORS there."""


class Shown:
    """Something of the other process that is only ever looked at: a default, an annotation."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def tell(function: Any, name: str) -> Info:
    """What is told of a function: name, qualified name, module, doc, parameters, and what calling it makes."""
    doc = getattr(function, "__doc__", None)
    return [
        _text(getattr(function, "__name__", name), name),
        _text(getattr(function, "__qualname__", name), name),
        _text(getattr(function, "__module__", None), ""),
        doc[:TEXT] if isinstance(doc, str) else None,
        signature_of(function),
        _kind(function),
    ]


def _kind(function: Any) -> str:
    """A coroutine, something of GENERATORS, or nothing that can be told before."""
    if inspect.iscoroutinefunction(function):
        return COROUTINE
    return next((kind for kind, asks in GENERATORS.items() if getattr(inspect, asks)(function)), "")


def ask_of_generators() -> None:
    """Have `inspect` know which stand-ins are for functions that make generators."""
    for kind, name in GENERATORS.items():
        setattr(inspect, name, functools.partial(_makes, kind, getattr(inspect, name)))


def _makes(kind: str, asked: Callable[[Any], bool], function: Any) -> bool:
    plain = function
    while isinstance(plain, functools.partial | MethodType):
        plain = plain.func if isinstance(plain, functools.partial) else plain.__func__
    return asked(function) or (type(plain) is FunctionType and GENERATING.get(plain) == kind)


def stand_in(
    info: Info, call: Callable[..., Any], call_later: Callable[..., Any], *, in_full: bool = False
) -> FunctionType:
    """A function that looks like the one told of.

    Args:
        info: of `tell`.
        call: takes the arguments.
        call_later: as `call`; its result is awaited. For a coroutine function.
        in_full: its code has the parameters, too.
    """
    name, qualname, module, doc, parameters, kind = info
    later = kind == COROUTINE
    signature = shown_signature(parameters)
    written = None
    if in_full and signature is not None:
        written = shaped(str(name), signature, call_later if later else call, later=later)
    if later:

        async def function(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            return await call_later(*args, **kwargs)

    else:

        def function(*args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]  # one of the two
            __tracebackhide__ = True
            return call(*args, **kwargs)

    if written is not None:
        function = written
    function.__name__, function.__qualname__, function.__doc__ = str(name), str(qualname), doc
    function.__module__ = str(module)
    if kind in GENERATORS:
        GENERATING[function] = kind
    if signature is not None:
        function.__signature__ = signature  # type: ignore[attr-defined]
        empty = inspect.Parameter.empty
        shown = {one.name: one.annotation for one in signature.parameters.values() if one.annotation is not empty}
        function.__annotations__ = shown | (
            {"return": signature.return_annotation} if signature.return_annotation is not empty else {}
        )
    return function  # type: ignore[return-value]


def annotate(function: Any, annotations: dict[str, Any]) -> None:
    """Give a function that stands for one of the test's its annotations as what they are.

    Args:
        function: of `stand_in`.
        annotations: parameter, or `return`, and value.
    """
    function.__annotations__ = {**function.__annotations__, **annotations}
    shown = getattr(function, "__signature__", None)
    if shown is not None:
        found = [one.replace(annotation=annotations.get(one.name, one.annotation)) for one in shown.parameters.values()]
        result = annotations.get("return", shown.return_annotation)
        function.__signature__ = shown.replace(parameters=found, return_annotation=result)


def _text(value: Any, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise


def signature_of(function: Any) -> list[list[Any]] | None:
    """The parameters of something that can be called, or None."""
    try:
        signature = inspect.signature(function)
    except Exception:
        return None
    told = [
        [one.name, int(one.kind), *_default(one.default), _annotation(one.annotation)]
        for one in signature.parameters.values()
    ]
    result = signature.return_annotation
    return told if result is inspect.Signature.empty else [*told, ["return", -1, 0, None, _annotation(result)]]


def _default(value: Any) -> list[Any]:
    """How a default is told: none at all, a plain one, its text, or a tuple of plain ones."""
    if value is inspect.Parameter.empty:
        return [0, None]
    if _is_plain(value):
        return [1, value]
    if type(value) is tuple and len(value) <= ITEMS and all(map(_is_plain, value)):
        return [3, list(value)]
    return [2, _text_of(value)]


def _is_plain(value: Any) -> bool:
    return type(value) in PLAIN and not (isinstance(value, int) and abs(value) > 1 << 62)


def _annotation(value: Any) -> str | None:
    return None if value is inspect.Parameter.empty else _text_of(value)


def _text_of(value: Any) -> str:
    if isinstance(value, type):
        return value.__qualname__
    if isinstance(value, str):
        return value[:200]
    return object.__repr__(value) if isinstance(value, FunctionType | MethodType) else _repr(value)


def _repr(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception:
        return object.__repr__(value)


def shown_signature(parameters: list[list[Any]] | None) -> inspect.Signature | None:
    """The signature that was told of."""
    if parameters is None:
        return None
    built: list[inspect.Parameter] = []
    result: Any = inspect.Signature.empty
    for name, kind, how, default, annotation in parameters:
        if kind == -1:
            result = _known_annotation(str(annotation))
            continue
        shown = {0: inspect.Parameter.empty, 1: default, 3: tuple(default) if isinstance(default, list) else ()}
        given = shown.get(how, Shown(str(default)))
        built.append(
            inspect.Parameter(
                name,
                inspect._ParameterKind(kind),  # noqa: SLF001  # the only constructor from a number
                default=given,
                annotation=inspect.Parameter.empty if annotation is None else _known_annotation(annotation),
            )
        )
    return inspect.Signature(built, return_annotation=result)


def _known_annotation(text: str) -> Any:
    """A class where the text names a plain one; never evaluated."""
    plain = {kind.__name__: kind for kind in (int, float, str, bool, bytes, list, dict, set, tuple, object)}
    return plain.get(text, Shown(text))


def is_hidden(name: str) -> bool:
    """Whether an attribute of a function is for whoever made it, or for those who run tests."""
    return name.startswith(("__", "_refute", "_pytest", "_hypothesis"))
