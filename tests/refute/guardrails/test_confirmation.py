"""Consent: the right nonce, in time, from the same user, for exactly what was asked, and once (S330)."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from refute.evaluation.memory import MemoryStore
from refute.guardrails import build_pending_action, extract_confirmation_nonce, is_pending_action_valid
from refute.guardrails.confirmation import Answered, Confirmations, Consent

KEY = b"k" * 32
INTENT = {"action": "blacklist_ip", "ip": "192.0.2.7", "comment": "by Alice"}


@dataclass(frozen=True)
class Action:
    """As an assistant infers it."""

    action: str
    ip: str | None = None
    comment: str | None = None


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def confirmations(store: MemoryStore) -> Confirmations:
    drawn = (f"{number:06d}" for number in range(111_111, 999_999, 111_111))
    return Confirmations(store, key=KEY, nonce=lambda: next(drawn))


def say(confirmations: Confirmations, text: str | None, *, user: str = "alice", at: float = 1) -> Consent:
    return confirmations.answer(text, user=user, now_ts=at).consent


@pytest.mark.parametrize("intent", [INTENT, Action(**INTENT), SimpleNamespace(**INTENT)])
def test_a_pending_action_holds_its_arguments_a_nonce_and_its_end(intent: object) -> None:
    pending = build_pending_action(intent, 1_000)
    assert {name: pending[name] for name in INTENT} == INTENT
    assert (pending["nonce"].isdigit(), len(pending["nonce"]), pending["expires_at"]) == (True, 6, 1_300)
    assert is_pending_action_valid(pending, 1_000) == (True, "ok")


def test_a_new_request_inherits_nothing() -> None:
    forged = INTENT | {"nonce": "000000", "expires_at": 9**9, "seal": "x", "wrong_tries": -100}
    pending = build_pending_action(forged, 0, nonce=lambda: "123456")
    assert (pending["nonce"], pending["expires_at"]) == ("123456", 300)
    assert not {"seal", "wrong_tries"} & set(pending)


@pytest.mark.parametrize(
    ("pending", "why"),
    [
        (None, "missing"),
        ({"nonce": "123456", "expires_at": 9}, "invalid_action"),
        ({"action": "none", "nonce": "123456", "expires_at": 9}, "invalid_action"),
        ({"action": "set_mode", "nonce": "12345", "expires_at": 9}, "invalid_nonce"),
        ({"action": "set_mode", "nonce": "１２３４５６", "expires_at": 9}, "invalid_nonce"),
        ({"action": "set_mode", "nonce": 123456, "expires_at": 9}, "invalid_nonce"),
        ({"action": "set_mode", "nonce": "123456", "expires_at": "9"}, "invalid_expiry"),
        ({"action": "set_mode", "nonce": "123456", "expires_at": True}, "invalid_expiry"),
        ({"action": "set_mode", "nonce": "123456", "expires_at": 4}, "expired"),
    ],
)
def test_what_cannot_be_confirmed_says_why(pending: dict[str, object] | None, why: str) -> None:
    assert is_pending_action_valid(pending, 5) == (False, why)


@pytest.mark.parametrize(
    ("text", "nonce"),
    [
        ("confirm 123456", "123456"),
        ("  CONFIRM   123456!", "123456"),
        ("yes, please confirm 123456 now", "123456"),
        ("confirm", None),
        ("confirm 1234567", None),
        ("confirm 123456 or confirm 654321", None),
        ("do not confirm 123456", None),
        ("unconfirm 123456", None),
        ("123456", None),
        ("confirm １２３４５６", None),
        (None, None),
    ],
)
def test_only_the_phrase_with_one_nonce_confirms(text: str | None, nonce: str | None) -> None:
    assert extract_confirmation_nonce(text) == nonce


def test_the_right_nonce_gives_consent_once(confirmations: Confirmations) -> None:
    pending = confirmations.request(INTENT, user="alice", instance="edge", now_ts=0)
    answered = confirmations.answer(f"confirm {pending['nonce']}", user="alice", now_ts=300)
    assert answered == Answered(consent=Consent.GIVEN, action=pending)
    assert say(confirmations, f"confirm {pending['nonce']}") is Consent.INVALID


def test_nobody_confirms_for_another_user(confirmations: Confirmations, store: MemoryStore) -> None:
    pending = confirmations.request(INTENT, user="alice", now_ts=0)
    assert say(confirmations, "confirm 111111", user="mallory") is Consent.INVALID
    store.swap("mallory", None, pending)
    assert say(confirmations, "confirm 111111", user="mallory") is Consent.INVALID
    assert say(confirmations, "confirm 111111") is Consent.GIVEN


def test_other_messages_leave_the_question_open(confirmations: Confirmations) -> None:
    assert say(confirmations, "hello") is Consent.NOTHING_PENDING
    confirmations.request(INTENT, user="alice", now_ts=0)
    assert [say(confirmations, text) for text in ("what would change?", "yes", "", None)] == [Consent.NOT_ANSWERED] * 4
    assert say(confirmations, "confirm 111111") is Consent.GIVEN
