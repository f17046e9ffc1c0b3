"""What is asked is shown whole or said not to be, and nothing in it can act on who reads it."""

import json
from pathlib import Path

import pytest

from flows.confirmation.form import form_for
from flows.confirmation.question import MAX_SCRIPTS_CHARS, AskedQuestion, AskedTicket, budgeted
from refute.approval import Question
from refute.scan.finding import ScanResult
from refute.ticket.record import Snapshot
from tests.fakes.tickets import fake_ticket

HOSTILE = "```\n\x1b[2J\u202e<script>alert(1)</script>\n# approved\n"


def asked(script: str = "true\n", title: str = "A title") -> Question:
    return Question(
        ticket=fake_ticket(title=title),
        snapshot=Snapshot(digest="sha256:1", files=(), archive=Path("/a")),
        script=script,
        scan=ScanResult(findings=(), scanned=("verify.sh",)),
        plan=("verify: bash ./verify.sh",),
        timeout_s=1,
    )


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
    text = whole(AskedTicket.of(asked(HOSTILE, title="<img src=x onerror=alert(1)> \udc80"))).description()
    assert "````bash\n```\n\\x1b[2J\\u202e<script>" in text
    assert "&lt;img" in text
    assert json.loads(json.dumps(text).encode()) == text  # no lone surrogate is left


def test_a_script_that_is_too_long_says_how_much_is_not_shown():
    ticket = AskedTicket.of(asked("echo hi\n" * 3_000))
    assert "the last 4,000 characters are NOT shown" in whole(ticket).description()


def test_scripts_of_a_list_share_what_prefect_takes():
    tickets = budgeted([asked("x" * 19_000)] * 7)
    assert sum(len(ticket.script) for ticket in tickets) == MAX_SCRIPTS_CHARS
    assert [ticket.hidden_chars > 0 for ticket in tickets] == [False] * 5 + [True] * 2


def test_in_a_list_what_is_decided_by_stands_before_titles_that_may_be_long():
    listed = whole(AskedTicket.of(asked(title="long " * 40))).model_copy(update={"is_list": True})
    assert (
        "| Ticket | Scan | Files | Title |\n| --- | --- | --- | --- |\n| T | ✓ | `1` | long long"
        in listed.description()
    )


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
        form_for(whole(AskedTicket.of(asked())))(**answer)


def test_the_form_is_filled_in_with_its_files_and_question():
    fields = form_for(whole(AskedTicket.of(asked()))).model_json_schema()
    assert {name: field.get("default") for name, field in fields["properties"].items()} == {
        "decision": None,
        "person": None,
        "note": "",
        "digest": "sha256:1",
        "nonce": "once",
    }
    assert set(fields["required"]) == set(fields["properties"]) - {"note"}


def test_what_silence_means_is_said_as_it_is():
    one = whole(AskedTicket.of(asked()))
    assert "no answer means no" in one.description()
    assert "without an answer they go on waiting" in one.model_copy(update={"is_list": True}).description()
