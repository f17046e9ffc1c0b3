"""What turns one text into another and so hides commands, for shell filters and Python calls: decoders, patterns."""

import base64
import binascii
import re
import warnings
from typing import Final

MAX_TEXT: Final = 200_000
_MAX_TRIALS: Final = 4_000_000
_REPEATS: Final = re.compile(r"(?<!\\)[*+?{]|\\[0-9]")
_NESTED: Final = re.compile(r"\)[*+?{]")


def decode(text: str, decoder: str) -> str | None:
    """Decoded text, or None where it cannot be decoded.

    Args:
        text: the encoded text.
        decoder: `base64`, `base32` or `hex`.
    """
    packed = re.sub(r"\s+", "", text)[:MAX_TEXT]
    try:
        match decoder:
            case "base64":
                raw = base64.b64decode(packed + "=" * (-len(packed) % 4))
            case "base32":
                raw = base64.b32decode(packed + "=" * (-len(packed) % 8))
            case _:
                raw = binascii.unhexlify(re.sub(r"^0x|\\x|[^0-9a-fA-F]", "", packed))
    except (ValueError, binascii.Error):
        return None
    return raw.decode("utf-8", "replace")


def encode_base64(text: str) -> str:
    """What `base64` prints for a text."""
    return base64.b64encode(text.encode()).decode() + "\n"


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
