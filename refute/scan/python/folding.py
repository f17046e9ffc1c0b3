"""Works out what pure code on constants yields, so that hidden names and commands come to light."""

# ruff: noqa: SIM905 - long tables of names read best as words

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import ast
import operator
import re
import string
import struct
from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import Any, Final

from refute.scan.core.symbols import DERIVED, OUTPUT, capped
from refute.scan.python.decoders import DECODERS, is_tame, substitute
from refute.scan.python.values import MAX_TEXT, UNK, is_constant

_MAX_NUMBER: Final = 10**30
_MAX_EXPONENT: Final = 200
_MAX_LITERAL: Final = 2_000
_MAX_PRODUCT: Final = 5_000_000
_OPERATORS: Final = dict(
    word.split(":")
    for word in """Add:add Sub:sub Mult:mul Mod:mod BitXor:xor BitAnd:and_ BitOr:or_ LShift:lshift RShift:rshift
    FloorDiv:floordiv Div:truediv Pow:pow""".split()
)
_SAME: Final = """builtins.chr builtins.ord builtins.hex builtins.oct builtins.bin builtins.int builtins.float
    builtins.str builtins.bytes builtins.len builtins.list builtins.tuple builtins.set builtins.dict builtins.sorted
    builtins.range builtins.sum builtins.min builtins.max builtins.abs builtins.bool builtins.format builtins.ascii
    builtins.repr builtins.str.join builtins.str.maketrans builtins.str.lower builtins.int.to_bytes
    builtins.int.from_bytes builtins.bytes.maketrans operator.add operator.concat operator.xor base64.b64encode
    binascii.hexlify shlex.split textwrap.dedent json.loads""".split()
"""Functions that are called as they are."""
PURE: Final[dict[str, Callable[..., Any]]] = {
    **{name: resolve_name(name) for name in _SAME},
    "builtins.bytearray": bytes,
    "builtins.reversed": lambda items: list(reversed(items)),
    "builtins.zip": lambda *rows: list(zip(*rows, strict=False)),
    "builtins.enumerate": lambda items, *start: list(enumerate(items, *start)),
    "shlex.join": " ".join,
    "shlex.quote": lambda text: text,
    "ast.literal_eval": lambda text: ast.literal_eval(text) if len(text) <= _MAX_LITERAL else UNK,
    "struct.pack": lambda form, *parts: struct.pack(form, *parts) if struct.calcsize(form) <= MAX_TEXT else UNK,
    "array.array": lambda code, items=(): list(items) if code == "u" else bytes(items),
    "builtins.memoryview": bytes,
    "re.sub": lambda pattern, new, text, count=0: substitute(pattern, new, text, count=count) or DERIVED,
    "re.findall": lambda pattern, text: re.findall(pattern, text) if is_tame(pattern, text) else DERIVED,
    "re.split": lambda pattern, text: re.split(pattern, text) if is_tame(pattern, text) else DERIVED,
    "string.Template": str,
    "collections.deque": list,
    "builtins.iter": list,
    "builtins.next": lambda items, *_default: items[0],
    "itertools.chain": lambda *rows: [item for row in rows for item in row],
}


_TEXT_METHODS: Final = frozenset(
    """join replace lower upper strip lstrip rstrip split rsplit swapcase title capitalize translate encode decode
        format removeprefix removesuffix zfill ljust rjust center partition rpartition splitlines expandtabs
        casefold hex startswith endswith find index count tobytes to_bytes keys values items get copy pop append
        extend insert reverse sort popitem format_map substitute safe_substitute""".split()
)
_ITERATING: Final = frozenset(
    """builtins.list builtins.tuple builtins.sorted builtins.sum builtins.set builtins.zip builtins.enumerate
    builtins.reversed builtins.bytes""".split()
)


def binary(name: str, left: Any, right: Any) -> Any:
    """An operator on two values; texts with unknown parts may still be joined."""
    if name not in _OPERATORS or not is_constant(left) or not is_constant(right) or not _bounded(name, left, right):
        return UNK
    try:
        return getattr(operator, _OPERATORS[name])(left, right)
    except Exception:  # noqa: BLE001 - whatever hostile constants raise, the result is unknown
        return UNK


