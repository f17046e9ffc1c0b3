"""`refute issue`: the reference workflow of an issue, N0 to N6."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from flows.issue import IssueRecord


@click.command(short_help="The reference workflow: implement, refute, review, file.")
@click.argument("ticket", type=click.Path(path_type=Path))
@click.option("--implement", metavar="COMMAND", help="Implements it: failures as JSON on stdin.  [a person is asked]")
@click.option("--policy", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The gate's policy.")
@click.option("--design", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Its design document.")
@click.option("--max-rework", type=click.IntRange(0, 20), default=2, show_default=True, help="Returns before asking.")
@click.option("--yes", "--auto-confirm", "yes", is_flag=True, help="Approve in advance a script that scans clean.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where it is filed.")
def issue(ticket: Path, implement: str | None, *, yes: bool, **options: Any) -> int:
    """Take TICKET through the nodes N0 to N6 and print the record as JSON.

    Exits with 0 where it is filed, 12 where its design is blocked, 13 where a person rejects it, else as the gate did.
    """
    from flows.commands.output import deliver
    from flows.run import run_heard
    from flows.terminal.progress import watching
    from refute.settings import Settings
    from refute.ticket.parse import load_ticket

    load_ticket(ticket)
    settings = Settings.load().ad_hoc()
    given = {name: path.resolve() if isinstance(path, Path) else path for name, path in options.items()}
    given |= {"ticket": ticket.resolve(), "approval": "in_advance" if yes else "ask", "settings": settings}

    def make(hear: Any) -> Any:
        from functools import partial

        from flows.issue import IssueRequest
        from flows.issue_workflow import issue_workflow

        return partial(issue_workflow, IssueRequest(**given, implement=shlex.split(implement or ""), hear=hear))

    with watching() as observer:
        record: IssueRecord = run_heard(make, settings, observer)
    deliver(json.dumps(record.document(), indent=2), None, kept=f"{record.filed_in or 'the ledger'} has the verdict.")
    return record.exit_code
