"""`refute demo`: the bundled sample tickets, each with the verdict it must get."""

import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import click

from flows.commands.output import deliver
from flows.request import VerifyRequest
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings

SAMPLES: Final = Path(__file__).resolve().parents[2] / "examples" / "tickets"
PAGE: Final = "demo.html"
"""In the state directory."""


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, exists=True, file_okay=False), default=SAMPLES)
def demo(directory: Path) -> int:
    """Verify every sample ticket under DIRECTORY and compare each verdict with the expected one.

    Without DIRECTORY these are the samples that come with refute. A sample's `expected.yaml` names the status, the
    refuted claims, and settings that differ from the defaults. Exits 1 where a verdict differs. No key and no network
    are needed. Writes the report of these runs as a page.
    """
    from flows.run import run_tickets
    from flows.terminal.progress import watching
    from reports.outcome_formats import render_batch

    began, settings = datetime.now(UTC), Settings.load().ad_hoc()
    samples = [_sample(path.parent) for path in sorted(directory.glob("*/ticket.yaml"))]
    outcomes: list[Outcome] = []
    with watching(lines=False) as observer:
        runs = run_tickets([one.request for one in samples], settings, observer=observer)
        for sample, outcome in zip(samples, runs, strict=True):
            outcomes.append(outcome)
            observer.stop()
            if outcome.status is Status.CANCELLED:  # all are approved in advance, so this was Ctrl-C
                raise click.Abort
            click.echo(f"[{len(outcomes)}/{len(samples)}] {sample.request.ticket.name}: {outcome.status}", err=True)
    expected = [sample.status for sample in samples]
    click.echo(render_batch(outcomes, expected=expected, color=sys.stdout.isatty()))
    _write_page(settings, began)
    return 0 if all(map(_as_expected, samples, outcomes)) else 1


def _write_page(settings: Settings, began: datetime) -> None:
    """The report of what ran since, as `refute report --html` writes it."""
    from reports.html import render_html
    from reports.report import make_report
    from reports.scope import Scope

    with closing(Ledger.open(settings)) as ledger:
        made = make_report(ledger, settings, Scope(since=began), datetime.now(UTC))
    page = settings.state_dir / PAGE
    deliver(render_html(made), page, option="the report", kept="`refute report --html FILE` writes it elsewhere.")
    click.echo(f"The report as a page: {page}", err=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample ticket with what it must get."""

    request: VerifyRequest
    status: str
    refuted: tuple[str, ...]


def _sample(directory: Path) -> Sample:
    import yaml

    expected = cast("dict[str, Any]", yaml.safe_load((directory / "expected.yaml").read_text()))
    settings = Settings.load(**expected.get("settings", {})).ad_hoc()
    return Sample(
        request=VerifyRequest(ticket=directory, approval="in_advance", settings=settings),
        status=expected["status"],
        refuted=tuple(expected["refuted"]),
    )


def _as_expected(sample: Sample, outcome: Outcome) -> bool:
    refuted = tuple(claim.claim_id for claim in outcome.claims if claim.verdict == "refuted")
    return (outcome.status, refuted) == (sample.status, sample.refuted)
