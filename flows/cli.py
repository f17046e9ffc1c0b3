"""The program `refute`. It hears signals before it imports what takes a tenth of a second.

Before that is the interpreter's own start, some hundredths: there Ctrl-C ends it with Python's traceback, and SIGTERM
without a word.
"""

import contextlib
import os
import sys

from flows.interruption import ending_like_ctrl_c


def main() -> None:
    """Entry point."""
    with ending_like_ctrl_c():
        try:
            from flows.program import run
        except KeyboardInterrupt as interrupt:
            what = str(interrupt) or "interrupted by the person at the terminal"
            with contextlib.suppress(OSError):  # nobody reads it
                os.write(2, f"refute: {what}; nothing was executed, and nothing is recorded\n".encode())
            sys.exit(130)
        run()


if __name__ == "__main__":
    main()
