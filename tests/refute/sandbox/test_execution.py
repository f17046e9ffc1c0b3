import socket
from queue import SimpleQueue
from typing import Any

import pytest

from refute.errors import CommandNotStarted, EngineDied, SandboxFailed
from refute.sandbox import execution as execution_module
from refute.sandbox.execution import Execution
from refute.sandbox.output import STDERR, STDOUT, CappedOutput
from refute.sandbox.ready_container import ReadyContainer
from refute.sandbox.watch import CommandEnded, Event, Signal, Signals
from refute.sandbox.workspace import FILLED, WAITING
from tests.fakes.jobs import bash_job


def execution(**limits: Any) -> tuple[Execution, Signals]:
    signals: Signals = SimpleQueue()
    nobody: Any = None
    ready = ReadyContainer(client=nobody, name="c", container="c", signals=signals, exec_id="e", usable_until=0.0)
    return Execution(ready, bash_job("true", limits=limits)), signals


def test_what_the_command_said_on_stderr_counts_even_if_it_overtakes_the_marker_on_stdout():
    made, signals = execution()
    assert made._feed(STDERR, b"err\n")
    assert made._feed(STDOUT, FILLED + b"out\n")
    assert signals.get_nowait() == Event.STARTED
    ending = made._ending(0.0, exit_code=7)
    assert (ending.stdout, ending.stderr) == ("out\n", "err\n")


def test_a_marker_in_pieces_is_found_and_the_fill_s_messages_are_not_the_command_s():
    made, _ = execution()
    assert made._feed(STDOUT, b"tar: a message\n" + FILLED[:5])
    assert made._feed(STDOUT, FILLED[5:] + b"out")
    assert made._ending(0.0, exit_code=0).stdout == "out"


def test_a_flood_on_stderr_ahead_of_the_marker_is_a_flood():
    made, _ = execution(output_bytes=10)
    assert made._feed(STDERR, b"e" * 100)
    assert not made._feed(STDOUT, FILLED)


OCI = b"OCI runtime exec failed: exec failed: unable to start container process: open /dev/pts/0: no such file\r\n"


def run(monkeypatch: pytest.MonkeyPatch, *frames: tuple[int, bytes], told: list[Signal]) -> None:
    """Let a shell say these frames and end, and the engine tell these signals."""
    monkeypatch.setattr(execution_module, "STREAM_END_EXPLAINED_WITHIN_S", 0.2)
    made, signals = execution()
    made._ready.stream, shell = socket.socketpair()
    for number, said in frames:
        shell.sendall(bytes([number, 0, 0, 0]) + len(said).to_bytes(4, "big") + said)
    shell.shutdown(socket.SHUT_WR)
    for signal in told:
        signals.put(signal)
    with made._ready.stream, shell:
        made.run()


@pytest.mark.parametrize(
    ("frames", "told", "message"),
    [
        ([(STDOUT, OCI)], [], "could not start the command of job 'verify': OCI runtime exec failed"),
        ([(STDOUT, OCI)], [CommandEnded(exec_id="e", code=126)], "could not start the command of job 'verify': OCI"),
        ([], [Event.CONTAINER_ENDED], "could not start the command of job 'verify': no message"),
        ([(STDOUT, WAITING)], [Event.CONTAINER_ENDED], "ended before its command began"),
        (
            [(STDOUT, WAITING)],
            [CommandEnded(exec_id="e", code=137), Event.CONTAINER_ENDED],
            "ended before its command began",
        ),
        ([(STDOUT, WAITING)], [], "was not filled in time"),
    ],
)
def test_a_command_that_the_engine_did_not_start_is_the_engine_s_trouble_and_blames_no_snapshot(
    monkeypatch: pytest.MonkeyPatch, frames: list[tuple[int, bytes]], told: list[Signal], message: str
) -> None:
    with pytest.raises(CommandNotStarted, match=message) as caught:
        run(monkeypatch, *frames, told=told)
    assert "snapshot" not in caught.value.hint


@pytest.mark.parametrize("told", [[], [Event.OUT_OF_MEMORY, Event.CONTAINER_ENDED]])
def test_a_fill_that_failed_tells_what_it_said_on_either_stream_and_is_not_tried_again(monkeypatch, told):
    frames = [(STDOUT, WAITING), (STDOUT, b"tar: full\n"), (STDERR, b"sh: broken\n")]
    with pytest.raises(SandboxFailed, match=r"could not be filled: tar: full\nsh: broken") as caught:
        run(monkeypatch, *frames, told=[*told, CommandEnded(exec_id="e", code=2)])
    assert not isinstance(caught.value, CommandNotStarted)
    assert "larger than the workspace or the memory" in caught.value.hint


def test_an_engine_that_goes_away_while_the_container_is_filled_died(monkeypatch):
    with pytest.raises(EngineDied):
        run(monkeypatch, (STDOUT, WAITING), told=[Event.ENGINE_LOST])


CUT = "12345\n[refute: output cut at 5 bytes]\n"


@pytest.mark.parametrize(("data", "text"), [(b"1234567", CUT), (b"\xff\xfe", "\ufffd\ufffd"), ("ünï".encode(), "ünï")])
def test_a_stream_over_the_limit_is_cut_with_a_marker_and_bytes_that_are_no_text_are_replaced(data, text):
    output = CappedOutput(limit_bytes=5)
    assert output.feed(STDOUT, data) == (text != CUT)
    assert (output.text(STDOUT), output.was_cut) == (text, text == CUT)
