"""Python calls that turn one text into another: decompression, encodings, patterns."""

# ruff: noqa: SIM905 - long tables of names read best as words

import bz2
import codecs
import lzma
import re
import warnings
import zlib
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, Final

from refute.scan.python.values import MAX_TEXT, UNK

_MAX_TRIALS: Final = 4_000_000
_REPEATS: Final = re.compile(r"(?<!\\)[*+?{]|\\[0-9]")
_NESTED: Final = re.compile(r"\)[*+?{]")
_ENCODINGS: Final = frozenset(
    """rot13 rot_13 hex hex_codec base64 base64_codec zlib utf_8 utf8 ascii unicode_escape latin_1 utf_16
    utf_7""".split()
)


_UNPACKED: Final[dict[str, Callable[[int], Any]]] = {
    "zlib": zlib.decompressobj,
    "gzip": lambda _bits: zlib.decompressobj(31),
    "bz2": lambda _bits: bz2.BZ2Decompressor(),
    "lzma": lambda _bits: lzma.LZMADecompressor(),
}


def _decompressed(kind: str) -> Callable[..., Any]:
    # A short literal may unfold to gigabytes: only as much as a script could hold is unpacked.
    return lambda data, bits=zlib.MAX_WBITS, *_rest: _UNPACKED[kind](int(bits)).decompress(data, MAX_TEXT)


def _decode_with(data: Any, encoding: str = "utf-8", *_rest: Any) -> Any:
    if encoding.lower().replace("-", "_") not in _ENCODINGS:
        return UNK
    if encoding.startswith("zlib"):
        return _decompressed("zlib")(data)
    return codecs.decode(data, encoding)


DECODERS: Final[dict[str, Callable[..., Any]]] = {
    **{
        name: resolve_name(name)
        for name in """base64.b64decode base64.urlsafe_b64decode base64.standard_b64decode base64.decodebytes
        base64.b32decode base64.b16decode base64.b85decode base64.a85decode binascii.unhexlify binascii.a2b_hex
        binascii.a2b_base64 urllib.parse.unquote html.unescape builtins.bytes.fromhex""".split()
    },
    **{f"{name}.decompress": _decompressed(name) for name in _UNPACKED},
    "codecs.decode": _decode_with,
    "codecs.encode": _decode_with,
    "builtins.bytearray.fromhex": bytes.fromhex,
}
"""Calls that turn one text into another; their result is remembered, because running it is hiding."""


def is_tame(pattern: str, text: str) -> bool:
    """Whether matching ends in time.

    It may try as many ways as the text is long to the power of the pattern's repetitions, and a repetition of
    repetitions has no such bound.
    """
    return not _NESTED.search(pattern) and len(text) ** (len(_REPEATS.findall(pattern)) + 1) <= _MAX_TRIALS


def substitute(pattern: str, replacement: str, text: str, *, count: int) -> str | None:
    """`re.sub` for a pattern of somebody else; None where it is wrong, or might keep the scanner busy."""
    if not is_tame(pattern, text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.sub(pattern, replacement, text, count=count, flags=re.MULTILINE)
    except (re.error, IndexError):
        return None
