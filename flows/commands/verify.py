"""`refute verify TICKET`: one ticket through the flow, its outcome on stdout, its verdict as the exit code."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flows.commands.testers import testers
from flows.commands.values import Usd, parse_size
from refute.settings import Settings

if TYPE_CHECKING:
    from flows.request import VerifyRequest
    from refute.outcome import Outcome


@click.command(short_help="Try to refute one ticket's claims.")
@click.argument("ticket", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show script, scan and planned commands; run nothing.")
@click.option("--yes", "--auto-confirm", "yes", is_flag=True, help="Approve in advance a script that scans clean.")
@click.option("--allow-dangerous", is_flag=True, help="Offer to run despite dangerous findings; audited.")
@click.option(
    "--allow-network",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Allow jobs to reach HOST or HOST:PORT; repeatable; audited.",
)
@click.option(
    "--scan-allow-file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Reviewed allow-file: scan findings that must not block.",
)
@click.option("--accept-weak", is_flag=True, help="Exit 0 for PASS_WEAK.")
@click.option("--tester", metavar="NAME[,NAME]", help="Who writes the attack: property, gemini, or both.  [property]")
@click.option("--max-cost", type=Usd(), metavar="USD", help="Model budget of this ticket, in USD.  [0.50]")
@click.option("--allow-unpriced", is_flag=True, help="Allow models without a known price (cost: unknown).")
@click.option("--fresh", is_flag=True, help="Ignore caches: run every stage and model call again.")
@click.option("--record", type=click.Path(path_type=Path), metavar="DIR", help="Save the model's answers in DIR.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Replay answers saved with --record; no model is called.",
)
@click.option("--mutants", type=int, metavar="N", help="Mutants to measure test strength with; 0: none.  [30]")
@click.option("--strength-floor", type=float, metavar="S", help="Least strength for PASS, 0 to 1.  [0.6]")
@click.option(
    "--timeout-verification", type=float, metavar="S", help="Time limit of the verification script, in s.  [300]"
)
@click.option("--timeout-adversarial", type=float, metavar="S", help="Time limit of the whole attack, in s.  [600]")
@click.option("--memory", metavar="SIZE", help="Memory limit, e.g. 512m or 2g.  [2g]")
@click.option("--cpus", type=float, metavar="N", help="CPU limit.  [2]")
@click.option("--runtime", metavar="NAME", help="Container runtime, e.g. runsc.  [the engine's default]")
@click.option(
    "--format", "form", type=click.Choice(["table", "json", "markdown", "junit"]), default="table", show_default=True
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE instead of stdout.")
@click.option(
    "--tests-out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Save the attack's tests as pytest files in DIR.",
)
def verify(ticket: Path, form: str, output: Path | None, **options: Any) -> int:
    """Try to refute the claims of TICKET: a directory with ticket.yaml, or a YAML, JSON or JSON Lines file.

    The verification script is scanned, shown and confirmed, then runs in a container; tests written against
    the claims attack the implementation in another. The exit code is the verdict (see `refute --help`).
    """
    from flows.interruption import saying_what_is_kept

    with saying_what_is_kept():
        request = _request(ticket, output, options)
        from flows.commands.output import deliver
        from flows.run import run_tickets
        from flows.terminal.progress import watching
        from refute.recording import reproducer_paths
        from reports.outcome_formats import render
    settings = request.settings
    with watching() as observer:
        (outcome,) = run_tickets([request], settings, observer=observer)
    paths = reproducer_paths(settings, outcome)
    text = render(outcome, form, color=output is None and sys.stdout.isatty(), reproducers=paths)
    kept = f"{outcome.ticket_id} ended {outcome.status}; `refute report --ticket {outcome.ticket_id}` has it."
    deliver(text, output, kept=kept)
    if options["tests_out"] is not None:
        _keep_tests(ticket, outcome, options["tests_out"])
    return _exit_code(outcome.status.exit_code, accept_weak=options["accept_weak"])


def _request(ticket: Path, output: Path | None, options: dict[str, Any]) -> "VerifyRequest":
    """What is asked for; faults in it are told before anything starts."""
    from flows.commands.output import check_writable
    from flows.request import VerifyRequest
    from refute.sandbox.network_hosts import read_hosts
    from refute.scan.allow import load_allow_file
    from refute.scan.core.tables import knowledge
    from refute.ticket.parse import load_ticket

    read_hosts(options["hosts"])
    load_ticket(ticket)
    settings = _settings(options)
    load_allow_file(settings.scan_allow_file)
    knowledge(settings.scan_tables)
    if output is not None:
        check_writable("--output", output)
    return VerifyRequest(
        ticket=ticket.resolve(),
        approval="in_advance" if options["yes"] else "ask",
        dry_run=options["dry_run"],
        allow_dangerous=options["allow_dangerous"],
        allow_network=options["hosts"],
        settings=settings,
    )


def _keep_tests(ticket: Path, outcome: "Outcome", directory: Path) -> None:
    from refute.governance.kept_tests import keep_tests
    from refute.ticket.parse import load_ticket

    path = keep_tests(outcome, load_ticket(ticket), directory)
    click.echo(f"tests: {path}" if path else "tests: none to keep", err=True)


def _exit_code(code: int, *, accept_weak: bool) -> int:
    from refute.outcome import Status

    return 0 if accept_weak and code == Status.PASS_WEAK.exit_code else code


def _settings(options: dict[str, Any]) -> Settings:
    """The settings with this call's flags on top."""
    memory = options["memory"]
    return Settings.load(
        verification_timeout_s=options["timeout_verification"],
        attack_timeout_s=options["timeout_adversarial"],
        memory_bytes=parse_size(memory) if memory else None,
        cpus=options["cpus"],
        runtime=options["runtime"],
        scan_allow_file=options["scan_allow_file"],
        tester=testers(options["tester"], replay=options["replay"]),
        max_cost_usd=options["max_cost"],
        allow_unpriced=options["allow_unpriced"] or None,
        mutants=options["mutants"],
        strength_floor=options["strength_floor"],
        fresh=options["fresh"] or None,
        record_dir=options["record"],
        replay_dir=options["replay"],
    ).ad_hoc()
