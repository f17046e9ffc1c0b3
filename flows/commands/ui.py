"""`refute ui`: Prefect's server and pages on this machine, with the deployments and a worker, until Ctrl-C."""

import os

import click

from flows.interruption import interruptions
from flows.orchestrator.keeper import PREFERRED_PORT
from flows.orchestrator.server import server_lease
from refute.settings import Settings


@click.command()
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=PREFERRED_PORT,
    show_default=True,
    metavar="N",
    help="Port of the server.",
)
def ui(port: int) -> int:
    """Run the Prefect server, the deployments of prefect.yaml and a worker until Ctrl-C; prints the address.

    Only this machine can reach the server (127.0.0.1). It keeps the runs of `refute verify` and `refute batch`, which
    use it while it is there. A second `refute ui` prints the address of the first.

    Schedules of prefect.yaml are active while this runs; see them, or switch them off, under Deployments.
    """
    from flows.orchestrator.machine import Machine

    settings = Settings.load()
    if configured := os.environ.get("PREFECT_API_URL"):
        return _configured(configured, settings)
    reason = ""
    with interruptions() as signals, Machine(settings, port=port, say=_say) as machine:
        try:
            with signals.let_through():
                first = machine.bring_up()
                if first is not None:
                    click.echo(first.api_url.removesuffix("/api"))
                    _say(f"already running (pid {first.keeper_pid})")
                    return 0
                click.echo(machine.api_url.removesuffix("/api"))
                _say("server, deployments and a worker are up; Ctrl-C ends them")
                machine.watch()
        except KeyboardInterrupt as interrupt:
            reason = str(interrupt) or "interrupted"
    _say(f"{reason}; everything is stopped, the history is kept")
    return 0


def _configured(api_url: str, settings: Settings) -> int:
    """A server that somebody else keeps is not ours to start or stop."""
    with server_lease(settings, say=_say):
        click.echo(api_url.removesuffix("/").removesuffix("/api"))
    _say("PREFECT_API_URL names this server; its deployments come from deployments/apply.py. Nothing was started.")
    return 0


def _say(line: str) -> None:
    click.echo(f"refute: {line}", err=True)
