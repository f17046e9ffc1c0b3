"""`refute demo`: the bundled sample tickets, each with the verdict it must get."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from refute.outcome import Outcome

SAMPLES = Path(__file__).resolve().parents[2] / "examples" / "tickets"


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, exists=True, file_okay=False), default=SAMPLES)
@click.option("--timeout-verification", type=float, default=10, show_default=True, metavar="S")
def demo(directory: Path, timeout_verification: float) -> int:
    """Verify every sample ticket under DIRECTORY and show each verdict beside the one it must get.

    Exits 1 where a verdict differs. No key and no network are needed.
    """
    import yaml

    from flows.request import VerifyRequest
    from flows.run import run_tickets
    from refute.settings import Settings
    from reports.outcome_table import render_batch

    settings = Settings.load(verification_timeout_s=timeout_verification)
    places = sorted(path.parent for path in directory.glob("*/ticket.yaml"))
    expected = {place: yaml.safe_load((place / "expected.yaml").read_text()) for place in places}
    requests = [VerifyRequest(ticket=place, approval="in_advance", settings=settings) for place in places]
    outcomes: list[Outcome] = []
    for place, outcome in zip(places, run_tickets(requests, settings), strict=True):
        outcomes.append(outcome)
        click.echo(f"[{len(outcomes)}/{len(places)}] {place.name}: {outcome.status}", err=True)
    statuses = [expected[place]["status"] for place in places]
    click.echo(render_batch(outcomes, expected=statuses, color=sys.stdout.isatty()))
    wrong = [o for o, place in zip(outcomes, places, strict=True) if not _as_expected(o, expected[place])]
    return 1 if wrong else 0


def _as_expected(outcome: "Outcome", expected: dict[str, object]) -> bool:
    refuted = [claim.claim_id for claim in outcome.claims if claim.verdict == "refuted"]
    return outcome.status == expected["status"] and refuted == (expected.get("refuted") or [])
