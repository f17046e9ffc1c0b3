"""Decoders that hide commands: base64, hexadecimal, rot13 and the like, both for shell filters and Python calls."""

import base64
import binascii
import re
from typing import Final

MAX_TEXT: Final = 200_000


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
