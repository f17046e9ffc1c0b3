"""`refute verify TICKET`: one ticket through the flow, its outcome on stdout, its verdict as the exit code."""

from pathlib import Path
from typing import Any

import click

from flows.commands.options import FOLDER, PLACE, YES, load_settings, results, setting_options
from flows.commands.output import check_writable, deliver, in_color
from flows.interruption import saying_what_is_kept
from flows.request import VerifyRequest
from refute.outcome import Outcome
from refute.scan.allow import load_allow_file
from refute.scan.core.tables import knowledge
from refute.ticket.parse import load_ticket


@click.command()
@click.argument("ticket", type=PLACE)
@click.option("--dry-run", is_flag=True, help="Show script, scan and planned commands; run nothing.")
@YES
@click.option("--allow-dangerous", is_flag=True, help="Offer to run despite dangerous findings; audited.")
@click.option(
    "--allow-network",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Allow jobs to reach HOST or HOST:PORT; repeatable; audited.",
)
@setting_options("scan_allow_file")
@click.option("--accept-weak", is_flag=True, help="Exit 0 for PASS_WEAK.")
@setting_options("tester", "max_cost_usd", "allow_unpriced", "fresh", "record_dir", "replay_dir", "mutants")
@setting_options("strength_floor", "verification_timeout_s", "attack_timeout_s", "memory_bytes", "cpus", "runtime")
@results("table", "json", "markdown", "junit")
@click.option("--tests-out", type=FOLDER, metavar="DIR", help="Save the attack's tests as pytest files in DIR.")
def verify(ticket: Path, form: str, output: Path | None, **options: Any) -> int:
    """Try to refute the claims of TICKET: a directory with ticket.yaml, or a YAML, JSON or JSON Lines file.

    The verification script is scanned, shown and confirmed, then runs in a container; tests written against
    the claims attack the implementation in another. The exit code is the verdict (see `refute --help`).
    """
    with saying_what_is_kept():
        request = _request(ticket, output, options)
        from flows.run import run_tickets
        from flows.terminal.progress import watching
        from refute.recording import reproducer_paths
        from reports.outcome_formats import render
    settings = request.settings
    with watching() as observer:
        (outcome,) = run_tickets([request], settings, observer=observer)
    paths = reproducer_paths(settings, outcome)
    text = render(outcome, form, color=in_color(output), reproducers=paths)
    kept = f"{outcome.ticket_id} ended {outcome.status}; `refute report --ticket {outcome.ticket_id}` has it."
    deliver(text, output, kept=kept)
    if options["tests_out"] is not None:
        _keep_tests(ticket, outcome, options["tests_out"])
    return 0 if options["accept_weak"] and outcome.status == "PASS_WEAK" else outcome.status.exit_code


def _request(ticket: Path, output: Path | None, options: dict[str, Any]) -> VerifyRequest:
    """What is asked for; faults in it are told before anything starts."""
    from refute.sandbox.network_hosts import read_hosts

    read_hosts(options["hosts"])
    load_ticket(ticket)
    settings = load_settings(options).ad_hoc()
    load_allow_file(settings.scan_allow_file)
    knowledge(settings.scan_tables)
    check_writable("--output", output)
    return VerifyRequest(
        ticket=ticket.resolve(),
        approval="in_advance" if options["yes"] else "ask",
        dry_run=options["dry_run"],
        allow_dangerous=options["allow_dangerous"],
        allow_network=options["hosts"],
        settings=settings,
    )


def _keep_tests(ticket: Path, outcome: Outcome, directory: Path) -> None:
    from refute.governance.kept_tests import keep_tests

    path = keep_tests(outcome, load_ticket(ticket), directory)
    click.echo(f"tests: {path}" if path else "tests: none to keep", err=True)
