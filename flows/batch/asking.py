"""Put a batch's list to the person at the terminal: one table, one question, one answer for all of it."""

from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.batch.answers import Listed, digest_of
from flows.confirmation.question import Reply, short
from flows.terminal.approver import choose, person
from refute.guardrails.plain_text import printable
from refute.scan.finding import ScanResult

ROWS_SHOWN: Final = 200


def ask_at_terminal(listed: tuple[Listed, ...], *, timeout_s: float) -> Reply:
    """Ask; only a clear yes approves, only a clear no declines, all else leaves the tickets waiting.

    Args:
        listed: the tickets.
        timeout_s: how long the answer is waited for.
    """
    console = Console(stderr=True)
    console.print(describe(listed))
    question = f"Run these {len(listed)} scripts in the sandbox? [y/n, else they wait]"
    return Reply(approved=choose(console, question, timeout_s), by=person())


def _findings(scan: ScanResult) -> str:
    allowed = f", {len(scan.suppressed)} allowed" if scan.suppressed else ""
    return f"{len(scan.findings)}{allowed}"


def describe(listed: tuple[Listed, ...]) -> Table:
    """The list, with the digest of each ticket's files."""
    title = Text(f"Would run · list {short(digest_of(listed))}")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("Ticket", "Title", "Script", "Findings", "Files"):
        table.add_column(heading, overflow="fold")
    for one in listed[:ROWS_SHOWN]:
        table.add_row(
            Text(one.ticket.id),
            Text(printable(one.ticket.title, max_chars=80)),
            Text(printable(str(one.ticket.workspace / one.ticket.verification_script), max_chars=200)),
            Text(_findings(one.scan)),
            Text(short(one.snapshot.digest)),
        )
    if len(listed) > ROWS_SHOWN:
        table.add_row(Text(f"and {len(listed) - ROWS_SHOWN} more, NOT shown", style="bold red"))
    return table
