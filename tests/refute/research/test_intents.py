"""A tool call is carried out once, and only as the planner signed it."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from refute.research.intents import TTL_S, IntentRefused, SignedIntent, Signer, Tool, Verifier

KEY = b"k" * 32
NOW = 1_000.0


@pytest.fixture
def signer() -> Signer:
    return Signer(goal_id="goal", key=KEY, clock=lambda: NOW)


@pytest.fixture
def verifier() -> Verifier:
    return Verifier(goal_id="goal", key=KEY, clock=lambda: NOW)


@pytest.fixture
def signed(signer: Signer) -> SignedIntent:
    return signer.sign(Tool.FETCH, source=1, url="https://docs.example.org/")


def test_a_signed_call_is_admitted_and_noted(verifier, signed):
    assert verifier.admit(signed).arguments["url"] == "https://docs.example.org/"
    assert verifier.actions == ['{"arguments": {"source": 1, "url": "https://docs.example.org/"}, "tool": "fetch"}']


def test_a_call_is_admitted_once(verifier, signed):
    verifier.admit(signed)
    with pytest.raises(IntentRefused, match="already"):
        verifier.admit(signed)


@pytest.mark.parametrize(
    "change",
    [
        {"arguments": {"source": 1, "url": "https://docs.example.org/?"}},
        {"arguments": {"source": 2, "url": "https://docs.example.org/"}},
        {"tool": "read"},
        {"tool": "admin.delete_all_data"},
        {"goal_id": "other"},
        {"sequence": 2},
        {"expires_at": NOW + TTL_S + 1},
    ],
)
def test_a_changed_call_is_refused(verifier, signed, change):
    with pytest.raises(IntentRefused, match="signature"):
        verifier.admit(replace(signed, intent=replace(signed.intent, **change)))
    assert verifier.actions == []


def test_a_call_of_another_run_or_goal_is_refused(verifier):
    for stranger in (Signer(goal_id="goal", clock=lambda: NOW), Signer(goal_id="other", key=KEY, clock=lambda: NOW)):
        with pytest.raises(IntentRefused):
            verifier.admit(stranger.sign(Tool.READ, source=1))


def test_a_late_call_is_refused(signed):
    with pytest.raises(IntentRefused, match="expired"):
        Verifier(goal_id="goal", key=KEY, clock=lambda: NOW + TTL_S).admit(signed)


@pytest.mark.parametrize("arguments", [{}, {"source": "1"}, {"source": 0}, {"source": 1, "more": 2}, {"url": "x"}])
def test_arguments_that_are_not_the_tools_are_not_signed(signer, arguments):
    with pytest.raises(ValidationError):
        signer.sign(Tool.READ, **arguments)
