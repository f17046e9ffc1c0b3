"""What is asked is shown whole or said not to be, and nothing in it can act on who reads it."""

import json

import pytest

from flows.confirmation.form import form_for
from flows.confirmation.question import MAX_SCRIPTS_CHARS, AskedQuestion, AskedTicket, budgeted
from tests.fakes.tickets import fake_question, fake_ticket

HOSTILE = "```\n\x1b[2J\u202e<script>alert(1)</script>\n# approved\n"


def whole(ticket: AskedTicket) -> AskedQuestion:
    return AskedQuestion(
        subject="T-1",
        digest="sha256:1",
        nonce="once",
        deadline="2026-11-23T06:00:00Z",
        is_list=False,
        tickets=(ticket,),
    )


def test_hostile_text_stays_inside_its_block_and_shows_its_controls():
    text = whole(
        AskedTicket.of(fake_question(script=HOSTILE, ticket=fake_ticket(title="<img src=x onerror=alert(1)> \udc80")))
    ).description()
    assert "````bash\n```\n\\x1b[2J\\u202e<script>" in text
    assert "&lt;img" in text
    assert json.loads(json.dumps(text).encode()) == text  # no lone surrogate is left


def test_a_script_that_is_too_long_says_how_much_is_not_shown():
    ticket = AskedTicket.of(fake_question(script="echo hi\n" * 3_000))
    assert "the last 4,000 characters are NOT shown" in whole(ticket).description()


def test_scripts_of_a_list_share_what_prefect_takes():
    tickets = budgeted([fake_question(script="x" * 19_000)] * 7)
    assert sum(len(ticket.script) for ticket in tickets) == MAX_SCRIPTS_CHARS
    assert [ticket.hidden_chars > 0 for ticket in tickets] == [False] * 5 + [True] * 2


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"decision": "confirm", "person": "Eve"},
        {"decision": "confirm", "person": "Eve", "digest": "sha256:1", "nonce": "other"},
        {"decision": "confirm", "person": "Eve", "digest": "sha256:11", "nonce": "once"},
        {"decision": "confirm", "person": "", "digest": "sha256:1", "nonce": "once"},
        {"decision": "yes", "person": "Eve", "digest": "sha256:1", "nonce": "once"},
    ],
)
def test_the_form_takes_no_answer_that_does_not_name_its_files_its_question_and_a_person(answer):
    with pytest.raises(ValueError, match="validation error"):
        form_for(whole(AskedTicket.of(fake_question())))(**answer)
