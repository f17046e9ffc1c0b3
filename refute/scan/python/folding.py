"""Works out what pure code on constants yields, by Python itself within bounds: what is hidden comes to light."""

# ruff: noqa: SIM905 - long tables of names read best as words

import operator
import re
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from pkgutil import resolve_name
from typing import Any, Final

from refute.scan.core.symbols import DERIVED, MAX_TEXT, capped, is_known
from refute.scan.python.values import MAX_BITS, MAX_ITEMS, UNK, as_text, is_constant

_MAX_EXPONENT: Final = 200
_MAX_NUMBER: Final = 10**30
_SHORT: Final = 3
"""Letters in which nothing can hide."""
_MAX_PRODUCT: Final = 5_000_000
_WIDTH: Final = re.compile(r"%[-+ #]*\d*\.?(?:\d{5}|\*)|\{[^{}]*:[^{}]*(?:\d{5}|\{)")
"""A width in a format that would fill memory."""
_OPERATORS: Final = {
    "Mult": "mul",
    "BitXor": "xor",
    "BitAnd": "and_",
    "BitOr": "or_",
    "Div": "truediv",
    "MatMult": "matmul",
}
"""Functions of `operator` that are not called as the syntax is."""
_METHODS: Final = frozenset(name for kind in (str, bytes, list, dict, int) for name in dir(kind) if name[0] != "_")
_SAME: Final = """builtins.chr builtins.ord builtins.hex builtins.oct builtins.bin builtins.int builtins.float
    builtins.str builtins.bytes builtins.len builtins.list builtins.tuple builtins.set builtins.dict builtins.sorted
    builtins.range builtins.sum builtins.min builtins.max builtins.abs builtins.bool builtins.ascii builtins.repr
    builtins.str.maketrans builtins.int.from_bytes builtins.bytes.maketrans operator.add operator.concat operator.xor
    base64.b64encode binascii.hexlify shlex.split textwrap.dedent json.loads""".split()
"""Functions that are called as they are."""


