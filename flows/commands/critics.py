"""`refute critics`: critics of one ticket on demand, and what critics said lately."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from flows.commands.values import Usd
from refute.critics.focus import Focus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from refute.ledger.reviews import ReviewRow
    from refute.stages.evidence import Critique

EXIT_CODES: Final = {"FAILED_REVIEW": 10, "INCONCLUSIVE": 15}
FOCUS: Final = click.Choice([focus.value for focus in Focus])


def _options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for option in reversed(
        (
            click.option("--tester", metavar="NAME", help="gemini: a model reviews; property: text checks only."),
            click.option(
                "--replay",
                type=click.Path(path_type=Path),
                metavar="DIR",
                help="Replay recorded answers.",
            ),
            click.option("--max-cost", type=Usd(), metavar="USD", help="Model budget, in USD.  [0.50]"),
            click.option("--no-remediation", is_flag=True, help="Do not ask for fixes of confirmed findings."),
            click.option("--fresh", is_flag=True, help="Ignore caches: call models again."),
            click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True),
        )
    ):
        command = option(command)
    return command


@click.group(short_help="Review a change with critics; list what they found.")
def critics() -> None:
    """Critics review a change, each with one focus. `verify` runs them too."""


@critics.command(short_help="Run all critics of a ticket.")
@click.argument("ticket", type=click.Path(path_type=Path))
@click.option("--focus", "focuses", type=FOCUS, multiple=True, help="Only these critics; repeatable.")
@_options
def run(ticket: Path, focuses: tuple[str, ...], **options: Any) -> int:
    """Ask the critics of TICKET: those of the settings, its own `focus_areas`, its labels and folders.

    The author's script is not run. Exits with 10 where a test confirms a critical or major failure, 15 where a person
    must judge, else 0.
    """
    return _review(ticket, focuses, **options)


@critics.command(short_help="Run one critic.")
@click.argument("focus", type=FOCUS)
@click.argument("ticket", type=click.Path(path_type=Path))
@_options
def focus(focus: str, ticket: Path, **options: Any) -> int:
    """Ask the critic FOCUS about TICKET."""
    return _review(ticket, (focus,), **options)


@critics.command(short_help="Show recent reviews.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only reviews since that day (UTC).")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def status(since: datetime | None, form: str) -> int:
    """Show recent reviews: passed, failed and cost per focus, then the latest."""
    from contextlib import closing
    from datetime import UTC

    from refute.ledger.reviews import recent_reviews
    from refute.ledger.store import Ledger
    from refute.settings import Settings
    from reports.reviews import render_reviews

    with closing(Ledger.open(Settings.load())) as ledger:
        rows: Sequence[ReviewRow] = recent_reviews(ledger, since=since.replace(tzinfo=UTC) if since else None)
    click.echo(render_reviews(rows, form))
    return 0


def _review(ticket: Path, focuses: "Sequence[str]", form: str, **options: Any) -> int:
    from flows.commands.testers import testers
    from flows.run import run_review
    from refute.settings import Settings
    from reports.reviews import render_critique

    settings = Settings.load(
        tester=testers(options["tester"], replay=options["replay"]),
        replay_dir=options["replay"],
        max_cost_usd=options["max_cost"],
        fresh=options["fresh"] or None,
    ).ad_hoc()
    chosen = tuple(map(Focus, focuses))
    critique: Critique = run_review(ticket, chosen, settings, remediation=not options["no_remediation"])
    click.echo(render_critique(critique, form))
    return EXIT_CODES.get(critique.judgement.status or "", 0)
