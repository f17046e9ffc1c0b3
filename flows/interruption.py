"""Ctrl-C, SIGTERM and a terminal that closes: they end a run where that is harmless, and wait where it is not."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WORDS: Final = {
    signal.SIGINT: "interrupted by the person at the terminal",
    signal.SIGTERM: "interrupted: the process was asked to end (SIGTERM)",
    signal.SIGHUP: "interrupted: the terminal was closed (SIGHUP)",
}


class Interruptions:
    """The signals of one run. Held back, except inside `let_through`, where one raises `KeyboardInterrupt`."""

    def __init__(self) -> None:
        self._open = False
        self._waiting: signal.Signals | None = None

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Let the block be interrupted, also by a signal that came before it.

        Raises:
            KeyboardInterrupt: with the reason in words.
        """
        self._open = True
        try:
            if self._waiting is not None:
                self._interrupt(self._waiting)
            yield
        finally:
            self._open = False

    def receive(self, number: int, _frame: FrameType | None = None) -> None:
        """Take a signal (a handler for `signal.signal`)."""
        received = signal.Signals(number)
        if self._open:
            self._interrupt(received)
        self._waiting = received

    def _interrupt(self, received: signal.Signals) -> None:
        self._open = False  # a second one must not strike the handling of the first
        self._waiting = None
        raise KeyboardInterrupt(WORDS[received])


@contextmanager
def interruptions() -> Iterator[Interruptions]:
    """Handle the signals until the block ends; outside the main thread, where Python allows no handlers, do nothing.

    What is ignored stays ignored: `nohup` and a shell's background jobs mean it.
    """
    taken = Interruptions()
    with _handled(SIGNALS, taken.receive):
        yield taken


@contextmanager
def _handled(numbers: Sequence[signal.Signals], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Give these signals to a handler until the block ends, where Python allows that and nobody ignores them."""
    previous = {}
    if threading.current_thread() is threading.main_thread():
        heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
        previous = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)


@contextmanager
def saying_what_is_kept() -> Iterator[list[str]]:
    """Say with an interruption that the flow did not take, because it came before or after it, what there is now.

    Yields:
        What is kept, in words; nothing was executed or recorded where nothing is put in.
    """
    kept: list[str] = []
    try:
        yield kept
    except KeyboardInterrupt as interrupt:
        words = str(interrupt) or WORDS[signal.SIGINT]
        what = kept[-1] if kept else "nothing was executed, and nothing is recorded"
        raise KeyboardInterrupt(f"{words}; {what}") from interrupt


@contextmanager
def ending_like_ctrl_c() -> Iterator[None]:
    """Have SIGTERM and a terminal that closes end the block as Ctrl-C does, instead of the process without a word.

    Raises:
        KeyboardInterrupt: with the reason in words. What is ignored stays ignored.
    """

    def interrupt(number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt(WORDS[signal.Signals(number)])

    with _handled((signal.SIGTERM, signal.SIGHUP), interrupt):  # Python makes one of SIGINT by itself
        yield