def attempt(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What a function yields; UNK where it raises, as with hostile constants it may."""
    try:
        return function(*arguments, **keywords)
    except Exception:  # noqa: BLE001 - whatever it is, the result is unknown
        return UNK


_PURE: Final[dict[str, Callable[..., Any]]] = {
    **{name: resolve_name(name) for name in _SAME},
    "builtins.bytearray": bytes,
    "builtins.reversed": lambda items: list(reversed(items)),
    "builtins.zip": lambda *rows: list(zip(*rows, strict=False)),
    "builtins.enumerate": lambda items, *start: list(enumerate(items, *start)),
    "builtins.iter": list,
    "builtins.next": lambda items, *_default: items[0],
    "collections.deque": list,
    "itertools.chain": lambda *rows: [item for row in rows for item in row],
    "shlex.join": " ".join,
    "shlex.quote": str,
}
_DECODERS: Final = frozenset(
    """base64.b64decode base64.urlsafe_b64decode base64.standard_b64decode base64.decodebytes base64.b32decode
    base64.b16decode base64.b85decode base64.a85decode binascii.unhexlify binascii.a2b_hex binascii.a2b_base64
    builtins.bytes.fromhex builtins.bytearray.fromhex zlib.decompress gzip.decompress bz2.decompress
    lzma.decompress""".split()
)
_FILTERS: Final = frozenset(
    """codecs.decode codecs.encode urllib.parse.unquote html.unescape re.sub ast.literal_eval struct.pack
    array.array builtins.memoryview""".split()
)
"""Ordinary on what is not known; of a constant its author could as well have written the result."""


def binary(kind: str, left: Any, right: Any) -> Any:
    """A binary operator, texts with unknown parts included."""
    if kind == "Add" and isinstance(left, str) != isinstance(right, str):
        return capped(as_text(left) + as_text(right))
    if kind == "Add" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return [*left, *right] if len(left) + len(right) <= MAX_ITEMS else UNK
    if kind == "Mod" and isinstance(left, str) and not is_constant(right):
        left = re.sub(r"%[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]", "%s", left)
        right = tuple(map(as_text, right)) if isinstance(right, tuple) else as_text(right)
    if not is_constant((left, right)) or attempt(_bounded, kind, left, right) is not True:
        return UNK
    found = attempt(getattr(operator, _OPERATORS.get(kind, kind.lower())), left, right)
    return capped(found) if isinstance(found, str) else found


def _bounded(kind: str, left: Any, right: Any) -> bool:
    sizes = [len(value) for value in (left, right) if isinstance(value, str | bytes | list | tuple)]
    if kind == "Mult" and sizes:
        count = min(value for value in (left, right) if isinstance(value, int))
        return bool(sizes[0] * max(count, 0) <= MAX_TEXT)
    if kind == "Mult":
        return all(isinstance(value, float) or value.bit_length() <= MAX_BITS for value in (left, right))
    if kind in {"Pow", "LShift"}:
        return bool(abs(right) <= _MAX_EXPONENT and abs(left) <= _MAX_NUMBER)
    return max(sizes, default=0) <= MAX_TEXT and not (kind == "Mod" and sizes and _WIDTH.search(str(left)))


def pure_call(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of a pure function on constants, DERIVED of a decoder, UNK where it is not known."""
    if name in _DECODERS:
        return DERIVED
    if (name not in _PURE and name not in _FILTERS) or not is_constant((*arguments, keywords)):
        return UNK
    if name in _FILTERS:
        known = all(is_known(text) for text in arguments if isinstance(text, str))
        longest = max((len(value) for value in arguments if isinstance(value, str | bytes | list)), default=0)
        return DERIVED if known and longest > _SHORT else UNK
    return attempt(_pure_result, name, arguments, keywords)


def _pure_result(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    fills = name in {"builtins.bytes", "builtins.bytearray"} and isinstance(arguments[0], int)
    sizes = [arguments[0]] if fills else [len(value) for value in arguments if hasattr(value, "__len__")]
    return _PURE[name](*arguments, **keywords) if max(sizes, default=0) <= MAX_TEXT else UNK


def method_call(value: Any, method: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """A method of a constant; lists and dicts are changed in place like the real ones."""
    if method not in _METHODS or not isinstance(value, str | bytes | list | dict | tuple | int):
        return UNK
    result = attempt(_method_result, value, method, arguments, keywords)
    return capped(result) if isinstance(result, str) else result


def _method_result(value: Any, method: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if isinstance(value, list) and method in {"append", "extend", "insert"}:
        return getattr(value, method)(*arguments) if len(value) <= MAX_ITEMS else UNK
    if method in {"join", "format", "format_map"}:
        if method != "join" and _WIDTH.search(value):
            return UNK
        arguments, keywords = [_filled(one) for one in arguments], {key: _filled(one) for key, one in keywords.items()}
    elif not is_constant((*arguments, keywords)):
        return UNK
    length = len(value) + 1 if isinstance(value, str | bytes) else isinstance(value, int)
    if length * max(map(_size, arguments), default=0) > _MAX_PRODUCT:
        return DERIVED
    found = getattr(value, method)(*arguments, **keywords)
    return list(found) if isinstance(found, KeysView | ValuesView | ItemsView) else found


def _filled(value: Any) -> Any:
    """A value for a template, what is not known as a symbol."""
    match value:
        case str() | bytes() | int() | float():
            return value
        case list() | tuple():
            return [one if isinstance(one, str | bytes) else as_text(one) for one in value]
    return as_text(value)


def _size(argument: Any) -> int:
    match argument:
        case list() | tuple():
            return sum(len(item) + 1 for item in argument if isinstance(item, str | bytes))
        case str() | bytes():
            return len(argument)
    return abs(argument) if isinstance(argument, int) else 0
