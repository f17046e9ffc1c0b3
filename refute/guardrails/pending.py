"""An action that waits for consent: its nonce, its end, and whether it is still what was asked for.

The functions are pure; what keeps pending actions, counts tries and lets one answer through is
`refute.guardrails.confirmation`.
"""

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from refute.guardrails.validators import sanitize_comment

TTL_S: Final = 300
NONCE_DIGITS: Final = 6
_NONCE: Final = re.compile(r"[0-9]{6}")
_CONFIRM: Final = re.compile(r"\bconfirm\s+([0-9]{6})\b", re.IGNORECASE)
_NOT: Final = re.compile(r"\b(?:not|never|no|cancel)\b|n['’]t\b", re.IGNORECASE)
UNSEALED: Final = frozenset(("seal", "wrong_tries"))
"""Fields of a pending action that its seal does not cover."""

Pending = dict[str, Any]


def random_nonce() -> str:
    """Six digits that nobody can foresee."""
    return f"{secrets.randbelow(10**NONCE_DIGITS):0{NONCE_DIGITS}d}"


def build_pending_action(
    intent: object,
    now_ts: float | None = None,
    *,
    ttl_seconds: int = TTL_S,
    nonce: Callable[[], str] = random_nonce,
) -> Pending:
    """An action with a nonce of its own and an end; nothing of an earlier one goes into it.

    Args:
        intent: its arguments, a mapping or a dataclass, with the name of the `action`; a `comment` is cut and cleaned.
        now_ts: seconds of the Unix clock; None: now.
        ttl_seconds: how long it may be confirmed.
        nonce: draws it.
    """
    fields = {name: value for name, value in _fields(intent).items() if name not in {"nonce", "expires_at", *UNSEALED}}
    if "comment" in fields:
        fields["comment"] = sanitize_comment(fields["comment"])
    return {
        **fields,
        "action": str(fields.get("action") or ""),
        "nonce": nonce(),
        "expires_at": int(_now(now_ts)) + ttl_seconds,
    }


def extract_confirmation_nonce(text: str | None) -> str | None:
    """The nonce of a message that says `confirm <nonce>`; None where it says no, or several."""
    if not isinstance(text, str) or _NOT.search(text):
        return None
    found = set(_CONFIRM.findall(text))
    return found.pop() if len(found) == 1 else None


def is_cancel(text: str | None) -> bool:
    """Whether a message takes the request back."""
    return isinstance(text, str) and re.search(r"\bcancel\b", text, re.IGNORECASE) is not None


def is_pending_action_valid(pending: Mapping[str, Any] | None, now_ts: float | None = None) -> tuple[bool, str]:
    """Whether a pending action can still be confirmed.

    Returns:
        True and `ok`, or False and why not: `missing`, `invalid_action`, `invalid_nonce`, `invalid_expiry`, `expired`.
    """
    if not isinstance(pending, Mapping) or not pending:
        return False, "missing"
    action, nonce, expires_at = (pending.get(name) for name in ("action", "nonce", "expires_at"))
    if not isinstance(action, str) or action in {"", "none"}:
        return False, "invalid_action"
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        return False, "invalid_nonce"
    if not isinstance(expires_at, int) or isinstance(expires_at, bool):
        return False, "invalid_expiry"
    return (False, "expired") if _now(now_ts) > expires_at else (True, "ok")


def seal_of(pending: Mapping[str, Any], key: bytes) -> str:
    """HMAC-SHA256 over everything that is confirmed: action, arguments, user, instance, nonce, end."""
    sealed = {name: value for name, value in pending.items() if name not in UNSEALED}
    canonical = json.dumps(sealed, sort_keys=True, separators=(",", ":"), default=str)
    return hmac.new(key, canonical.encode(), hashlib.sha256).hexdigest()


def is_sealed(pending: Mapping[str, Any], key: bytes) -> bool:
    """Whether nothing of a pending action was changed since it was sealed."""
    return hmac.compare_digest(seal_of(pending, key).encode(), str(pending.get("seal")).encode())


def _fields(intent: object) -> dict[str, Any]:
    if isinstance(intent, Mapping):
        return {str(name): value for name, value in intent.items()}
    if is_dataclass(intent) and not isinstance(intent, type):
        return asdict(intent)
    return dict(getattr(intent, "__dict__", {}))


def _now(now_ts: float | None) -> float:
    return time.time() if now_ts is None else now_ts
