"""`refute demo`: the bundled sample tickets, each with the verdict it must get."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

if TYPE_CHECKING:
    from flows.request import VerifyRequest
    from refute.outcome import Outcome

SAMPLES: Final = Path(__file__).resolve().parents[2] / "examples" / "tickets"


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, exists=True, file_okay=False), default=SAMPLES)
def demo(directory: Path) -> int:
    """Verify every sample ticket under DIRECTORY and show each verdict beside the one it must get.

    A sample's `expected.yaml` names the status, the refuted claims, and settings that differ from the defaults.
    Exits 1 where a verdict differs. No key and no network are needed.
    """
    from flows.run import run_tickets
    from flows.terminal.progress import watching
    from refute.outcome import Status
    from refute.settings import Settings
    from reports.outcome_table import render_batch

    samples = [_sample(path.parent) for path in sorted(directory.glob("*/ticket.yaml"))]
    outcomes: list[Outcome] = []
    with watching(lines=False) as observer:
        runs = run_tickets([one.request for one in samples], Settings.load(), observer=observer)
        for sample, outcome in zip(samples, runs, strict=True):
            outcomes.append(outcome)
            observer.stop()
            if outcome.status is Status.CANCELLED:  # all are approved in advance, so this was Ctrl-C
                raise click.Abort
            click.echo(f"[{len(outcomes)}/{len(samples)}] {sample.request.ticket.name}: {outcome.status}", err=True)
    expected = [sample.status for sample in samples]
    click.echo(render_batch(outcomes, expected=expected, color=sys.stdout.isatty()))
    return 0 if all(map(_as_expected, samples, outcomes)) else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample ticket with what it must get."""

    request: "VerifyRequest"
    status: str
    refuted: tuple[str, ...]


def _sample(directory: Path) -> Sample:
    import yaml

    from flows.request import VerifyRequest
    from refute.settings import Settings

    expected = cast("dict[str, Any]", yaml.safe_load((directory / "expected.yaml").read_text()))
    settings = Settings.load(**expected.get("settings", {}))
    return Sample(
        request=VerifyRequest(ticket=directory, approval="in_advance", settings=settings),
        status=expected["status"],
        refuted=tuple(expected["refuted"]),
    )


def _as_expected(sample: Sample, outcome: "Outcome") -> bool:
    refuted = tuple(claim.claim_id for claim in outcome.claims if claim.verdict == "refuted")
    return (outcome.status, refuted) == (sample.status, sample.refuted)