def _bounded(name: str, left: Any, right: Any) -> bool:
    if name == "Mult":
        sizes = [len(v) for v in (left, right) if isinstance(v, str | bytes | list | tuple)]
        counts = [v for v in (left, right) if isinstance(v, int)]
        if sizes:
            return bool(counts) and sizes[0] * max(counts[0], 0) <= MAX_TEXT
    if name == "Pow":
        return isinstance(right, int) and abs(right) <= _MAX_EXPONENT and abs(left) <= _MAX_NUMBER
    if name == "LShift":
        return isinstance(right, int) and right <= _MAX_EXPONENT
    if name == "Mod" and isinstance(left, str | bytes):
        return len(left) <= MAX_TEXT and not any(mark in str(left) for mark in ("%9", "%8", "%7", "%*", "%6", "%5"))
    return all(len(v) <= MAX_TEXT for v in (left, right) if isinstance(v, str | bytes | list | tuple))


def pure_call(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of a pure function on constants, UNK where it is not known."""
    function = PURE.get(name)
    if function is None or not all(is_constant(argument) for argument in arguments) or not is_constant(keywords):
        return UNK
    if (
        name in {"builtins.bytes", "builtins.bytearray"}
        and arguments
        and isinstance(arguments[0], int)
        and arguments[0] > MAX_TEXT
    ):
        return UNK
    if name in _ITERATING and not _short(arguments):
        return UNK
    if name == "builtins.int" and any(isinstance(a, str) and len(a) > 1000 for a in arguments):  # noqa: PLR2004
        return UNK
    try:
        return function(*arguments, **keywords)
    except Exception:  # noqa: BLE001 - as above
        return UNK


def _short(arguments: Iterable[Any]) -> bool:
    return all(len(a) <= MAX_TEXT for a in arguments if hasattr(a, "__len__"))


def decode_call(name: str, arguments: list[Any]) -> Any:
    """The result of a decoder: text where the input is known, DERIVED where not, UNK where it is no decoder."""
    function = DECODERS.get(name)
    if function is None:
        return UNK
    if not arguments or not all(is_constant(argument) for argument in arguments):
        return DERIVED if not name.startswith(("codecs", "urllib", "html")) else UNK
    try:
        return function(*arguments)
    except Exception:  # noqa: BLE001 - as above
        return UNK


def method_call(value: Any, method: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """A method of a constant; lists and dicts are changed in place like the real ones."""
    try:
        result = _method_result(value, method, arguments, keywords)
    except Exception:  # noqa: BLE001 - whatever hostile constants raise, the result is unknown
        return UNK
    return capped(result) if isinstance(result, str) else result


def _method_result(  # noqa: C901 - one condition per kind of method
    value: Any, method: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    if method not in _TEXT_METHODS or not isinstance(value, str | bytes | list | dict | tuple | int):
        return UNK
    if method == "join" and isinstance(value, str) and arguments and isinstance(arguments[0], list | tuple):
        if not all(isinstance(item, str) for item in arguments[0]):
            return value.join(item if isinstance(item, str) else OUTPUT for item in arguments[0])
    elif method in {"append", "extend", "insert"} and isinstance(value, list):
        if len(value) > 4096:  # noqa: PLR2004 - enough for any hidden text
            return UNK
    elif not all(is_constant(argument) for argument in arguments) or not is_constant(keywords):
        if method == "format" and isinstance(value, str):
            return _format(value, arguments, keywords)
        return UNK
    if method == "replace" and len(value) * max(len(str(a)) for a in arguments) > _MAX_PRODUCT:
        return DERIVED
    if method == "join" and len(value) * len(arguments[0]) > _MAX_PRODUCT:
        return DERIVED
    if method in {"zfill", "ljust", "rjust", "center", "expandtabs"} and arguments and arguments[0] > MAX_TEXT:
        return UNK
    if method == "format" and any(len(part) > 4 for part in value.split(":")[1:] if part[:5].strip("<>^=").isdigit()):  # noqa: PLR2004
        return UNK
    special = _SPECIAL.get(method)
    return special(value, *arguments, **keywords) if special else getattr(value, method)(*arguments, **keywords)


def _format(template: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    shown = [argument if isinstance(argument, str | int) else OUTPUT for argument in arguments]
    named = {key: value if isinstance(value, str | int) else OUTPUT for key, value in keywords.items()}
    try:
        return template.format(*shown, **named)
    except Exception:  # noqa: BLE001 - as above
        return UNK


_SPECIAL: Final[dict[str, Callable[..., Any]]] = {
    "format_map": lambda template, named: _format(template, [], named),
    **dict.fromkeys(
        ("substitute", "safe_substitute"),
        lambda template, *named, **more: string.Template(template).safe_substitute(*named, **more),
    ),
    "tobytes": bytes,
    "keys": list,
    "values": lambda table: list(table.values()),
    "items": lambda table: list(table.items()),
}
"""Methods whose result is a view or belongs to another type."""
