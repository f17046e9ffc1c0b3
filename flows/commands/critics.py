"""`refute critics`: critics of one ticket on demand, and what critics said lately."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from flows.commands.options import PLACE, in_order, load_settings, results, setting_options
from refute.critics.focus import Focus
from refute.ledger.reviews import ReviewRow, recent_reviews
from refute.ledger.store import Ledger
from refute.settings import Settings

EXIT_CODES: Final = {"FAILED_REVIEW": 10, "INCONCLUSIVE": 15}
FOCUS: Final = click.Choice([focus.value for focus in Focus])


_OPTIONS: Final = (
    click.option("--tester", metavar="NAME", help="gemini: a model reviews; property: linters and text checks."),
    click.option("--no-remediation", is_flag=True, help="Do not ask for fixes of confirmed findings."),
    setting_options("replay_dir", "max_cost_usd", "fresh"),
    results("table", "json", to_file=False),
)


@click.group()
def critics() -> None:
    """Critics review a change, each with one focus. `verify` runs them too."""


@critics.command(short_help="Run all critics of a ticket.")
@click.argument("ticket", type=PLACE)
@click.option("--focus", "focuses", type=FOCUS, multiple=True, help="Only these critics; repeatable.")
@in_order(*_OPTIONS)
def run(ticket: Path, focuses: tuple[str, ...], **options: Any) -> int:
    """Ask the critics of TICKET: those of the settings, its own `focus_areas`, its labels and folders.

    The author's script is not run. Exits with 10 where a test confirms a critical or major failure, 15 where a person
    must judge, else 0.
    """
    return _review(ticket, focuses, **options)


@critics.command(short_help="Run one critic.")
@click.argument("focus", type=FOCUS)
@click.argument("ticket", type=PLACE)
@in_order(*_OPTIONS)
def focus(focus: str, ticket: Path, **options: Any) -> int:
    """Ask the critic FOCUS about TICKET."""
    return _review(ticket, (focus,), **options)


@critics.command(short_help="Show recent reviews.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Only reviews since DAY (UTC).")
@results("table", "json", to_file=False)
def status(since: datetime | None, form: str) -> int:
    """Show recent reviews: passed, failed and cost per focus, then the latest."""
    from reports.reviews import render_reviews

    with closing(Ledger.open(Settings.load())) as ledger:
        rows: Sequence[ReviewRow] = recent_reviews(ledger, since=since.replace(tzinfo=UTC) if since else None)
    click.echo(render_reviews(rows, form))
    return 0


def _review(ticket: Path, focuses: Sequence[str], form: str, **options: Any) -> int:
    from flows.run import run_flow
    from refute.stages.evidence import Critique
    from reports.reviews import render_critique

    settings = load_settings(options).ad_hoc()

    def make() -> Any:
        from flows.review_ticket import ReviewRequest, review_ticket

        chosen, remediation = tuple(map(Focus, focuses)), not options["no_remediation"]
        request = ReviewRequest(ticket=ticket, focuses=chosen, remediation=remediation, settings=settings)
        return partial(review_ticket, request)

    critique = run_flow(make, Critique, settings)
    click.echo(render_critique(critique, form))
    return EXIT_CODES.get(critique.judgement.status or "", 0)
