"""Where no terminal is, a change waits for a form; the number that a terminal shows is in neither form nor run."""

from datetime import UTC, datetime, timedelta

import pytest
from prefect.states import Cancelled, Completed

from flows.assist import asked, confirmed_by_form
from flows.confirmation.form import form_for
from refute.assistant.configuration import Challenge
from refute.assistant.exchange import Answer

CONFIRMED = Completed(name="CONFIRMED", message="Ada")


def challenge(nonce: str) -> Challenge:
    until = datetime.now(UTC) + timedelta(seconds=300)
    return Challenge(nonce=nonce, title="mode off on site 1 of prod", lines=("site 1 `x`: defence",), expires_at=until)


def answer(text: str, waiting: Challenge | None = None) -> Answer:
    return Answer(turn_id="1", route="config_manager", text=text, challenge=waiting)


def test_an_outage_is_asked_for_twice() -> None:
    answers = {"confirm 111111": answer("again", challenge("222222")), "confirm 222222": answer("✅ Executed")}
    put = []
    said = confirmed_by_form(
        answers.pop, answer("first", challenge("111111")), "run-12345", lambda *given: put.append(given) or CONFIRMED
    )
    assert said.text == "✅ Executed"
    assert [question.subject for question, _ in put] == ["assist-run-1234"] * 2


@pytest.mark.parametrize(
    "state", [Cancelled(name="DECLINED"), Cancelled(name="EXPIRED"), Completed(name="Completed"), Cancelled()]
)
def test_all_but_a_confirmed_form_cancels(state) -> None:
    assert confirmed_by_form(answer, answer("", challenge("1")), "run", lambda *_: state).text == "cancel"


def test_the_form_shows_the_change_and_no_number() -> None:
    question, left_s = asked(challenge("123456"), "run-12345")
    text = question.description()
    assert "```text\nmode off on site 1 of prod\n  site 1 `x`: defence\n```" in text
    assert "123456" not in question.model_dump_json()
    assert 290 < left_s < 300
    assert form_for(question).model_fields["digest"]
