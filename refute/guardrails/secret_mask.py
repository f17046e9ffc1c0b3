"""Secrets that must not be copied into a log: well-known shapes only.

This catches what is recognisable by itself or by the name of its field. It is no full redaction: a password in the
middle of a sentence passes.
"""

import re
from typing import Final

MASK: Final = "[redacted]"

_SECRET_NAME: Final = re.compile(
    r"(?i)(?:^|[_-])(?:api[_-]?keys?|access[_-]?keys?|auth|authorization|cookies?|credentials?|passphrase|passw(?:or)?d"
    r"|private[_-]?key|secrets?|token)(?:$|[_-])"
)
_SECRET_SHAPES: Final = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
    re.compile(r"\bya29\.[0-9A-Za-z_-]{20,}"),
    re.compile(r"\bgh[pousr]_[0-9A-Za-z]{36,}"),
    re.compile(r"\bgithub_pat_[0-9A-Za-z_]{22,}"),
    re.compile(r"\bglpat-[0-9A-Za-z_-]{20,}"),
    re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{10,}"),
    re.compile(r"\bsk-[0-9A-Za-z_-]{20,}"),
    re.compile(r"\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*"),
)
_LABELLED_SHAPES: Final = (
    re.compile(r"(?i)(\b(?:bearer|basic)\s+)[0-9A-Za-z._~+/=-]{12,}"),
    re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)"),
    re.compile(
        r"(?i)(\b[\w-]*(?:api[_-]?key|password|passwd|secret|token(?!s))[\w-]*\s*[=:]\s*)(?:\"[^\"]*\"|'[^']*'|[^\s,;&]+)"
    ),
)


def mask_secrets(text: str) -> str:
    """The text with every recognised secret replaced; what labels it stays."""
    for shape in _SECRET_SHAPES:
        text = shape.sub(MASK, text)
    for shape in _LABELLED_SHAPES:
        text = shape.sub(rf"\g<1>{MASK}", text)
    return text


def names_secret(name: str) -> bool:
    """Whether a field of this name holds a secret, whatever its value looks like."""
    return _SECRET_NAME.search(name) is not None
