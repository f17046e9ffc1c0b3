"""Backslash escapes of shell words."""

import re
from typing import Final

_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_ANSI: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.DOTALL
)


def decode_escapes(text: str) -> str:
    """Backslash escapes as `$'…'`, `printf` and `echo -e` read them."""

    def one(match: re.Match[str]) -> str:
        hexadecimal, short, long, octal, control, plain = match.groups()
        if hexadecimal or short or long:
            code = int(hexadecimal or short or long, 16)
            return chr(code) if code <= 0x10FFFF else ""  # noqa: PLR2004 - the last code point
        if octal:
            return chr(int(octal, 8) & 0xFF)
        if control:
            return chr(ord(control) & 0x1F)
        return _ESCAPES.get(plain, plain if plain in "\\'\"?" else "\\" + plain)

    return _ANSI.sub(one, text)


def unescape(text: str) -> str:
    """An unquoted word without its backslashes; an escaped line end vanishes."""
    return re.sub(r"\\(.?)", lambda m: "" if m[1] == "\n" else m[1], text, flags=re.DOTALL) if "\\" in text else text
