"""Put a batch's list to the person at the terminal: one table, one question, one answer for all of it."""

import sys
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.batch.answers import Listed, Reply, digest_of
from flows.terminal.approver import NO, YES, read_line
from refute.guardrails.plain_text import printable
from refute.scan.finding import ScanResult

ROWS_SHOWN: Final = 200


class TerminalList:
    """Asks at the terminal.

    Args:
        timeout_s: how long the answer is waited for.
        person: who sits there, for the audit log.
    """

    def __init__(self, *, timeout_s: float, person: str, console: Console | None = None) -> None:
        self._timeout_s = timeout_s
        self._person = person
        self._console = console or Console(stderr=True)

    def __call__(self, listed: tuple[Listed, ...]) -> Reply | None:
        """Ask; only a clear yes approves, only a clear no declines, all else leaves the tickets waiting."""
        self._console.print(describe(listed))
        question = f"Run these {len(listed)} scripts in the sandbox? [y/n, else they wait]"
        self._console.print(Text(question, style="bold"), end=" ")
        said = (read_line(self._timeout_s) or "").strip().lower()
        if not sys.stdin.isatty():
            self._console.print()
        by = f"person at the terminal ({self._person})"
        return Reply(approved=said in YES, by=by) if said in YES | NO else None


def _findings(scan: ScanResult) -> str:
    allowed = f", {len(scan.suppressed)} allowed" if scan.suppressed else ""
    return f"{len(scan.findings)}{allowed}"


def describe(listed: tuple[Listed, ...]) -> Table:
    """The list, with the digest of each ticket's files."""
    title = Text(f"Would run · list {digest_of(listed).removeprefix('sha256:')[:12]}")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("Ticket", "Title", "Script", "Findings", "Files"):
        table.add_column(heading, overflow="fold")
    for one in listed[:ROWS_SHOWN]:
        table.add_row(
            Text(one.ticket.id),
            Text(printable(one.ticket.title, max_chars=80)),
            Text(printable(str(one.ticket.workspace / one.ticket.verification_script), max_chars=200)),
            Text(_findings(one.scan)),
            Text(one.snapshot.digest.removeprefix("sha256:")[:12]),
        )
    if len(listed) > ROWS_SHOWN:
        table.add_row(Text(f"and {len(listed) - ROWS_SHOWN} more, NOT shown", style="bold red"))
    return table
