"""Python calls that turn one text into another: decompression, encodings."""

# ruff: noqa: SIM905 - long tables of names read best as words

import base64
import binascii
import bz2
import codecs
import gzip
import html
import lzma
import zlib
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

from refute.scan.python.values import MAX_TEXT, UNK

_ENCODINGS: Final = frozenset(
    """rot13 rot_13 hex hex_codec base64 base64_codec zlib utf_8 utf8 ascii unicode_escape latin_1 utf_16
    utf_7""".split()
)


def _decompress(function: Callable[[bytes], Any]) -> Callable[..., Any]:
    def bounded(data: bytes, *_rest: Any) -> Any:
        # A short literal may unfold to gigabytes: only as much as a script could hold is unpacked.
        if function is zlib.decompress:
            return zlib.decompressobj(int(_rest[0]) if _rest else zlib.MAX_WBITS).decompress(data, MAX_TEXT)
        if function is bz2.decompress:
            return bz2.BZ2Decompressor().decompress(data, MAX_TEXT)
        if function is lzma.decompress:
            return lzma.LZMADecompressor().decompress(data, MAX_TEXT)
        return zlib.decompressobj(31).decompress(data, MAX_TEXT)

    return bounded


def _decode_with(data: Any, encoding: str = "utf-8", *_rest: Any) -> Any:
    if encoding.lower().replace("-", "_") not in _ENCODINGS:
        return UNK
    if encoding.startswith("zlib"):
        return _decompress(zlib.decompress)(data)
    return codecs.decode(data, encoding)


DECODERS: Final[dict[str, Callable[..., Any]]] = {
    "base64.b64decode": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.standard_b64decode": base64.standard_b64decode,
    "base64.decodebytes": base64.decodebytes,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.a2b_hex,
    "binascii.a2b_base64": binascii.a2b_base64,
    "codecs.decode": _decode_with,
    "codecs.encode": _decode_with,
    "zlib.decompress": _decompress(zlib.decompress),
    "bz2.decompress": _decompress(bz2.decompress),
    "lzma.decompress": _decompress(lzma.decompress),
    "gzip.decompress": _decompress(gzip.decompress),
    "builtins.bytes.fromhex": bytes.fromhex,
    "builtins.bytearray.fromhex": bytes.fromhex,
    "urllib.parse.unquote": unquote,
    "html.unescape": html.unescape,
}
"""Calls that turn one text into another; their result is remembered, because running it is hiding."""
