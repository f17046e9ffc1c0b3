"""What is asked is shown whole or said not to be, and nothing in it can act on who reads it."""

import json
from datetime import UTC, datetime

import pytest

from flows.confirmation.form import form_for
from flows.confirmation.question import MAX_SCRIPTS_CHARS, AskedQuestion, about_list, about_ticket
from tests.fakes.tickets import DANGER, fake_question, fake_ticket

HOSTILE = "```\n\x1b[2J\u202e<script>alert(1)</script>\n# approved\n"


UNTIL = datetime(2026, 11, 23, 6, tzinfo=UTC)


def test_hostile_text_stays_inside_its_block_and_shows_its_controls():
    hostile = fake_question(script=HOSTILE, ticket=fake_ticket(title="<img src=x onerror=alert(1)> \udc80"))
    text = about_ticket(hostile, UNTIL).description()
    assert "````bash\n```\n\\x1b[2J\\u202e<script>" in text
    assert "&lt;img" in text
    assert json.loads(json.dumps(text).encode()) == text  # no lone surrogate is left


def test_a_script_that_is_too_long_says_how_much_is_not_shown():
    text = about_ticket(fake_question(script="echo hi\n" * 3_000), UNTIL).description()
    assert "**NOT shown** the last 4,000 characters" in text
    assert text.count("echo hi") == 2_500


def test_scripts_of_a_list_share_what_prefect_takes():
    questions = [fake_question(script="é" * 19_000)] * 7
    text = about_list(questions, UNTIL, subject="B-1", digest="", scripts=7).description()
    assert text.count("é") == MAX_SCRIPTS_CHARS
    assert text.count("NOT shown") == 2


def test_a_question_is_the_same_once_it_has_travelled_with_its_run():
    sent = about_list([fake_question(DANGER)] * 2, UNTIL, subject="B-1", digest="", scripts=3)
    assert AskedQuestion.model_validate(json.loads(sent.model_dump_json())).description() == sent.description()


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
    asked = about_ticket(fake_question(), UNTIL).model_copy(update={"digest": "sha256:1", "nonce": "once"})
    with pytest.raises(ValueError, match="validation error"):
        form_for(asked)(**answer)
