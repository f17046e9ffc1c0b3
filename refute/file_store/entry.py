"""A record as a file: JSON that says what it is, when it was made and by which run; signed where a key is set."""

import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

VERSION: Final = 1
MAX_BYTES: Final = 16 * 1024 * 1024
"""Of one file; what is larger is not kept."""
PURPOSE: Final = b"refute kept run 1\n"
"""Signed before the content, so that a signature for anything else never fits."""


class Unusable(Exception):  # no failure: the run is made, or the question asked, anew
    """A file is not what it should be; nothing in it is trusted. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one file holds."""

    kind: str
    """Of run (`verify`, `attack`, `strength`) or answer."""
    key: str
    run_id: str
    """Of the run that made it."""
    made_at: datetime
    """UTC."""
    record: Any
    """JSON."""


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: int
    kind: str
    key: str
    run_id: str
    made_at: AwareDatetime
    record: Any
    signature: str | None


def write_entry(entry: Entry, secret: bytes | None) -> bytes:
    """The file's content.

    Args:
        entry: what to keep.
        secret: to sign it with; None signs nothing.
    """
    document = {
        "version": VERSION,
        "kind": entry.kind,
        "key": entry.key,
        "run_id": entry.run_id,
        "made_at": entry.made_at.astimezone(UTC).isoformat(),
        "record": entry.record,
    }
    signature = _signature(document, secret) if secret is not None else None
    return _canonical({**document, "signature": signature})


def read_entry(content: bytes, *, kind: str, key: str, secret: bytes | None) -> Entry:
    """What a file holds, checked.

    Args:
        content: of the file.
        kind: that it must be of.
        key: that it must be for.
        secret: that it must be signed with; None: it must not be signed, as nobody could tell by what.

    Raises:
        Unusable: it is anything else.
    """
    try:
        raw = json.loads(content)
        document = _Document.model_validate(raw)
    except (ValueError, RecursionError, ValidationError) as error:
        raise Unusable(f"it cannot be read ({type(error).__name__})") from error
    if document.version != VERSION:
        raise Unusable(f"it is of version {document.version}, expected {VERSION}")
    _check_signature(raw, secret)
    if (document.kind, document.key) != (kind, key):
        raise Unusable("it is of another record than its name says")
    return Entry(kind=kind, key=key, run_id=document.run_id, made_at=document.made_at, record=document.record)


def _check_signature(document: dict[str, Any], secret: bytes | None) -> None:
    signature = document.pop("signature")
    if secret is None:
        if signature is not None:
            raise Unusable("it is signed, and no key is set to check that with")
    elif signature is None:
        raise Unusable("it is not signed")
    elif not hmac.compare_digest(signature.encode(), _signature(document, secret).encode()):
        raise Unusable("its signature is not by the key that is set, or it was changed")


def _signature(document: dict[str, Any], secret: bytes) -> str:
    return "hmac-sha256:" + hmac.new(secret, PURPOSE + _canonical(document), hashlib.sha256).hexdigest()


def _canonical(document: dict[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
