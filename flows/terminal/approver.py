"""Ask at the terminal: script and scan first, then one question, with a time limit."""

import os
import select
import sys
import time
from collections.abc import Container
from typing import Final

from rich.console import Console, Group
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from flows.confirmation.question import FINDING, AskedTicket
from flows.in_advance import by_flag, user
from refute.approval import IN_ADVANCE, NOBODY_ASKED, Approval, Decision, Denial, Question

YES: Final = frozenset({"y", "yes"})
NO: Final = frozenset({"n", "no"})
DISMISS: Final = frozenset({"d", "dismiss"})
UPHOLD: Final = frozenset({"u", "uphold"})
OPINIONS_PROMPT: Final = "Is any of these a real failure? [uphold/dismiss]"


class TerminalApprover:
    """Shows what would run and reads one line from standard input.

    Args:
        in_advance: `--yes` was given: only findings that block are asked about.
    """

    def __init__(self, *, in_advance: bool = False, console: Console | None = None) -> None:
        self._in_advance = in_advance
        self._console = console or Console(stderr=True)

    def ask(self, question: Question) -> Decision:
        """Ask; anything but a clear yes in time is a no, and about what critics say anything unclear no answer."""
        return self._judge(question) if question.opinions else self._confirm(question)

    def _confirm(self, question: Question) -> Decision:
        if self._in_advance and not question.dangers:
            return Approval(snapshot_digest=question.snapshot.digest, by=by_flag(), beforehand=IN_ADVANCE)
        self._console.print(describe(question))
        try:
            answer = self._answer(question)
        except KeyboardInterrupt as interrupt:
            self._console.print()
            return Denial(reason=str(interrupt) or "interrupted at the prompt")
        if answer is None:
            self._console.print()
            return Denial(reason=f"nobody answered within {question.timeout_s:g} s")
        if answer in YES:
            return Approval(snapshot_digest=question.snapshot.digest, by=person())
        self._console.print("Declined; nothing was executed.")
        if not answer and not sys.stdin.isatty():
            return Denial(reason="no terminal to ask at; use --yes")
        return Denial(reason="declined at the terminal", by=person())

    def _answer(self, question: Question) -> str | None:
        """Yes, no or nothing, in small letters; what is neither is asked about again. None where time ran out."""
        deadline = time.monotonic() + question.timeout_s
        while True:
            self._console.print(self._prompt(question), end=" ")
            line = read_line(deadline - time.monotonic())
            answer = line.strip().lower() if line is not None else None
            if not answer or answer in YES | NO:
                return answer
            self._console.print("Answer y or n.")

    def _judge(self, question: Question) -> Decision:
        if self._in_advance:
            return Denial(reason=NOBODY_ASKED)
        self._console.print(describe(question))
        try:
            dismissed = choose(self._console, OPINIONS_PROMPT, question.timeout_s, yes=DISMISS, no=UPHOLD)
        except KeyboardInterrupt as interrupt:
            return Denial(reason=str(interrupt) or "interrupted at the prompt")
        if dismissed:
            return Approval(snapshot_digest=question.snapshot.digest, by=person())
        if dismissed is False:
            return Denial(reason=f"upheld by {person()}", by=person())
        self._console.print("Not answered.")
        return Denial(reason="nobody answered at the terminal; verify the ticket again to be asked once more")

    def _prompt(self, question: Question) -> Text:
        if question.dangers:
            count = len(question.dangers)
            what = "this finding" if count == 1 else f"these {count} findings"
            return Text(f"Run it in the sandbox in spite of {what}? [y/N]", style="bold red")
        return Text("Run this script in the sandbox? [y/N]", style="bold")


def person() -> str:
    """Who sits at the terminal, for audit log and ledger."""
    return f"person at the terminal ({user()})"


def choose(
    console: Console, prompt: str, timeout_s: float, *, yes: Container[str] = YES, no: Container[str] = NO
) -> bool | None:
    """Ask once: True and False for a clear yes and a clear no, None for all else, or where nothing came in time."""
    console.print(Text(prompt, style="bold"), end=" ")
    said = (read_line(timeout_s) or "").strip().lower()
    if not sys.stdin.isatty():
        console.print()
    return True if said in yes else False if said in no else None


def show(question: Question) -> None:
    """Show what would run, and ask nothing."""
    Console(stderr=True).print(describe(question))


def describe(question: Question) -> Group:
    """Script, scan and plan, for a prompt or a dry run."""
    return describe_ticket(AskedTicket.of(question))


def describe_ticket(asked: AskedTicket) -> Group:
    """The same of a question that was asked elsewhere; of what critics say, that alone."""
    if asked.opinions:
        return Group(
            Text.assemble((asked.ticket_id, "bold"), f"  {asked.title}"),
            Panel(Text("\n".join(asked.opinions)), title="Critics say, and no test shows", title_align="left"),
            *map(Text, asked.plan),
        )
    script = Syntax(
        asked.script, "bash", line_numbers=True, word_wrap=True, background_color="default", theme="ansi_dark"
    )
    return Group(
        Text.assemble((asked.ticket_id, "bold"), f"  {asked.title}"),
        Panel(
            script,
            title=Text(asked.path),
            title_align="left",
            subtitle=Text(asked.hidden_words, style="bold red") if asked.hidden_words else None,
            subtitle_align="left",
        ),
        _scan_summary(asked),
        Panel(Text("\n".join(asked.plan)), title="Would run", title_align="left"),
    )


def _scan_summary(asked: AskedTicket) -> Panel:
    """The findings as a table, or that there are none."""
    if not asked.findings:
        return Panel(Text(asked.scan_words), title="Scan", title_align="left")
    table = Table(box=None, pad_edge=False)
    for heading in FINDING:
        table.add_column(heading, overflow="fold")
    for finding in asked.findings:
        table.add_row(*map(Text, finding))
    return Panel(table, title=f"Scan: {asked.scan_words}", title_align="left")


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
