"""`refute gate`: the gate N2.5 of a workflow; one JSON document on stdout, the verdict as the exit code."""

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from flows.commands.options import FILE, PLACE, YES, load_settings, setting_options
from flows.commands.output import check_writable, deliver
from flows.interruption import saying_what_is_kept
from flows.request import VerifyRequest
from refute.governance.gate import GateDocument, gate_document, write_gate
from refute.governance.policy import load_policy, tightened
from refute.governance.ticketless import write_ticket
from refute.outcome import Outcome
from refute.settings import Settings
from refute.ticket.parse import load_ticket


@click.command()
@click.argument("ticket", type=PLACE, required=False)
@click.option("--policy", type=FILE, metavar="FILE", help="Policy that a PASS must meet (YAML).")
@click.option(
    "--implementation", "files", type=FILE, multiple=True, metavar="FILE", help="Without a ticket: code; repeatable."
)
@click.option("--claim", "claims", multiple=True, metavar="TEXT", help="Without a ticket: a claim; repeatable.")
@click.option("--verification-script", "script", type=FILE, metavar="FILE", help="Without a ticket: the script.")
@YES
@setting_options("tester", "replay_dir", "max_cost_usd", "fresh")
@click.option("--sarif", type=FILE, metavar="FILE", help="Also write the failures as SARIF.")
@click.option("--attest", type=FILE, metavar="FILE", help="Also write the verdict as signed in-toto statement.")
@click.option(
    "--verify", type=FILE, metavar="FILE", help="Run nothing; check an attestation against the files and the policy."
)
@click.option("--key", envvar="REFUTE_GATE_KEY", metavar="FILE", help="Ed25519 key (PEM); also REFUTE_GATE_KEY.")
def gate(ticket: Path | None, **options: Any) -> int:
    """Verify TICKET (default: the directory) for a workflow: gate N2.5.

    Prints one JSON document (docs/gate.schema.json) and exits as `refute verify` does, with 17 for SKIPPED. A PASS that
    does not meet the policy becomes PASS_WEAK (11). Send `failures` back to the implementer.

    With --verify nothing runs: prints the attested verdict and exits with its code, or 1 if the attestation is refused.
    """
    settings = load_settings(options)
    path = _ticket(ticket, settings, options)
    document = _checked(path, options) if options["verify"] else _verified(path, settings, options)
    kept = f"{document.ticket_id} ended {document.status}; `refute report --ticket {document.ticket_id}` has it."
    deliver(write_gate(document), None, kept=kept)
    return document.exit_code


def _ticket(ticket: Path | None, settings: Settings, options: dict[str, Any]) -> Path:
    """The ticket that is meant; one is written where none was given.

    Raises:
        click.UsageError: a ticket and its parts are given both, or a part is missing.
    """
    if options["verify"] and (options["attest"] or options["sarif"]):
        raise click.UsageError("--verify runs nothing: --attest and --sarif do not go with it")
    parts = (options["files"], options["claims"], options["script"])
    if not any(parts):
        return (ticket or Path()).resolve()
    if ticket is not None or not all(parts):
        raise click.UsageError("expected TICKET, or --implementation, --claim and --verification-script together")

    return write_ticket(settings, *parts)


def _verified(path: Path, settings: Settings, options: dict[str, Any]) -> GateDocument:
    """Verify the ticket and write what else was asked for."""
    with saying_what_is_kept():
        from refute.governance.signing import load_signing_key

        loaded, policy = load_ticket(path), load_policy(options["policy"])
        key = load_signing_key(options["key"]) if options["attest"] else None
        for option in ("attest", "sarif"):
            check_writable(f"--{option}", options[option])
        request = VerifyRequest(
            ticket=path,
            approval="in_advance" if options["yes"] else "ask",
            policy=options["policy"] and options["policy"].resolve(),
            settings=settings,
        )

    outcome = _run(request)
    document = gate_document(loaded, outcome, policy, tightened(settings, policy.policy, loaded))
    if key is not None:
        from refute.governance.attestation import attest

        own = _own(loaded.workspace, document, (options["attest"], options["sarif"]))
        options["attest"].write_bytes(attest(document, key, own=own))
    if options["sarif"]:
        from refute.governance.sarif import gate_sarif

        options["sarif"].write_text(gate_sarif(document, loaded, Path.cwd()), encoding="utf-8")
    return document


def _run(request: VerifyRequest) -> Outcome:
    from flows.run import run_tickets
    from flows.terminal.progress import watching

    with watching() as observer:
        (outcome,) = run_tickets([request], request.settings, observer=observer)
    return outcome


def _own(workspace: Path, document: GateDocument, written: Sequence[Path | None]) -> frozenset[str]:
    """Files of the ticket that this command writes itself, standard output among them: none can attest itself."""
    places = [path.stat() for path in written if path is not None]
    with contextlib.suppress(OSError, ValueError):  # no standard output
        places.append(os.fstat(sys.stdout.fileno()))
    found = ((name, workspace / name) for name in document.evidence.files)
    return frozenset(
        name for name, file in found if file.is_file() and any(os.path.samestat(file.stat(), one) for one in places)
    )


def _checked(path: Path, options: dict[str, Any]) -> GateDocument:
    """The verdict of an attestation, checked."""
    from refute.governance.attestation import check_attestation
    from refute.governance.signing import load_verifying_key

    key, policy = load_verifying_key(options["key"]), load_policy(options["policy"])
    return check_attestation(options["verify"].read_bytes(), key, load_ticket(path), policy)
