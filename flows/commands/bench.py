"""`refute bench DATASET`: how good a tester is, on code whose right and wrong versions are known."""

import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.batch.request import BatchRequest
    from flows.batch.result import BatchResult
    from refute.bench.dataset import Pair
    from refute.bench.score import BenchScore
    from refute.settings import Settings


@click.command(short_help="Measure a tester on code known to be right or wrong.")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--tester", metavar="NAME[,NAME]", help="Who writes the attacks: property, gemini, or both.  [property]")
@click.option("--replay", type=click.Path(path_type=Path), metavar="DIR", help="Use recorded answers; ask no model.")
@click.option("--record", type=click.Path(path_type=Path), metavar="DIR", help="Record the model's answers there.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Draw at most N programs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw.")
@click.option("--parallel", type=click.IntRange(1, 256), metavar="N", help="Containers at once.  [default: cores]")
@click.option("--max-cost", type=Decimal, metavar="USD", help="Most that models may cost for one ticket.  [0.50]")
@click.option("--allow-unpriced", is_flag=True, help="Call models without a known price; cost is then unknown.")
@click.option("--again", is_flag=True, help="Start over, also where an unfinished run could go on.")
@click.option("--format", "form", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write there instead of stdout.")
def bench(dataset: Path, form: str, output: Path | None, **options: Any) -> int:
    """Measure a tester on DATASET: JSON Lines of {id, entry_point, claims[], correct, wrong, hidden_test}.

    Both versions of every program become tickets under names that do not tell which is which. Reported are wrong
    versions refuted, right versions that failed (false fails), undecided ones, claims attacked, cost and time, with 95%
    intervals. A run that was interrupted goes on when the same command is given again.
    """
    from flows.commands.output import check_writable, deliver
    from flows.commands.testers import testers
    from refute.bench.dataset import digest, read_dataset
    from refute.settings import Settings
    from reports.bench import render_bench

    pairs = read_dataset(dataset, limit=options["limit"], seed=options["seed"])
    settings = Settings.load(
        tester=testers(options["tester"], replay=options["replay"] is not None),
        replay_dir=options["replay"],
        record_dir=options["record"],
        max_cost_usd=options["max_cost"],
        allow_unpriced=options["allow_unpriced"] or None,
        mutants=0,  # a bench counts refutations; how strong each attack was would triple its time
        kept_runs_max_age_s=0,  # what it measures are runs
        batch_containers=options["parallel"],
    )
    if output is not None:
        check_writable("--output", output)
    name = f"bench-{settings.tester}-{digest(pairs)[:12]}"
    result = _run(pairs, settings, name, again=options["again"])
    scored = _score(pairs, settings, result.batch_id, dataset)
    text = render_bench(scored, form, color=output is None and sys.stdout.isatty())
    deliver(text, output, kept="Give the command again: programs that were measured are not run again.")
    if result.interrupted or result.unfinished:
        click.echo("Not finished: give the same command again to go on.", err=True)
        return result.status.exit_code
    return 0


def _run(pairs: "Sequence[Pair]", settings: "Settings", name: str, *, again: bool) -> "BatchResult":
    """Verify both tickets of every program as one batch; an unfinished one of the same name goes on."""
    from flows.batch.lines import BatchLines
    from flows.run import run_batch
    from refute.bench.dataset import write_tickets

    folder = settings.state_dir / "bench" / name
    write_tickets(pairs, folder)
    lines = BatchLines()
    try:
        return run_batch(_request(settings, folder, name, again=again), settings, watcher=lines)
    finally:
        lines.stop()


def _request(settings: "Settings", folder: Path, name: str, *, again: bool) -> "BatchRequest":
    """The batch: a new one, or the unfinished one of the same name."""
    from contextlib import closing

    from flows.batch.opening import new_batch_id
    from flows.batch.request import BatchRequest
    from refute.errors import RefuteError
    from refute.ledger.batches import Batches
    from refute.ledger.store import Ledger

    batch_id, resume = name, None
    with closing(Ledger.open(settings)) as ledger:
        try:
            Batches(ledger).find(name)
        except RefuteError:
            pass  # there is none yet
        else:
            rows = Batches(ledger).tickets(name)
            if again or all(row.finished for row in rows):
                batch_id = f"{name}-{new_batch_id()}"[:64]
            else:
                resume = name
    return BatchRequest(
        source=None if resume else folder,
        batch_id=None if resume else batch_id,
        resume=resume,
        approval="in_advance",
        settings=settings,
    )


def _score(pairs: "Sequence[Pair]", settings: "Settings", batch_id: str, dataset: Path) -> "BenchScore":
    from contextlib import closing

    from refute.bench.dataset import digest
    from refute.bench.score import score
    from refute.ledger.batches import Batches
    from refute.ledger.store import Ledger

    with closing(Ledger.open(settings)) as ledger:
        outcomes = {str(outcome.ticket_id): outcome for outcome in Batches(ledger).outcomes(batch_id)}
    return score(pairs, outcomes, tester=settings.tester, dataset=dataset.name, dataset_sha256=digest(pairs))
