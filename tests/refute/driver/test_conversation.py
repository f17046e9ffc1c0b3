import json
from typing import Any

import pytest

from refute.driver.conversation import FACTS, Conversation, Tampering

KEY = "secret"
NONE = dict.fromkeys(FACTS, False) | {"asserted_lines": [], "aliased_lines": [], "not_carried": ""}


def say(talk: Conversation, event: str, **data: Any) -> None:
    talk.hear(json.dumps({"key": KEY, "event": event, **data}).encode(), 1.0)


def started() -> Conversation:
    talk = Conversation(KEY, ["test_a", "test_b"])
    say(talk, "ready")
    say(talk, "collected", ids=["test_a", "test_b"])
    return talk


def report(
    talk: Conversation, name: str, outcome: str = "passed", *, raised: bool = False, called: bool = True
) -> None:
    say(talk, "start", id=name)
    say(talk, "phase", when="setup", outcome="passed")
    if called:
        say(talk, "called", id=name, raised=raised, error_type="AssertionError" if raised else "")
    say(talk, "phase", when="call", outcome=outcome, error_type="AssertionError" if raised else "")
    say(talk, "phase", when="teardown", outcome="passed")
    say(talk, "finish", id=name, **NONE | {"reached_implementation": True})


def test_an_honest_conversation_gives_every_test_its_report() -> None:
    talk = started()
    report(talk, "test_a")
    report(talk, "test_b", "failed", raised=True)
    say(talk, "done")
    assert talk.done
    assert {name: one.end for name, one in talk.reports.items()} == {"test_a": "passed", "test_b": "failed"}
    assert talk.contradictions == []


@pytest.mark.parametrize(
    "line", [b"not json", b"[]", b'{"event": "done"}', b'{"key": "guess", "event": "done"}', b"[" * 100_000]
)
def test_a_line_without_the_key_is_tampering(line: bytes) -> None:
    with pytest.raises(Tampering, match="result channel"):
        started().hear(line, 1.0)


@pytest.mark.parametrize("event", ["finish", "phase", "called", "start", "invented"])
def test_an_event_out_of_turn_is_tampering(event: str) -> None:
    with pytest.raises(Tampering):
        say(started(), event, id="test_b", when="call", outcome="passed", raised=False)


def test_other_tests_than_asked_for_are_tampering() -> None:
    with pytest.raises(Tampering, match="not the tests asked for"):
        say(Conversation(KEY, ["test_a"]), "collected", ids=["test_a", "test_extra"])


def test_a_phase_reported_twice_is_tampering() -> None:
    talk = started()
    say(talk, "start", id="test_a")
    say(talk, "phase", when="setup", outcome="passed")
    with pytest.raises(Tampering, match="twice"):
        say(talk, "phase", when="setup", outcome="passed")


def test_an_end_before_every_test_was_reported_is_tampering() -> None:
    talk = started()
    report(talk, "test_a")
    with pytest.raises(Tampering, match="before every collected test"):
        say(talk, "done")


def test_a_pass_of_a_function_that_raised_is_kept_as_the_failure_that_it_was() -> None:
    talk = started()
    report(talk, "test_a", "passed", raised=True)
    assert talk.reports["test_a"].end == "failed"
    assert talk.contradictions == [("test_a", "the test function raised, yet pytest reported passed")]


def test_a_pass_of_a_function_that_was_never_called_is_no_pass() -> None:
    talk = started()
    report(talk, "test_a", called=False)
    assert talk.reports["test_a"].end == "missing"


def test_one_failing_parameter_fails_the_test() -> None:
    talk = Conversation(KEY, ["test_a"])
    say(talk, "collected", ids=["test_a[1]", "test_a[2]", "test_a[3]"])
    report(talk, "test_a[1]")
    report(talk, "test_a[2]", "failed", raised=True)
    assert "test_a" not in talk.reports
    report(talk, "test_a[3]")
    assert talk.reports["test_a"].end == "failed"
