"""`refute bench DATASET`: how good a tester is, on code whose right and wrong versions are known."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from flows.batch.lines import BatchLines
from flows.batch.request import BatchRequest
from flows.batch.result import BatchResult
from flows.commands.options import PLACE, load_settings, results, setting_options
from flows.commands.output import check_writable, deliver, in_color
from refute.batch.tally import worst
from refute.bench.dataset import Pair, digest, read_dataset, write_tickets
from refute.bench.going_on import bench_name, newest_run, next_batch, run_outcomes
from refute.bench.score import INFRASTRUCTURE, score
from refute.critics.focus import CriticsSettings
from refute.ledger.store import Ledger
from refute.outcome import Outcome
from refute.settings import Settings


@click.command()
@click.argument("dataset", type=PLACE)
@setting_options("tester", "replay_dir", "record_dir")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Draw at most N programs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@setting_options("batch_containers", "max_cost_usd", "allow_unpriced")
@click.option("--critics", is_flag=True, help="Also run the critics, and measure each focus.")
@click.option("--again", is_flag=True, help="Start over instead of continuing an unfinished run.")
@results("table", "json", "markdown")
def bench(dataset: Path, form: str, output: Path | None, **options: Any) -> int:
    """Measure a tester on DATASET: JSON Lines of {id, entry_point, claims[], correct, wrong, hidden_test}.

    Both versions of every program become tickets under neutral names. The report shows wrong versions refuted, right
    versions failed (false fails), undecided ones, claims attacked, cost and time, with 95% intervals.

    Give the same command again to continue an interrupted run, or to repeat only the versions without a verdict
    (ERROR, budget spent). `refute report --bench` shows bench runs.
    """
    from reports.bench import render_bench

    pairs = read_dataset(dataset, limit=options["limit"], seed=options["seed"])
    settings = load_settings(
        options,
        mutants=0,  # a bench counts refutations; how strong each attack was would triple its time
        results_max_age_s=0,  # what it measures are runs
        critics=None if options["critics"] else CriticsSettings(focus_areas=()),
    )
    if options["critics"]:
        settings = settings.model_copy(update={"critics": settings.critics.model_copy(update={"always": True})})
    check_writable("--output", output)
    name = bench_name(settings.tester, _key(pairs, settings))
    result = _run(pairs, settings, name, again=options["again"])
    outcomes = _outcomes(settings, name)
    scored = score(pairs, outcomes, tester=settings.tester, dataset=dataset.name, dataset_sha256=digest(pairs))
    text = render_bench(scored, form, color=in_color(output))
    deliver(text, output, kept="Give the command again: programs that were measured are not run again.")
    if result.interrupted or result.unfinished:
        click.echo("Not finished: give the same command again to go on.", err=True)
        return result.status.exit_code
    return _without_verdict(outcomes)


def _without_verdict(outcomes: Mapping[str, Outcome]) -> int:
    """The exit code: not 0 where versions ended without a verdict, which is said."""
    ended = [outcome.status for outcome in outcomes.values() if outcome.status in INFRASTRUCTURE]
    if ended:
        told = ", ".join(f"{count} {status}" for status, count in sorted(Counter(ended).items()))
        click.echo(f"No verdict: {told}. Give the same command again to run just these (--again: all).", err=True)
    last = worst(ended)
    return last.exit_code if last is not None else 0


def _key(pairs: Sequence[Pair], settings: Settings) -> str:
    """What makes a run another one: the programs, and whose recorded answers are used."""
    replayed = str(settings.replay_dir.resolve()) if settings.replay_dir else ""
    critics = settings.critics.model_dump_json() if settings.critics.always else ""
    return sha256(f"{digest(pairs)}\0{replayed}{critics}".encode()).hexdigest()


def _run(pairs: Sequence[Pair], settings: Settings, name: str, *, again: bool) -> BatchResult:
    """Verify what is not measured yet as one batch: both tickets of every program at first."""
    from flows.run import run_batch

    with closing(Ledger.open(settings)) as ledger:
        due = next_batch(ledger, name, [one for pair in pairs for one in (pair.right, pair.wrong)], again=again)
    folder = settings.state_dir / "bench" / due.batch_id
    write_tickets(pairs, folder, only=due.tickets)
    request = BatchRequest(
        source=None if due.resume else folder,
        batch_id=None if due.resume else due.batch_id,
        resume=due.batch_id if due.resume else None,
        approval="in_advance",
        bench=True,
        settings=settings,
    )
    lines = BatchLines()
    try:
        return run_batch(request, settings, watcher=lines)
    finally:
        lines.stop()


def _outcomes(settings: Settings, name: str) -> Mapping[str, Outcome]:
    with closing(Ledger.open(settings)) as ledger:
        return run_outcomes(ledger, newest_run(ledger, name))
