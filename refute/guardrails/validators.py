"""Arguments of tools, before anything is called: their normal form, or None."""

import ipaddress
from typing import Final

from refute.guardrails.skeleton import draws_nothing

MODES: Final = ("block", "detect", "default", "off", "disable")
"""Words for a protection mode; which of them mean the same is the tool's business."""
MAX_COMMENT_CHARS: Final = 128
_MAX_ADDRESS_CHARS: Final = 64


def normalize_mode(raw: object) -> str | None:
    """A protection mode in lower case."""
    mode = raw.strip().lower() if isinstance(raw, str) else ""
    return mode if mode in MODES else None


def validate_ip_or_cidr(raw: object) -> str | None:
    """An address or network as the standard library writes it, host bits cleared; one with a zone is none."""
    text = raw.strip() if isinstance(raw, str) else ""
    if not text or len(text) > _MAX_ADDRESS_CHARS or "%" in text:
        return None
    try:
        return str(ipaddress.ip_network(text, strict=False) if "/" in text else ipaddress.ip_address(text))
    except ValueError:
        return None


def sanitize_comment(raw: object) -> str:
    """A comment on one line, at most 128 characters, without any that draw nothing; empty for anything but text."""
    text = raw if isinstance(raw, str) else ""
    shown = "".join(" " if char.isspace() else char for char in text if char.isspace() or not draws_nothing(char))
    return shown.strip()[:MAX_COMMENT_CHARS].rstrip()


def validation_error(problem: str) -> dict[str, str]:
    """What a tool answers instead of calling anything."""
    return {"error": f"validation: {problem}"}
