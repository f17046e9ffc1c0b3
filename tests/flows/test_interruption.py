import os
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from prefect.states import Crashed

from flows.batch.request import ChunkRequest
from flows.interruption import Interruptions, interruptions
from flows.refute_flow import BATCH_NAME
from flows.run import _ended_like_ctrl_c
from flows.verify_batch import verify_batch
from flows.verify_chunk import verify_chunk
from flows.verify_ticket import verify_ticket


def test_a_signal_inside_the_open_block_interrupts_it_with_the_reason_in_words():
    def interrupted() -> None:
        with interruptions() as signals, signals.let_through():
            os.kill(os.getpid(), signal.SIGTERM)
            pytest.fail("went on")

    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
        interrupted()


def test_a_signal_outside_the_open_block_waits_for_the_next_one():
    with interruptions() as signals:
        os.kill(os.getpid(), signal.SIGTERM)  # SIGHUP would stay ignored under nohup
        with pytest.raises(KeyboardInterrupt, match="SIGTERM"), signals.let_through():
            pytest.fail("was let in")


def test_a_second_signal_does_not_strike_the_handling_of_the_first():
    signals = Interruptions()
    handled = []

    def interrupted() -> None:
        with signals.let_through():
            try:
                signals.receive(signal.SIGINT)
            finally:
                signals.receive(signal.SIGINT)
                handled.append(True)

    with pytest.raises(KeyboardInterrupt, match="by the person at the terminal"):
        interrupted()
    assert handled


def test_handlers_are_put_back_and_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    term = signal.getsignal(signal.SIGTERM)
    try:
        with interruptions():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not term
        assert signal.getsignal(signal.SIGTERM) is term
    finally:
        signal.signal(signal.SIGHUP, before)


def test_prefects_own_word_for_sigterm_is_an_interruption_like_any_other():
    from prefect.exceptions import TerminationSignal

    def ended() -> None:
        with _ended_like_ctrl_c():
            raise TerminationSignal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
        ended()


EARLY = """
import os, signal, sys

class Meanwhile:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{number})

sys.argv = ["refute", {command!r}, "/nowhere"]
from flows.cli import main
sys.meta_path.insert(0, Meanwhile())
main()
"""


@pytest.mark.parametrize(
    ("command", "module", "number"),
    [
        ("verify", "flows.program", "SIGHUP"),
        ("verify", "flows.commands.verify", "SIGTERM"),
        ("batch", "refute.settings", "SIGTERM"),
    ],
)
def test_a_signal_while_modules_are_imported_ends_with_a_word_and_the_exit_code_of_an_interruption(
    command: str, module: str, number: str
):
    code = EARLY.format(command=command, module=module, number=number)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, preexec_fn=hear)  # one C call each
    assert done.returncode == 130, done.stderr
    assert done.stderr.count("nothing was executed, and nothing is recorded") == 1
    assert "Traceback" not in done.stderr


def hear() -> None:
    """Tests that run in the background have these ignored."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


RUN = UUID(int=7)
CHUNK = {"request": ChunkRequest(batch_id="b", tickets=("A", "B")).model_dump(mode="json", exclude={"settings"})}


@pytest.mark.parametrize(
    ("flow", "name", "parameters", "removed"),
    [
        (verify_ticket, "verify T-1", {}, (str(RUN), None)),
        (verify_batch, BATCH_NAME.format("nightly-1"), {}, ("nightly-1", None)),
        (verify_chunk, "b · chunk 1", CHUNK, ("b", ["A", "B"])),
    ],
)
def test_a_run_s_own_containers_go(monkeypatch, flow: Any, name: str, parameters: Any, removed: Any):
    asked: list[Any] = []
    monkeypatch.setattr("flows.refute_flow.remove_leftovers", lambda run, *, tickets: asked.append((run, tickets)))
    run = SimpleNamespace(id=RUN, name=name, parameters=parameters)
    for hook in (*flow.on_crashed_hooks, *flow.on_cancellation_hooks):
        hook(flow, run, Crashed())
    assert asked == [removed, removed]
