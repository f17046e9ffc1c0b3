"""What a tool answered: done, or not. Silence, garbage and half an answer are failures."""

import json
from collections.abc import Mapping
from typing import Any, Final

from refute.guardrails.plain_text import printable
from refute.guardrails.secret_mask import mask_secrets

MAX_RESULT_CHARS: Final = 1_000_000
MAX_MESSAGE_CHARS: Final = 300
OK_STATUSES: Final = frozenset(("ok", "success"))
OK_CODES: Final = range(200, 300)
"""Where a status is one of HTTP."""
ERROR_FIELDS: Final = ("error", "errors", "err")
OK_FIELDS: Final = ("ok", "success")
STATUS_FIELDS: Final = ("status", "status_code")


def parse_tool_result(raw: str | bytes | Mapping[str, Any] | None) -> tuple[bool, str]:
    """Whether a tool did what it was called for, and if not, why.

    Args:
        raw: its answer, JSON or read already.

    Returns:
        True and an empty message only for an object without error whose status, where it has one, is good.
    """
    payload = raw if isinstance(raw, Mapping) else _read(raw)
    if isinstance(payload, str):
        return False, payload
    if error := next(filter(None, map(payload.get, ERROR_FIELDS)), None):
        return False, _shown(error)
    bad = [field for field in OK_FIELDS if payload.get(field, True) is not True]
    bad += [field for field in STATUS_FIELDS if not _good(payload.get(field, "ok"))]
    if bad:
        return False, f"unexpected {bad[0]}: {_shown(payload[bad[0]])}"
    return (True, "") if payload else (False, "tool gave no answer")


def change_reply(raw: str | bytes | Mapping[str, Any] | None, *, done: str, took_effect: bool) -> str:
    """What a person reads after a change.

    Args:
        raw: the tool's answer.
        done: the change in words.
        took_effect: whether reading back showed it.
    """
    ok, message = parse_tool_result(raw)
    if ok and took_effect:
        return f"✅ Executed: {done}"
    return f"❌ Change failed: {message or 'accepted, but reading back does not show it'}"


def _read(raw: object) -> dict[str, Any] | str:
    """The object that an answer holds, or why it holds none."""
    if not isinstance(raw, str | bytes) or not raw.strip():
        return "tool gave no answer"
    if len(raw) > MAX_RESULT_CHARS:
        return f"tool answered {len(raw)} characters, expected at most {MAX_RESULT_CHARS}"
    try:
        payload = json.loads(raw, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return "tool answer is not valid JSON"
    return payload if isinstance(payload, dict) else "tool answer is not a JSON object"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Which of two fields of one name counts depends on the reader, so neither does."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a field is given twice")
    return read


def _good(status: object) -> bool:
    if isinstance(status, int) and not isinstance(status, bool):
        return status in OK_CODES
    return isinstance(status, str) and status.strip().lower() in OK_STATUSES


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return printable(mask_secrets(text), max_chars=MAX_MESSAGE_CHARS, keep_newlines=False)
