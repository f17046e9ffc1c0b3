import io
import os
import re

import pytest
from rich.console import Console

from flows.confirmation.approver import PersonApprover
from flows.confirmation.question import ticket_sections
from flows.console import Console as Started
from flows.console import attached
from flows.terminal.asking import show
from refute.approval import NOBODY_ASKED, AdvanceApprover, Approval, Denial
from refute.ports import Ports
from refute.scan.finding import ScanResult, Suppressed
from refute.settings import Settings
from tests.fakes.tickets import DANGER, fake_question


@pytest.fixture
def answering(monkeypatch):
    """Standard input that holds the given bytes; None stays silent."""
    open_ends = []

    def answer(data: bytes | None) -> None:
        reading, writing = os.pipe()
        if data is not None:
            os.write(writing, data)
            os.close(writing)
        else:
            open_ends.append(writing)
        monkeypatch.setattr("sys.stdin", os.fdopen(reading))

    yield answer
    for end in open_ends:
        os.close(end)


@pytest.fixture
def ask(tmp_path, capsys):
    """Asks at the terminal; gives the decision, and what was shown."""

    def ask(asked, *, in_advance: bool = False, timeout_s: float = 5):
        settings = Settings(state_dir=tmp_path, audit_path=tmp_path / "audit.jsonl", confirmation_timeout_s=timeout_s)
        advance = AdvanceApprover(by="--yes") if in_advance else None
        with attached(Started(api_url="")):
            decision = PersonApprover(Ports(settings, "run-1"), advance=advance).ask(asked)
        return decision, capsys.readouterr().err

    return ask


def test_script_scan_and_plan_are_shown_before_the_question(ask, answering):
    answering(b"y\n")
    decision, shown = ask(fake_question())
    assert isinstance(decision, Approval)
    assert shown.index("echo hi") < shown.index("nothing dangerous") < shown.index("[y/N]")


@pytest.mark.parametrize("data", [b"n\n", b"\n", b"", b"yess\n", b"\xff\n", b"maybe\nno\n"])
def test_anything_but_yes_is_a_no(ask, answering, data):
    answering(data)
    decision, _ = ask(fake_question())
    assert isinstance(decision, Denial)
    assert bool(decision.by) == data.endswith((b"n\n", b"no\n"))  # at the end of standard input nobody answers


def test_what_is_neither_yes_nor_no_is_asked_again(ask, answering):
    answering(b"maybe\nyes\n")
    decision, shown = ask(fake_question())
    assert isinstance(decision, Approval)
    assert (shown.count("[y/N]"), "Answer y or n." in shown) == (2, True)


OPINIONS = ("security, critical: a secret is logged",)


@pytest.mark.parametrize(
    ("data", "approves", "answered"),
    [(b"dismiss\n", True, True), (b"u\n", False, True), (b"y\n", False, False), (b"", False, False)],
)
def test_what_critics_say_is_upheld_or_dismissed_by_these_words_alone(ask, answering, data, approves, answered):
    answering(data)
    decision, shown = ask(fake_question(opinions=OPINIONS))
    assert isinstance(decision, Approval) is approves
    assert bool(decision.by) is answered
    assert OPINIONS[0] in shown
    assert "echo hi" not in shown


def test_yes_in_advance_dismisses_nothing_that_critics_say(ask):
    decision, _ = ask(fake_question(opinions=OPINIONS), in_advance=True)
    assert decision == Denial(reason=NOBODY_ASKED)
    assert AdvanceApprover(by="--yes").ask(fake_question(opinions=OPINIONS)) == Denial(reason=NOBODY_ASKED)


def test_silence_is_a_no_after_the_time_limit(ask, answering):
    answering(None)
    decision, _ = ask(fake_question(), timeout_s=0.05)
    assert decision == Denial(reason="nobody answered within 0.05 s")


def test_dangerous_findings_are_named_in_the_question_even_with_yes_in_advance(ask, answering):
    answering(b"n\n")
    decision, shown = ask(fake_question(DANGER), in_advance=True)
    assert isinstance(decision, Denial)
    assert "rm -rf /" in shown
    assert "in spite of" in shown


def test_what_the_allow_file_lets_through_stands_in_the_question_with_its_reason(ask, answering):
    answering(b"y\n")
    allowed = Suppressed(finding=DANGER, reason="its own [b]container[/b]\x1b[2J")
    _, shown = ask(fake_question(scan=ScanResult(findings=(), scanned=("verify.sh",), suppressed=(allowed,))))
    assert "0 blocking of 1 finding in 1 file, 1 allowed" in shown
    assert "rm -rf /" in shown
    assert "its own [b]container[/b]\\x1b[2J" in re.sub(r"[\s│]+", " ", shown)
    assert "in spite of" not in shown


def test_hostile_text_in_the_script_is_shown_escaped():
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    show(ticket_sections(fake_question(script="echo \x1b[2J\u202e[bold]x[/bold]\n")), console)
    shown = console.file.getvalue()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[bold]x" in shown


def test_ctrl_c_at_the_prompt_is_a_no(ask, monkeypatch):
    def interrupted(timeout_s: float) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("flows.terminal.asking.read_line", interrupted)
    decision, _ = ask(fake_question())
    assert decision == Denial(reason="interrupted at the prompt")


def test_yes_in_advance_asks_nothing_about_a_clean_script(ask):
    decision, shown = ask(fake_question(), in_advance=True)
    assert isinstance(decision, Approval)
    assert shown == ""
