"""Secrets that must not be copied into a log: well-known shapes only.

This catches what is recognisable by itself or by the name of its field. It is no full redaction: a password in the
middle of a sentence passes.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from refute.tables import read_table

MASK: Final = "[redacted]"

_SECRET_NAME: Final = re.compile(
    r"(?i)(?:^|[_-])(?:api[_-]?keys?|access[_-]?keys?|auth|authorization|cookies?|credentials?|passphrase|passw(?:or)?d"
    r"|private[_-]?key|secrets?|token)(?:$|[_-])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretShape:
    """One row of `secrets.toml`."""

    id: str
    regex: re.Pattern[str]
    labelled: bool
    hints: tuple[str, ...]


@cache
def secret_shapes() -> tuple[SecretShape, ...]:
    """The rows of `secrets.toml`."""
    return tuple(
        SecretShape(
            id=row["id"],
            regex=re.compile(row["regex"], re.DOTALL),
            labelled=row.get("labelled", False),
            hints=tuple(row.get("hints", ("",))),
        )
        for row in read_table("refute.guardrails", "secrets")["secret"]
    )


def mask_secrets(text: str, *, labelled: bool = True) -> str:
    """The text with every recognised secret replaced; what labels it stays.

    Args:
        text: anything.
        labelled: also what is a secret only by the name before it; not in code, where `token = read()` is none.
    """
    for shape in secret_shapes():
        if (labelled or not shape.labelled) and any(hint in text for hint in shape.hints):
            text = shape.regex.sub(rf"\g<1>{MASK}" if shape.labelled else MASK, text)
    return text


def names_secret(name: str) -> bool:
    """Whether a field of this name holds a secret, whatever its value looks like."""
    return _SECRET_NAME.search(name) is not None
