"""`refute audit verify`: whether the audit log is as it was written, to its end."""

from contextlib import closing
from pathlib import Path

import click

from flows.commands.options import FILE
from refute.guardrails.audit_chain import ChainHead, ChainReport, log_name, verify_chain
from refute.guardrails.plain_text import printable
from refute.ledger.store import Ledger
from refute.settings import Settings
from refute.wording import counted

SHOWN = 20


@click.group()
def audit() -> None:
    """The audit log: one line per gate decision, hash-chained."""


@audit.command(short_help="Check the hash chain, and its end against the ledger.")
@click.argument("logs", nargs=-1, type=FILE)
def verify(logs: tuple[Path, ...]) -> int:
    """Check the audit log for changed, removed or moved lines, and for a cut end; exits 1 if it finds any.

    The ledger keeps with each outcome the line that the log ended with. If that line is missing, the log was cut or
    rotated: name the rotated files too, the configured log first.
    """
    settings = Settings.load()
    usual = dict.fromkeys((settings.audit_path, settings.ad_hoc().audit_path))
    files = logs or tuple(path for path in usual if path.exists())
    with closing(Ledger.open(settings)) as ledger:
        heads = {head for path in (logs[:1] or usual) for head in ledger.audit_heads(log_name(path))}
    if not files:
        return _tell_of_none(settings.audit_path, len(heads))
    reports = [verify_chain(path, heads=heads) for path in files]
    missing = heads.difference(*(report.found for report in reports))
    for report in reports:
        _tell(report)
    _tell_missing(heads, missing)
    return 1 if missing or not all(report.intact for report in reports) else 0


def _tell_of_none(path: Path, verdicts: int) -> int:
    """That the log of the settings is not there; the exit code."""
    expected = f"the ledger has {counted(verdicts, 'verdict')} of it" if verdicts else "nothing was checked"
    click.echo(f"{printable(str(path.absolute()))}: no audit log; {expected}")
    click.echo("  Run this where refute runs, or name the log: refute audit verify FILE")
    return 1


def _tell(report: ChainReport) -> None:
    state = "chain intact" if report.intact else counted(len(report.breaks), "broken link")
    told = f"{counted(report.lines, 'line')}, {state}, head {report.head.hash[:16]}" if report.lines else "empty"
    click.echo(f"{printable(str(report.path))}: {told}")
    for one in report.breaks[:SHOWN]:
        click.echo(f"  line {one.line}: {one.problem}")
    if len(report.breaks) > SHOWN:
        click.echo(f"  and {len(report.breaks) - SHOWN} more")
    if report.fenced:
        click.echo(f"  torn by a crash or a full disk, and accounted for: {counted(report.fenced, 'line')}")
    if report.unfinished_bytes:
        click.echo(f"  ends in a partial line of {report.unfinished_bytes} bytes (crash, or write in progress)")


def _tell_missing(heads: set[ChainHead], missing: set[ChainHead]) -> None:
    if not heads:
        click.echo("ledger: no verdict of this log, so lines cut off its end would not show")
        return
    click.echo(f"ledger: {len(heads) - len(missing)} of {counted(len(heads), 'verdict')} found in the log")
    if missing:
        first = min(missing, key=lambda head: head.sequence)
        click.echo(
            f"  {len(missing)} missing, the first at line {first.sequence} ({first.hash[:16]}): lines were cut off or "
            "changed, or the log was moved: then name the moved file too"
        )
