"""Consent: the right nonce, in time, from the same user, for exactly what was asked, and once (S330)."""

import threading
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from refute.guardrails import build_pending_action, extract_confirmation_nonce, is_pending_action_valid
from refute.guardrails.confirmation import Answered, Confirmations, Consent, MemoryStore
from refute.guardrails.pending import is_cancel, is_sealed, random_nonce, seal_of

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
    assert pending["nonce"].isdigit()
    assert len(pending["nonce"]) == 6
    assert pending["expires_at"] == 1_300
    assert is_pending_action_valid(pending, 1_000) == (True, "ok")


def test_time_may_be_named_or_left_out() -> None:
    assert build_pending_action(INTENT, now_ts=5)["expires_at"] == 305
    assert is_pending_action_valid(build_pending_action(INTENT)) == (True, "ok")


def test_a_new_request_inherits_nothing() -> None:
    forged = INTENT | {"nonce": "000000", "expires_at": 9**9, "seal": "x", "wrong_tries": -100}
    pending = build_pending_action(forged, 0, nonce=lambda: "123456")
    assert (pending["nonce"], pending["expires_at"]) == ("123456", 300)
    assert not {"seal", "wrong_tries"} & set(pending)


def test_a_comment_is_cleaned_before_it_is_asked_about() -> None:
    assert build_pending_action(Action("blacklist_ip", comment="a\0" + "b" * 200))["comment"] == "a" + "b" * 127


def test_nonces_are_six_digits_and_differ() -> None:
    drawn = {random_nonce() for _ in range(50)}
    assert len(drawn) > 40
    assert all(len(nonce) == 6 and nonce.isdigit() for nonce in drawn)


@pytest.mark.parametrize(
    ("pending", "why"),
    [
        (None, "missing"),
        ({}, "missing"),
        ("text", "missing"),
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
        ("confirm 12345", None),
        ("confirm 1234567", None),
        ("confirm 123456 or confirm 654321", None),
        ("do not confirm 123456", None),
        ("don't confirm 123456", None),
        ("unconfirm 123456", None),
        ("123456", None),
        ("yes", None),
        ("confirm １２３４５６", None),
        ("", None),
        (None, None),
    ],
)
def test_only_the_phrase_with_one_nonce_confirms(text: str | None, nonce: str | None) -> None:
    assert extract_confirmation_nonce(text) == nonce


def test_cancel_is_a_word_of_its_own() -> None:
    assert is_cancel("please CANCEL that")
    assert not is_cancel("cancellation")
    assert not is_cancel(None)


def test_the_right_nonce_gives_consent_once(confirmations: Confirmations) -> None:
    pending = confirmations.request(INTENT, user="alice", instance="edge", now_ts=0)
    answered = confirmations.answer(f"confirm {pending['nonce']}", user="alice", now_ts=300)
    assert answered == Answered(consent=Consent.GIVEN, action=pending)
    assert say(confirmations, f"confirm {pending['nonce']}") is Consent.INVALID


def test_a_wrong_nonce_is_an_invalid_token_and_the_question_goes_on(confirmations: Confirmations) -> None:
    confirmations.request(INTENT, user="alice", now_ts=0)
    assert say(confirmations, "confirm 999999") is Consent.INVALID
    assert Consent.INVALID == "invalid confirmation token"
    assert say(confirmations, "confirm 111111") is Consent.GIVEN


def test_after_five_wrong_tries_the_right_nonce_comes_too_late(confirmations: Confirmations) -> None:
    confirmations.request(INTENT, user="alice", now_ts=0)
    assert [say(confirmations, "confirm 999999") for _ in range(5)] == [Consent.INVALID] * 5
    assert say(confirmations, "confirm 111111") is Consent.INVALID


def test_what_expired_cannot_be_confirmed_any_more(confirmations: Confirmations) -> None:
    confirmations.request(INTENT, user="alice", now_ts=0)
    assert say(confirmations, "confirm 111111", at=301) is Consent.EXPIRED
    assert Consent.EXPIRED == "expired"
    assert say(confirmations, "confirm 111111", at=2) is Consent.INVALID


def test_a_cancelled_action_cannot_be_confirmed_any_more(confirmations: Confirmations) -> None:
    confirmations.request(INTENT, user="alice", now_ts=0)
    assert say(confirmations, "cancel") is Consent.CANCELLED
    assert say(confirmations, "confirm 111111") is Consent.INVALID


def test_nobody_confirms_for_another_user(confirmations: Confirmations, store: MemoryStore) -> None:
    pending = confirmations.request(INTENT, user="alice", now_ts=0)
    assert say(confirmations, "confirm 111111", user="mallory") is Consent.INVALID
    store.swap("mallory", None, pending)
    assert say(confirmations, "confirm 111111", user="mallory") is Consent.INVALID
    assert say(confirmations, "confirm 111111") is Consent.GIVEN


def test_a_new_request_takes_the_place_of_the_old(confirmations: Confirmations) -> None:
    confirmations.request(INTENT, user="alice", now_ts=0)
    confirmations.request(INTENT | {"ip": "192.0.2.8"}, user="alice", now_ts=0)
    assert say(confirmations, "confirm 111111") is Consent.INVALID
    answered = confirmations.answer("confirm 222222", user="alice", now_ts=1)
    assert answered.action is not None
    assert answered.action["ip"] == "192.0.2.8"


@pytest.mark.parametrize("field", ["action", "ip", "comment", "user", "instance", "nonce", "expires_at", "seal"])
def test_one_changed_field_is_refused(confirmations: Confirmations, store: MemoryStore, field: str) -> None:
    pending = confirmations.request(INTENT, user="alice", instance="edge", now_ts=0)
    changed = pending | {field: {"nonce": "333333", "expires_at": 999_999}.get(field, f"{pending[field]}x")}
    assert store.swap("alice", pending, changed)
    assert say(confirmations, f"confirm {changed['nonce']}") is Consent.INVALID


def test_another_key_seals_otherwise() -> None:
    pending = build_pending_action(INTENT, 0)
    pending["seal"] = seal_of(pending, KEY)
    assert is_sealed(pending, KEY)
    assert not is_sealed(pending, b"other")
    assert not is_sealed({}, KEY)


def test_other_messages_leave_the_question_open(confirmations: Confirmations) -> None:
    assert say(confirmations, "hello") is Consent.NOTHING_PENDING
    confirmations.request(INTENT, user="alice", now_ts=0)
    assert [say(confirmations, text) for text in ("what would change?", "yes", "", None)] == [Consent.NOT_ANSWERED] * 4
    assert say(confirmations, "confirm 111111") is Consent.GIVEN


def test_of_many_answers_at_once_one_alone_gets_consent(confirmations: Confirmations) -> None:
    confirmations.request(INTENT, user="alice", now_ts=0)
    given: list[Consent] = []
    start = threading.Barrier(8)

    def answer() -> None:
        start.wait()
        given.append(say(confirmations, "confirm 111111"))

    threads = [threading.Thread(target=answer) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert given.count(Consent.GIVEN) == 1
