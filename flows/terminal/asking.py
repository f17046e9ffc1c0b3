"""Ask at the terminal: what it is about first, then one question, with a time limit."""

import os
import select
import sys
import time
from collections.abc import Iterator
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from flows.confirmation.question import FINDING, AskedQuestion, AskedTicket, Reply, short
from flows.in_advance import user
from refute.approval import Question

RUN_OR_NOT: Final = {"y": True, "yes": True, "n": False, "no": False}
DISMISS_OR_NOT: Final = {"d": True, "dismiss": True, "u": False, "uphold": False}


def put_at_terminal(asked: AskedQuestion, timeout_s: float) -> Reply:
    """Show the question and read the answer from standard input; a batch's list can be left for later."""
    console = Console(stderr=True)
    console.print(*describe(asked), sep="\n")
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
    return "no terminal to ask at" + ("; use --yes" if asked.tickets else "")


def _prompt(asked: AskedQuestion, *, later: bool) -> Text:
    if asked.is_about_opinions:
        return Text("Is any of these a real failure? [uphold/dismiss]", style="bold")
    choice = "[y/n, Enter: later]" if later else "[y/N]"
    blocking = sum(ticket.blocking for ticket in asked.tickets)
    if blocking:
        what = "this finding" if blocking == 1 else f"these {blocking} findings"
        return Text(f"Run it in the sandbox in spite of {what}? {choice}", style="bold red")
    if not asked.tickets:
        return Text(f"Yes? {choice}", style="bold")
    what = f"these {asked.count} scripts" if asked.is_list and asked.count > 1 else "this script"
    return Text(f"Run {what} in the sandbox? {choice}", style="bold")


def person() -> str:
    """Who sits at the terminal, for audit log and ledger."""
    return f"person at the terminal ({user()})"


def show(question: Question) -> None:
    """Show what would run, and ask nothing."""
    Console(stderr=True).print(describe_ticket(AskedTicket.of(question)))


def describe(asked: AskedQuestion) -> Iterator[RenderableType]:
    """What a question is about: a list in one table, one ticket whole, or a text."""
    if asked.is_list:
        yield _table(asked)
    else:
        yield from map(describe_ticket, asked.tickets)
    if asked.text:
        heading, _, rest = asked.text.partition("\n")
        title = Text(f"{asked.subject}: {heading}")
        yield Panel(Text(rest.strip() or heading), title=title, title_align="left")


def _table(asked: AskedQuestion) -> Table:
    """A list, with the digest of each ticket's files."""
    title = Text(f"Would run · list {short(asked.digest)}")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("Ticket", "Title", "Script", "Scan", "Files"):
        table.add_column(heading, overflow="fold")
    for one in asked.tickets:
        table.add_row(*map(Text, (one.ticket_id, one.title, one.path, one.scan_mark, short(one.digest))))
    if asked.left_out:
        table.add_row(Text(f"and {asked.left_out} more, NOT shown", style="bold red"))
    return table


def describe_ticket(asked: AskedTicket) -> Group:
    """Script, scan and plan; of what critics say, that alone."""
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
