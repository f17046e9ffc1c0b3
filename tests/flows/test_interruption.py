import os
import signal

import pytest

from flows.interruption import Interruptions, interruptions


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

    with pytest.raises(KeyboardInterrupt):
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
