"""`refute issue`: the reference workflow of an issue, N0 to N6."""

import json
import shlex
from functools import partial
from pathlib import Path
from typing import Any

import click

from flows.commands.options import FILE, FOLDER, PLACE, YES
from flows.commands.output import deliver
from flows.issue import IssueRecord, IssueRequest
from refute.settings import Settings
from refute.ticket.parse import load_ticket


@click.command()
@click.argument("ticket", type=PLACE)
@click.option(
    "--implement", metavar="COMMAND", help="Command that implements; gets failures as JSON on stdin.  [ask a person]"
)
@click.option("--policy", type=FILE, metavar="FILE", help="Policy of the gate.")
@click.option("--design", type=FILE, metavar="FILE", help="Design document of the ticket.")
@click.option(
    "--max-rework",
    type=click.IntRange(0, 20),
    default=2,
    show_default=True,
    help="Rework rounds before a person is asked.",
)
@YES
@click.option("--out", type=FOLDER, metavar="DIR", help="Folder to file the record in.")
def issue(ticket: Path, implement: str | None, *, yes: bool, **options: Any) -> int:
    """Take TICKET through the nodes N0 to N6 and print the record as JSON.

    Exits 0 if it is filed, 12 if its design is blocked, 13 if a person rejects it, else with the gate's code.
    """
    from flows.run import run_flow
    from flows.terminal.progress import watching

    load_ticket(ticket)
    settings = Settings.load().ad_hoc()
    given = {name: path.resolve() if isinstance(path, Path) else path for name, path in options.items()}
    given |= {"ticket": ticket.resolve(), "approval": "in_advance" if yes else "ask", "settings": settings}

    def make() -> Any:
        from flows.issue_workflow import issue_workflow

        return partial(issue_workflow, IssueRequest(**given, implement=shlex.split(implement or "")))

    with watching() as observer:
        record = run_flow(make, IssueRecord, settings, observer)
    deliver(json.dumps(record.document(), indent=2), None, kept=f"{record.filed_in or 'the ledger'} has the verdict.")
    return record.exit_code
