"""The program `refute`. It hears signals before it imports what takes a tenth of a second.

Before that is the interpreter's own start, some hundredths: there Ctrl-C ends it with Python's traceback, and SIGTERM
without a word.
"""

import contextlib
import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Entry point."""
    try:
        for number in (signal.SIGTERM, signal.SIGHUP):  # Python makes a KeyboardInterrupt of SIGINT by itself
            if signal.getsignal(number) is not signal.SIG_IGN:  # what is ignored stays ignored
                signal.signal(number, _interrupt)
        from flows.program import run
    except KeyboardInterrupt as interrupt:
        what = str(interrupt) or "interrupted by the person at the terminal"
        with contextlib.suppress(OSError):  # nobody reads it
            os.write(2, f"refute: {what}; nothing was executed, and nothing is recorded\n".encode())
        sys.exit(130)
    run()


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt(f"interrupted: the process was asked to end ({signal.Signals(number).name})")


if __name__ == "__main__":
    main()
