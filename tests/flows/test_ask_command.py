"""`refute ask`: answers on stdout, what confirms a change on stderr alone."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from prefect.states import Cancelled, Completed

from flows.assist import _confirms, confirmed_by_form
from flows.confirmation import approver
from flows.confirmation.form import form_for, reply_of
from flows.program import refute
from refute.assistant.configuration import Challenge
from refute.assistant.exchange import Answer
from refute.settings import Settings
from tests.fakes.safeline import SafeLineServer

Ask = Callable[..., Result]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs the command in a directory of its own, without a WAF."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path / "state"))

    def run(*arguments: str, lines: str = "") -> Result:
        return CliRunner().invoke(refute, ["ask", *arguments], input=lines, standalone_mode=False)

    return run


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A SafeLine server that the settings of the directory name."""
    with SafeLineServer(tmp_path) as running:
        monkeypatch.setenv("SAFELINE_TOKEN", running.token)
        instance = {"url": running.url, "token_env": "SAFELINE_TOKEN", "ca": str(running.ca)}
        (tmp_path / "refute.yaml").write_text(json.dumps({"safeline": {"prod": instance}}))
        yield running


def test_a_change_is_confirmed_by_a_later_call_and_its_number_stays_off_stdout(ask, server):
    shown = ask("--format", "json", "block", "203.0.113.7")
    told = json.loads(shown.stdout)
    assert (told["route"], told["waits_for_confirmation"], shown.return_value) == ("config_manager", True, 0)
    number = re.search(r"confirm (\d{6})", shown.stderr)[1]
    assert number not in shown.stdout
    assert "IP group refute-blacklist, new: +203.0.113.7" in shown.stderr
    wrong = ask("--as", "bob", f"confirm {number}")
    assert (wrong.return_value, "invalid confirmation token" in wrong.stdout) == (1, True)
    assert "✅ Executed: 203.0.113.7 on the blacklist of prod" in ask("confirm", number).stdout
    assert server.waf.blocks("203.0.113.7", site_id=1)


def test_a_conversation_goes_on_line_by_line_until_exit(ask):
    done = ask(lines="status\n\nblock 203.0.113.7\nexit\nhello\n")
    assert "No WAF is configured: add one to the setting `safeline`." in done.stdout
    assert "I answer operators" not in done.stdout


def test_the_report_is_told_from_the_ledger(ask):
    done = ask("--keywords", "give me the cost report")
    assert "No outcomes" in done.stdout
    assert "routed by keywords" in done.stdout


def test_a_gemini_file_that_is_wrong_leaves_the_keywords(ask, tmp_path):
    (tmp_path / "gemini.yaml").write_text("enterprise: false\n")
    assert "routed by keywords: gemini.yaml" in ask("status").stdout


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("{prod: {url: 'http://waf:9443', token_env: T, ca: system}}", "safeline.prod.url"),
        ("{prod: {url: 'https://waf:9443', token_env: T}}", "safeline.prod.ca"),
        ("{Prod Waf: {url: 'https://waf:9443', token_env: T, ca: system}}", "safeline.Prod Waf"),
    ],
)
def test_a_wrong_instance_is_named(ask, tmp_path, settings, told):
    (tmp_path / "refute.yaml").write_text(f"safeline: {settings}\n")
    assert told in str(ask("status").exception)


def challenge(nonce: str) -> Challenge:
    until = datetime.now(UTC) + timedelta(seconds=300)
    return Challenge(nonce=nonce, title="mode off on site 1 of prod", lines=("site 1 `x`: defence",), expires_at=until)


def answer(text: str, waiting: Challenge | None = None) -> Answer:
    return Answer(turn_id="1", route="config_manager", text=text, challenge=waiting)


@pytest.mark.parametrize(
    "state", [Cancelled(name="DECLINED"), Cancelled(name="EXPIRED"), Completed(name="Completed"), Cancelled()]
)
def test_all_but_a_confirmed_form_cancels_and_the_form_shows_the_change_and_no_number(state, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(approver, "put_in_ui", lambda *question: asked.append(question) or reply_of(state))
    settings = Settings(state_dir=tmp_path, audit_path=tmp_path / "audit.jsonl")
    confirms = partial(_confirms, run_id="run-12345", settings=settings)
    assert confirmed_by_form(answer, answer("", challenge("123456")), confirms).text == "cancel"
    ((question, left_s),) = asked
    assert "mode off on site 1 of prod\n\n```text\n  site 1 `x`: defence\n```" in question.description()
    assert "123456" not in question.model_dump_json()
    assert 290 < left_s < 300
    assert form_for(question).model_fields["digest"]
