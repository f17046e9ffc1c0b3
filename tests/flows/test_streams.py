"""What a run says on its way, and its result, where nobody can have them."""

import subprocess
import sys
from pathlib import Path

import pytest

from flows.commands.output import deliver
from flows.terminal.progress import watching
from refute.errors import OutputLost
from refute.outcome import StageRecord

TALK = """
import sys
from flows.streams import prepare_streams
prepare_streams()
for _ in range(3):
    print("on its way", file=sys.stderr, flush=True)
sys.exit(7)
"""
RESULT = """
import sys
import flows.program, flows.commands.output as output

def work(**options):
    output.deliver("x" * 200_000, None, kept="It is in the ledger.")
    return 10

flows.program.refute.main = work
sys.argv = ["refute"]
flows.program.run()
"""


def python(code: str, redirected: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", f'set -o pipefail; "$0" -c "$1" {redirected}', sys.executable, code]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2> >(true)", "2>&-"])
def test_talk_that_nobody_can_have_ends_nothing(redirected: str) -> None:
    done = python(TALK, redirected)
    assert (done.returncode, done.stderr) == (7, "")


def test_a_reader_that_has_gone_changes_no_exit_code() -> None:
    done = python(RESULT, "| head -c 5")
    assert (done.returncode, done.stdout, done.stderr) == (10, "xxxxx", "")


def test_a_result_that_stdout_cannot_take_is_told_with_where_it_is_kept() -> None:
    done = python(RESULT, ">/dev/full")
    assert done.returncode == 1
    assert done.stderr == (
        "refute: standard output: cannot be written: No space left on device\n  It is in the ledger.\n"
    )


def test_a_result_that_its_file_cannot_take_is_told_with_where_it_is_kept() -> None:
    with pytest.raises(OutputLost, match=r"--output /dev/full: cannot be written: No space.*\n.*in the ledger"):
        deliver("verdict", Path("/dev/full"), kept="It is in the ledger.")


def test_what_a_terminal_s_encoding_lacks_is_shown_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1:strict")
    code = "from flows.streams import prepare_streams; prepare_streams(); print('\\u2192 \\udce9')"
    assert python(code, "").stdout == "\\u2192 \\udce9\n"


def test_without_a_terminal_each_stage_is_a_line_on_stderr_and_long_ones_also_when_they_begin(capsys):
    with watching() as observer:
        observer.began("scan")
        observer.ended(StageRecord(name="scan", summary="0 findings", duration_s=0.12))
        observer.began("verify")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["scan        0 findings  (0.1 s)", "verify …"]


def test_a_batch_shows_no_line_per_stage(capsys):
    with watching(lines=False) as observer:
        observer.began("verify")
        observer.ended(StageRecord(name="verify", summary="passed", duration_s=1))
    assert capsys.readouterr().err == ""


def test_on_a_terminal_a_clock_runs_and_is_gone_afterwards(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with watching() as observer:
        observer.began("attack")
        assert observer._clock.live.is_started
        clock = observer._clock
        observer.began("confirm")
        assert observer._clock is None
    assert not clock.live.is_started
