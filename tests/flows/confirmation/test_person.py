"""A decision that is about no script: only a clear yes counts, and the audit log has it first."""

import json

import pytest
from prefect.states import Cancelled, Completed

from flows.confirmation import approver
from flows.confirmation.form import CONFIRMED, DECLINED, reply_of
from flows.console import Console, attached
from refute.settings import Settings

TEXT = "N3 review of T-1\nPASS: \x1b[2Jall of it\nGo on?"


@pytest.fixture
def settings(tmp_path):
    return Settings(state_dir=tmp_path, audit_path=tmp_path / "audit.jsonl")


def audited(settings):
    return [json.loads(line) for line in settings.audit_path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("line", "approved", "decision"),
    [("y", True, "allow"), ("yes", True, "allow"), ("n", False, "deny"), ("", False, "deny"), (None, False, "deny")],
)
def test_at_the_terminal_only_yes_is_a_yes(monkeypatch, settings, line, approved, decision, capsys):
    monkeypatch.setattr("flows.terminal.asking.read_line", lambda _: line)
    with attached(Console(api_url="")):
        answer = approver.ask_person("T-1", TEXT, settings=settings, run_id="run-1")
    assert bool(answer.approved) is approved
    asked, entry = audited(settings)
    assert (asked["decision"], asked["reason"]) == ("challenge", "asked at the terminal")
    assert (entry["decision"], entry["metadata"]["subject"]) == (decision, "T-1")
    told = capsys.readouterr().err
    assert "N3 review of T-1" in told
    assert "\x1b[2J" not in told


@pytest.mark.parametrize(
    ("state", "approved"),
    [
        (Completed(name=CONFIRMED, message="Ada\nlooks right"), True),
        (Completed(message="Ada"), False),
        (Cancelled(name=DECLINED, message="Ada"), False),
        (Cancelled(name="EXPIRED", message="nobody answered in time"), False),
    ],
)
def test_where_a_worker_runs_it_the_form_is_asked(monkeypatch, settings, state, approved):
    asked = []
    monkeypatch.setattr(approver, "put_in_ui", lambda question, _: asked.append(question) or reply_of(state))
    answer = approver.ask_person("T-1", TEXT, settings=settings, run_id="run-1")
    assert bool(answer.approved) is approved
    assert bool(answer.by) is (state.name in {CONFIRMED, DECLINED})
    (question,) = asked
    assert (question.words, question.scripts) == ("N3 review of T-1", 0)
    assert "Go on?" in question.description()
    assert question.digest == audited(settings)[1]["metadata"]["asked"]
