"""Ask at the terminal: script and scan first, then one question, with a time limit."""

import os
import select
import sys
import time
from typing import Final

from rich.console import Console, Group
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from refute.approval import Approval, Decision, Denial, Question
from refute.guardrails.plain_text import printable
from refute.scan.finding import ScanResult

MAX_SCRIPT_CHARS: Final = 20_000
YES: Final = frozenset({"y", "yes"})


class TerminalApprover:
    """Shows what would run and reads one line from standard input.

    Args:
        in_advance: `--yes` was given: only findings that block are asked about.
    """

    def __init__(self, *, in_advance: bool = False, console: Console | None = None) -> None:
        self._in_advance = in_advance
        self._console = console or Console(stderr=True)

    def ask(self, question: Question) -> Decision:
        """Ask; anything but a clear yes in time is a no."""
        if self._in_advance and not question.dangers:
            return Approval(snapshot_digest=question.snapshot.digest, by="--yes")
        self._console.print(describe(question))
        self._console.print(self._prompt(question), end=" ")
        try:
            answer = read_line(question.timeout_s)
        except KeyboardInterrupt as interrupt:
            self._console.print()
            return Denial(reason=str(interrupt) or "interrupted at the prompt")
        if answer is None:
            self._console.print()
            return Denial(reason=f"nobody answered within {question.timeout_s:g} s")
        if answer.strip().lower() in YES:
            return Approval(snapshot_digest=question.snapshot.digest, by=f"person at the terminal ({_user()})")
        self._console.print("Declined; nothing was executed.")
        return Denial(reason="declined at the terminal" if answer else "no answer: standard input is at its end")

    def _prompt(self, question: Question) -> Text:
        if question.dangers:
            count = len(question.dangers)
            what = "this finding" if count == 1 else f"these {count} findings"
            return Text(f"Run it in the sandbox in spite of {what}? [y/N]", style="bold red")
        return Text("Run this script in the sandbox? [y/N]", style="bold")


def show(question: Question) -> None:
    """Show what would run, and ask nothing."""
    Console(stderr=True).print(describe(question))


def describe(question: Question) -> Group:
    """Script, scan and plan, for a prompt or a dry run."""
    ticket = question.ticket
    script = Syntax(
        printable(question.script, max_chars=MAX_SCRIPT_CHARS),
        "bash",
        line_numbers=True,
        word_wrap=True,
        background_color="default",
        theme="ansi_dark",
    )
    plan = Text("\n".join(printable(line, max_chars=500) for line in question.plan))
    return Group(
        Text.assemble((f"{ticket.id}", "bold"), f"  {printable(ticket.title, max_chars=200)}"),
        Panel(
            script,
            title=Text(printable(ticket.verification_script, max_chars=200)),
            title_align="left",
            subtitle=_not_shown(question),
            subtitle_align="left",
        ),
        scan_summary(question.scan),
        Panel(plan, title="Would run", title_align="left"),
    )


def _not_shown(question: Question) -> Text | None:
    """Nobody should approve the end of a script unseen without knowing it."""
    hidden = len(question.script) - MAX_SCRIPT_CHARS
    if hidden <= 0:
        return None
    return Text(f"the last {hidden:,} characters are NOT shown: read them in the file", style="bold red")


def scan_summary(scan: ScanResult) -> Panel:
    """The findings as a table, or that there are none."""
    files = f"{len(scan.scanned)} file{'s' if len(scan.scanned) != 1 else ''}"
    if not scan.findings:
        return Panel(Text(f"✓ nothing dangerous found in {files}"), title="Scan", title_align="left")
    table = Table(box=None, pad_edge=False)
    for heading in ("Severity", "Where", "What", "Why"):
        table.add_column(heading, overflow="fold")
    for finding in scan.findings:
        where = printable(f"{finding.path}:{finding.line}", max_chars=200)
        what = printable(finding.matched, max_chars=120)
        why = f"{finding.explanation} ({finding.rule_id})"
        table.add_row(Text(finding.severity.name), Text(where), Text(what), Text(why))
    title = f"Scan: {len(scan.blocking)} blocking of {len(scan.findings)} findings in {files}"
    return Panel(table, title=title, title_align="left")


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


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown user"
