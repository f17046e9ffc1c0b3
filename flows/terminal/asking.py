"""Ask at the terminal: what it is about first, then one question, with a time limit."""

import os
import select
import sys
import time
from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.text import Text

from flows.confirmation.question import AskedQuestion, Reply
from flows.in_advance import user
from reports.sections import Section, on_terminal

RUN_OR_NOT: Final = {"y": True, "yes": True, "n": False, "no": False}
DISMISS_OR_NOT: Final = {"d": True, "dismiss": True, "u": False, "uphold": False}


def put_at_terminal(asked: AskedQuestion, timeout_s: float) -> Reply:
    """Show the question and read the answer from standard input; a batch's list can be left for later."""
    console = Console(stderr=True)
    show(asked.sections, console)
    console.print()
    return read_reply(console, asked, timeout_s, later=asked.is_list)


def read_reply(console: Console, asked: AskedQuestion, timeout_s: float, *, later: bool) -> Reply:
    """Ask until there is a clear answer, none, or the time is over.

    Args:
        console: where the question was shown.
        asked: the question.
        timeout_s: how long the answer is waited for.
        later: whether an empty line leaves the question open; else it is a no.
    """
    answers = DISMISS_OR_NOT if asked.is_about_opinions else RUN_OR_NOT
    deadline = time.monotonic() + timeout_s
    while True:
        console.print(_prompt(asked, later=later), end=" ")
        try:
            line = read_line(deadline - time.monotonic())
        except KeyboardInterrupt:
            console.print()  # what comes next stands on a line of its own
            raise
        said = (line or "").strip().lower()
        if said in answers:
            return Reply(approved=answers[said], by=person())
        if said:
            console.print("Answer uphold or dismiss." if asked.is_about_opinions else "Answer y or n.")
            continue
        if line is not None and sys.stdin.isatty() and not (later or asked.is_about_opinions):
            return Reply(approved=False, by=person())
        console.print()
        return Reply(approved=None, note=_unanswered(asked, timeout_s, silent=line is None))


def _unanswered(asked: AskedQuestion, timeout_s: float, *, silent: bool) -> str:
    if asked.is_about_opinions:
        return "nobody answered at the terminal; verify the ticket again to be asked once more"
    if silent:
        return f"nobody answered within {timeout_s:g} s"
    if sys.stdin.isatty():
        return "not answered at the terminal"
    return "no terminal to ask at" + ("; use --yes" if asked.scripts else "")


def _prompt(asked: AskedQuestion, *, later: bool) -> Text:
    if asked.is_about_opinions:
        return Text("Is any of these a real failure? [uphold/dismiss]", style="bold")
    choice = "[y/n, Enter: later]" if later else "[y/N]"
    if asked.blocking:
        what = "this finding" if asked.blocking == 1 else f"these {asked.blocking} findings"
        return Text(f"Run it in the sandbox in spite of {what}? {choice}", style="bold red")
    if not asked.scripts:
        return Text(f"Yes? {choice}", style="bold")
    what = f"these {asked.scripts} scripts" if asked.scripts > 1 else "this script"
    return Text(f"Run {what} in the sandbox? {choice}", style="bold")


def person() -> str:
    """Who sits at the terminal, for audit log and ledger."""
    return f"person at the terminal ({user()})"


def show(sections: Iterable[Section], console: Console | None = None) -> None:
    """Show what would run or is asked about, and ask nothing."""
    (console or Console(stderr=True)).print(*on_terminal(sections), sep="\n")


def read_line(timeout_s: float) -> str | None:
    """One line of standard input, `""` at its end, None if none came in time. Never waits longer."""
    deadline = time.monotonic() + timeout_s
    read = bytearray()
    descriptor = sys.stdin.fileno()
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([descriptor], [], [], left)
        if not ready:
            return None
        # One byte at a time: what follows the line belongs to whoever reads next.
        try:
            byte = os.read(descriptor, 1)
        except OSError:  # the terminal is gone
            byte = b""
        if byte in {b"", b"\n"}:
            return read.decode("utf-8", errors="replace")
        read += byte
    return None
