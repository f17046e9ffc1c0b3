"""Consent to one action: asked with a nonce, given once, in time, by the same user, for exactly these arguments."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from refute.guardrails.pending import (
    Pending,
    build_pending_action,
    extract_confirmation_nonce,
    is_cancel,
    is_pending_action_valid,
    is_sealed,
    random_nonce,
    seal_of,
)

MAX_WRONG_TRIES: Final = 5


class PendingStore(Protocol):
    """Where pending actions wait, one a user; the assistant keeps them in the ledger."""

    def get(self, user: str) -> Pending | None:
        """What waits for a user's answer."""
        ...

    def swap(self, user: str, expected: Pending | None, new: Pending | None) -> bool:
        """Put `new` where `expected` is, in one step; False, and nothing done, where something else is there."""
        ...


class Consent(StrEnum):
    """What a message means for the action that waits."""

    NOTHING_PENDING = "nothing is pending"
    NOT_ANSWERED = "not answered"
    """The message is about something else; the action goes on waiting."""
    GIVEN = "confirmed"
    CANCELLED = "cancelled"
    INVALID = "invalid confirmation token"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A message, read."""

    consent: Consent
    action: Pending | None = None
    """What it is about; None where nothing waits any more that it could be about."""


class Confirmations:
    """Asks for consent and reads answers.

    Args:
        store: where pending actions wait.
        key: seals them; the same in every process that reads the store.
        nonce: draws nonces.
    """

    def __init__(self, store: PendingStore, *, key: bytes, nonce: Callable[[], str] = random_nonce) -> None:
        self._store = store
        self._key = key
        self._nonce = nonce

    def request(self, intent: object, *, user: str, instance: str = "", now_ts: float | None = None) -> Pending:
        """Have an action wait for its user's consent, in place of any other; what is returned holds the nonce."""
        pending = build_pending_action(intent, now_ts, nonce=self._nonce) | {"user": user, "instance": instance}
        pending["seal"] = seal_of(pending, self._key)
        while not self._store.swap(user, self._store.get(user), pending):
            pass
        return pending

    def answer(self, text: str | None, *, user: str, now_ts: float | None = None) -> Answered:
        """Read a user's message; whoever gets GIVEN is the only one who does, and may execute the action once."""
        while True:
            pending = self._store.get(user)
            consent, left = self._judged(pending, text, user, now_ts)
            if left == pending or self._store.swap(user, pending, left):
                return Answered(consent=consent, action=pending)

    def _judged(
        self, pending: Pending | None, text: str | None, user: str, now_ts: float | None
    ) -> tuple[Consent, Pending | None]:
        """What a message means, and what waits after it."""
        nonce = extract_confirmation_nonce(text)
        if pending is None:
            return (Consent.INVALID if nonce else Consent.NOTHING_PENDING), None
        if is_cancel(text):
            return Consent.CANCELLED, None
        valid, why = is_pending_action_valid(pending, now_ts)
        if why == "expired":
            return Consent.EXPIRED, None
        if not valid or pending.get("user") != user or not is_sealed(pending, self._key):
            return Consent.INVALID, None
        return _tried(pending, nonce)


def _tried(pending: Pending, nonce: str | None) -> tuple[Consent, Pending | None]:
    if nonce is None:
        return Consent.NOT_ANSWERED, pending
    if hmac.compare_digest(nonce, pending["nonce"]):
        return Consent.GIVEN, None
    tries = int(pending.get("wrong_tries", 0)) + 1
    return Consent.INVALID, (None if tries >= MAX_WRONG_TRIES else pending | {"wrong_tries": tries})
