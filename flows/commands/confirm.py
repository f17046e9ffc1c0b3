"""`refute confirm`: the questions that wait in the Prefect UI, listed, shown and answered at a terminal."""

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from flows.confirmation.waiting import Waiting
    from refute.settings import Settings

WAITING_EXIT_CODE = 16
"""As for PENDING: the question goes on waiting."""
DIGEST_CHARS = 12


@click.command(short_help="Answer a question that waits in the Prefect UI.")
@click.argument("run", required=False)
@click.option("--show", is_flag=True, help="Show the question and answer nothing.")
@click.option("--yes", is_flag=True, help="Confirm without being asked; needs --files.")
@click.option("--no", "decline", is_flag=True, help="Decline without being asked.")
@click.option("--files", metavar="DIGEST", help="With --yes: confirm only these files (sha256:…, as --show prints it).")
@click.option("--note", default="", metavar="WHY", help="Why; kept with the answer in outcome, ledger and audit log.")
def confirm(run: str | None, *, show: bool, yes: bool, decline: bool, files: str | None, note: str) -> int:
    """Answer the question about RUN: a ticket, a batch, or the id of the run that waits. Without RUN, list them.

    Shows script, scan and planned limits, then asks. The answer holds for exactly the files that are shown.
    Exits with 0 once it is answered, 16 where the question goes on waiting, 3 where no such question waits.
    """
    if (run is None and (show or yes or decline)) or show + yes + decline > 1:
        raise click.UsageError("expected RUN and at most one of --show, --yes, --no")
    if note and (run is None or show):
        raise click.UsageError("--note goes with an answer")
    if yes != (files is not None):
        raise click.UsageError("--yes and --files go together: who is not shown the script names what is confirmed")
    from flows.confirmation.waiting import find_question, waiting_questions
    from flows.run import on_running_server
    from refute.settings import Settings

    settings = Settings.load()
    with on_running_server(settings) as api_url:
        waiting = waiting_questions() if api_url else []
        if run is None:
            return _list(waiting)
        found = find_question(run, waiting)
        if yes or decline:
            return _answer_unasked(found, files, approve=yes, note=note)
        return _put(found, settings, show=show, note=note)


def _list(waiting: "list[Waiting]") -> int:
    for one in waiting:
        asked = one.question
        blocking = sum(ticket.blocking for ticket in asked.tickets)
        count = len(asked.tickets) + asked.left_out
        single = asked.change.partition("\n")[0] if asked.change else asked.tickets[0].title
        what = f"{count} script{'s' if count != 1 else ''}" if asked.is_list else single
        danger = f"  {blocking} BLOCKING" if blocking else ""
        click.echo(f"{asked.subject}  {what}{danger}  until {asked.deadline:%Y-%m-%d %H:%M} UTC  {one.url}".rstrip())
    first = (
        f"answer with: refute confirm {waiting[0].question.subject}" if waiting else "no question waits for an answer"
    )
    click.echo(f"refute: {first}", err=True)
    return 0


def _put(found: "Waiting", settings: "Settings", *, show: bool, note: str) -> int:
    from rich.console import Console

    from flows.confirmation.waiting import answer
    from flows.in_advance import user
    from flows.terminal.approver import NO, YES, describe_ticket, read_line

    asked = found.question
    console = Console(stderr=not show)
    for ticket in asked.tickets:
        console.print(describe_ticket(ticket))
    if asked.change:
        console.print(asked.change, markup=False, highlight=False)
    console.print(
        f"{'Change' if asked.change else 'Files'}: {asked.digest}", markup=False, highlight=False, soft_wrap=True
    )
    if asked.left_out:
        console.print(f"and {asked.left_out} more, NOT shown", style="bold red")
    if show:
        return 0
    blocking = sum(ticket.blocking for ticket in asked.tickets)
    what = f"in spite of {blocking} blocking findings" if blocking else "in the sandbox"
    question = "Do this" if asked.change else f"Run this {what}"
    console.print(f"{question}? [y/n, else it waits]", markup=False, end=" ")
    said = (read_line(settings.confirmation_timeout_s) or "").strip().lower()
    if not sys.stdin.isatty():
        console.print()
    if said not in YES | NO:
        click.echo("refute: not answered; the question goes on waiting", err=True)
        return WAITING_EXIT_CODE
    answer(found, approve=said in YES, person=f"{user()} by refute confirm", note=note)
    return _said(found, approve=said in YES)


def _answer_unasked(found: "Waiting", files: str | None, *, approve: bool, note: str) -> int:
    from flows.confirmation.waiting import answer
    from flows.in_advance import user
    from refute.errors import UsageError

    if approve and files != found.question.digest:
        raise UsageError(
            f"--files: got {files}, but the question about {found.question.subject} is about {found.question.digest}",
            hint=f"Look at what changed: refute confirm {found.question.subject} --show",
        )
    answer(found, approve=approve, person=f"{user()} by refute confirm", note=note)
    return _said(found, approve=approve)


def _said(found: "Waiting", *, approve: bool) -> int:
    digest = found.question.digest.removeprefix("sha256:")[:DIGEST_CHARS]
    what = "change" if found.question.change else "files"
    click.echo(f"{found.question.subject}: {'confirmed' if approve else 'declined'} ({what} {digest})")
    return 0
