from flows.terminal.progress import StageLines, watching
from refute.outcome import StageRecord


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


def test_hostile_text_in_a_summary_never_reaches_the_terminal_raw(capsys):
    StageLines().ended(StageRecord(name="verify", summary="a\x1b[2J\nb", duration_s=1))
    assert "a\\x1b[2J\\nb" in capsys.readouterr().err


def test_on_a_terminal_a_clock_runs_and_is_gone_afterwards(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with watching() as observer:
        observer.began("attack")
        assert observer._clock is not None
        assert observer._clock.live.is_started
        clock = observer._clock
        observer.began("confirm")
        assert observer._clock is None
    assert not clock.live.is_started


def test_a_dumb_terminal_gets_plain_lines(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    with watching() as observer:
        observer.began("verify")
    assert capsys.readouterr().err == "verify …\n"
