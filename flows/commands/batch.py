"""`refute batch`: many tickets, in parallel, resumable; their outcomes on stdout, the worst one as the exit code."""

import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from flows.batch.lines import BatchLines
from flows.batch.request import BATCH_ID, BatchRequest
from flows.batch.result import BatchResult
from flows.commands.options import FILE, PLACE, YES, Moment, load_settings, results, setting_options
from flows.commands.output import check_writable, deliver, in_color
from flows.interruption import saying_what_is_kept
from refute.batch.allowance import load_allowances
from refute.errors import InfrastructureError, UsageError
from refute.ledger.batches import Batches
from refute.ledger.bench_runs import BENCH
from refute.ledger.store import Ledger
from refute.scan.allow import load_allow_file
from refute.scan.core.tables import knowledge
from refute.settings import Settings
from refute.ticket.sources import ticket_files

SELECTING = ("name", "labels", "only_failed", "since", "limit")
"""Options that say which tickets a new batch takes."""


@click.command()
@click.argument("source", type=PLACE, required=False)
@YES
@click.option("--resume", metavar="BATCH", help="Continue a batch; `latest`: the newest unfinished one.")
@click.option("--name", metavar="ID", help="Name of the new batch.  [default: date and time]")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Only tickets with this label; repeatable.")
@click.option("--only-failed", is_flag=True, help="Only tickets whose last run failed.")
@click.option(
    "--since",
    type=Moment(),
    metavar="WHEN",
    help="Only tickets changed (with --only-failed: failed) since 2026-11-20, 12h, 7d …",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N tickets.")
@setting_options("batch_containers")
@click.option(
    "--allow-dangerous",
    type=FILE,
    metavar="FILE",
    help="Reviewed allow-file: tickets (by snapshot) whose dangerous scripts may run.",
)
@setting_options("tester", "max_cost_usd", "mutants", "strength_floor", "fresh", "allow_unpriced", "scan_allow_file")
@click.option("--accept-weak", is_flag=True, help="Exit 0 if PASS_WEAK is the worst.")
@results("table", "json", "junit")
def batch(source: Path | None, form: str, output: Path | None, **options: Any) -> int:
    """Verify every ticket in SOURCE: a directory, searched recursively, or a JSON Lines file, one ticket a line.

    Nothing runs unapproved. --yes approves scripts that scan clean. At a terminal the tickets are listed and you are
    asked once. Otherwise they stay PENDING until the batch is resumed. A dangerous script is blocked unless an
    allow-file lists its exact files.

    An interrupted or killed batch continues with --resume; finished tickets and cached stages are not repeated. The
    exit code is that of the worst ticket (see `refute --help`), 16 if some are unfinished and none is worse.
    """
    with saying_what_is_kept():
        from flows.run import run_batch

        settings = load_settings(options)
        request = _request(source, options, settings)
        check_writable("--output", output)
    lines = BatchLines()
    try:
        result = run_batch(request, settings, watcher=lines)
    except InfrastructureError as error:
        if not lines.batch_id:
            raise
        after = f"After that, go on with: refute batch --resume {lines.batch_id}" + (" --yes" if options["yes"] else "")
        raise type(error)(error.message, hint=f"{error.hint}\n  {after}".lstrip()) from error
    finally:
        lines.stop()
    _show(result, settings, form, output)
    accepted = options["accept_weak"] and result.status == "PASS_WEAK"
    return 0 if accepted else result.status.exit_code


def _request(source: Path | None, options: dict[str, Any], settings: Settings) -> BatchRequest:
    from flows.batch.opening import new_batch_id

    load_allow_file(settings.scan_allow_file)
    knowledge(settings.scan_tables)
    resume = options["resume"]
    if resume is not None and (given := [name for name in SELECTING if options[name]]):
        named = ", ".join("--" + name.replace("_", "-").removesuffix("s") for name in given)
        raise UsageError(f"batch: got --resume with {named}; a batch keeps the tickets that it began with")
    if (source is None) == (resume is None):
        got = "neither" if source is None else "both"
        raise UsageError(f"batch: expected either tickets (SOURCE) or --resume BATCH, got {got}")
    if source is not None:
        ticket_files(source, below=True)  # a mistyped path is told before anything starts
    return BatchRequest(
        source=source.resolve() if source else None,
        batch_id=None if resume else _name(options["name"]) or new_batch_id(),
        resume=resume,
        approval="in_advance" if options["yes"] else "ask" if sys.stdin.isatty() else "pending",
        labels=options["labels"],
        only_failed=options["only_failed"],
        since=options["since"],
        limit=options["limit"],
        allow_dangerous=_allow_file(options["allow_dangerous"]),
        fresh=settings.fresh,
        settings=settings,
    )


def _allow_file(path: Path | None) -> Path | None:
    """The path, absolute; a fault in the file is told before anything starts."""
    if path is not None:
        load_allowances(path)
    return path.resolve() if path is not None else None


def _name(name: str | None) -> str | None:
    if name is not None and not re.fullmatch(BATCH_ID, name):
        raise click.BadParameter(f"got {name!r}, expected letters, digits, `.`, `_`, `-`", param_hint="--name")
    if name is not None and name.startswith(BENCH):
        told = f"got {name!r}, but {BENCH!r} begins the names of bench runs, which reports leave out"
        raise click.BadParameter(told, param_hint="--name")
    return name


def _show(result: BatchResult, settings: Settings, form: str, output: Path | None) -> None:
    from flows.batch.document import render_result

    with closing(Ledger.open(settings)) as ledger:
        text = render_result(result, Batches(ledger), form, color=in_color(output))
    try:
        kept = f"Batch {result.batch_id}: {result.words()}; `refute batch --resume {result.batch_id}` shows it again."
        deliver(text, output, kept=kept)
    finally:
        found = settings.state_dir / "runs" / result.batch_id
        if result.status.exit_code and found.is_dir():  # other machines keep what they found
            click.echo(f"What was found, with reproducers: {found}", err=True)
        if result.interrupted:
            click.echo(f"refute: {result.interrupted}; {result.words()}", err=True)
        if result.waiting or result.unfinished:
            how = " (at a terminal; or with --yes)" if result.waiting else ""
            click.echo(f"Go on with: refute batch --resume {result.batch_id}{how}", err=True)
