from queue import SimpleQueue
from typing import Any

import pytest

from refute.errors import SandboxFailed
from refute.sandbox.execution import Execution
from refute.sandbox.output import STDERR, STDOUT
from refute.sandbox.standing import Standing
from refute.sandbox.watch import Signals, Started
from refute.sandbox.workspace import FILLED
from tests.fakes.jobs import bash_job


def execution(**limits: Any) -> tuple[Execution, Signals]:
    signals: Signals = SimpleQueue()
    nobody: Any = None
    standing = Standing(client=nobody, name="c", container="c", signals=signals, usable_until=0.0)
    return Execution(standing, bash_job("true", limits=limits)), signals


def test_what_the_command_said_on_stderr_counts_even_if_it_overtakes_the_marker_on_stdout() -> None:
    made, signals = execution()
    assert made._feed(STDERR, b"err\n")
    assert made._feed(STDOUT, FILLED + b"out\n")
    assert signals.get_nowait() == Started()
    ending = made._ending(0.0, exit_code=7)
    assert (ending.stdout, ending.stderr) == ("out\n", "err\n")


def test_a_marker_in_pieces_is_found_and_the_fill_s_messages_are_not_the_command_s() -> None:
    made, _ = execution()
    assert made._feed(STDOUT, b"tar: a message\n" + FILLED[:5])
    assert made._feed(STDOUT, FILLED[5:] + b"out")
    assert made._ending(0.0, exit_code=0).stdout == "out"


def test_a_flood_on_stderr_ahead_of_the_marker_is_a_flood() -> None:
    made, _ = execution(output_bytes=10)
    assert made._feed(STDERR, b"e" * 100)
    assert not made._feed(STDOUT, FILLED)


def test_a_fill_that_failed_tells_what_it_said_on_either_stream() -> None:
    made, _ = execution()
    made._feed(STDOUT, b"tar: full\n")
    made._feed(STDERR, b"sh: broken\n")
    with pytest.raises(SandboxFailed, match=r"tar: full\nsh: broken"):
        made._require_filled()
