"""Make an outcome durable, exactly once: audit log, ledger and CSV, evidence files a person can open and run."""

import contextlib
import os
import re
from dataclasses import replace
from pathlib import Path

from refute import __version__
from refute.case import CaseFile
from refute.closing import close, local_servers
from refute.errors import AuditUnavailable, CostsCsvUnavailable, InfrastructureError, LedgerUnavailable
from refute.guardrails.audit import Decision, Gate
from refute.guardrails.audit_chain import AuditAnchor, log_name
from refute.outcome import Outcome, Provenance, Status, Stop
from refute.outcome_document import write_document
from refute.places import evidence_directory
from refute.ports import Ports
from refute.settings import Settings


def record(ports: Ports, case: CaseFile) -> Outcome:
    """Close the case and store its outcome; after an interruption it can be called again and goes on.

    Raises:
        LedgerUnavailable: naming the verdict, and the file that holds it instead.
    """
    if case.recorded is None:
        case.recorded = _made_durable(ports, case)
    from refute.ledger.costs_csv import append_missing  # noqa: PLC0415  # late, see Ports.open_ledger_ahead

    try:
        append_missing(ports.ledger, ports.settings.costs_csv)
    except CostsCsvUnavailable as error:  # the ledger has it: the next run appends what is missing
        ports.observer.warned(str(error))
    return case.recorded


def _made_durable(ports: Ports, case: CaseFile) -> Outcome:
    """The outcome, in audit log, evidence files and ledger."""
    if not case.audited:
        case.anchor = _audit_verdict(ports, case)
        case.audited = True
    outcome = close(case, provenance(ports, case))
    directory = evidence_directory(ports.settings.state_dir, outcome.run_id, outcome.ticket_id)
    with contextlib.suppress(OSError):  # the ledger has all of it, and may lie elsewhere
        write_evidence(outcome, directory)
    _enter(ports, case, outcome, directory)
    ports.observer.closed(outcome)
    return outcome


def _enter(ports: Ports, case: CaseFile, outcome: Outcome, directory: Path) -> None:
    """Put the outcome into the ledger."""
    try:
        ports.ledger.record(outcome, audited=case.anchor)
    except LedgerUnavailable as error:
        document = directory / "outcome.json"
        place = f"it is only in {document}" if document.is_file() else f"{document} could not be written either"
        raise LedgerUnavailable(
            f"the outcome of {outcome.ticket_id}, {outcome.status}, could not be recorded: {error.message}; {place}",
            hint=error.hint,
        ) from error


def _audit_verdict(ports: Ports, case: CaseFile) -> AuditAnchor | None:
    """No verdict without its line in the audit log: where that cannot be written, the verdict is withdrawn."""
    end = case.end_state()
    try:
        head = ports.audit.record(
            Gate.VERDICT,
            Decision.ALLOW if end.status in {Status.PASS, Status.PASS_WEAK} else Decision.DENY,
            run_id=case.run_id,
            reason=end.reason,
            metadata={"ticket": case.ticket.id, "status": end.status},
        )
    except AuditUnavailable as error:
        if end.status is Status.ERROR:
            return None  # no verdict to withdraw, and its own reason says more
        case.stop = Stop(status=Status.ERROR, reason=f"the verdict could not be audited: {error}")
        return None
    return AuditAnchor(log=log_name(ports.settings.audit_path), head=head) if head is not None else None


def provenance(ports: Ports, case: CaseFile) -> Provenance:
    """What exactly ran; image, profile and engine only where a container was used."""
    ran = Provenance(
        refute_version=__version__,
        tester=ports.settings.tester,
        snapshot_digest=case.snapshot.digest if case.snapshot else None,
        local_servers=local_servers(case),
    )
    if case.verification is None:
        return ran
    derived = ports.derived_image(case.ticket)
    ran = replace(
        ran,
        image_id=ports.image_id(case.ticket),
        profile_digest=ports.sandbox.profile_digest,
        requirements=tuple(map(str, derived.pins)) if derived else (),
        allowed_hosts=tuple(map(str, ports.allowed_hosts)),
    )
    with contextlib.suppress(InfrastructureError):  # an engine that died since has nothing to say
        facts = ports.sandbox.facts()
        return replace(ran, engine=facts.name, runtime=facts.runtime)
    return ran


def write_evidence(outcome: Outcome, directory: Path) -> None:
    """Write outcome, attack and reproducers, each whole or not at all."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    files = {"outcome.json": write_document(outcome).encode()}
    if outcome.adversarial_tests:
        files[attack_name(outcome)] = _bytes(outcome.adversarial_tests)
    for failure in outcome.failures:
        files[reproducer_name(failure.test_name)] = _bytes(failure.reproducer)
    for name, content in files.items():
        partial = directory / f".{name}.{os.getpid()}"
        try:
            partial.write_bytes(content)
            partial.replace(directory / name)
        finally:
            partial.unlink(missing_ok=True)  # of a full disk


def attack_name(outcome: Outcome) -> str:
    """File name of the attack, importable as a module."""
    return f"test_adversarial_{_slug(outcome.ticket_id)}.py"


def reproducer_name(test_name: str) -> str:
    """File name of a refutation's reproducer."""
    return f"reproduce_{_slug(test_name)}.py"


def _slug(text: str) -> str:
    return re.sub(r"\W", "_", text, flags=re.ASCII)[:100]


def reproducer_paths(settings: Settings, outcome: Outcome) -> dict[str, str]:
    """Test name → where its reproducer was written, as far as it was."""
    directory = evidence_directory(settings.state_dir, outcome.run_id, outcome.ticket_id)
    paths = {failure.test_name: directory / reproducer_name(failure.test_name) for failure in outcome.failures}
    return {name: str(path) for name, path in paths.items() if path.is_file()}


def _bytes(text: str) -> bytes:
    """UTF-8; a lone surrogate, which has none, becomes an escape."""
    return text.encode("utf-8", "backslashreplace")
