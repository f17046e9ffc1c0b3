"""Before anything runs: freeze the files, scan what would run, ask a person."""

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.property.tester import PropertyTester
from refute.adversary.property.weakness import missing_fields, weaknesses
from refute.adversary.verification import script_command
from refute.approval import Answered, Approval, Approver, Confirmation, Decision, Denial, Question
from refute.guardrails.audit import Decision as AuditDecision
from refute.guardrails.audit import Gate
from refute.outcome import Status, Stop
from refute.ports import Ports
from refute.sandbox.job import GIBIBYTE
from refute.sandbox.requirements import read_pins
from refute.sandbox.runtime import PLAIN
from refute.scan.allow import load_allow_file, require_foreign, suppress
from refute.scan.core.tables import knowledge
from refute.scan.finding import ScanResult
from refute.scan.scanner import scan_files
from refute.settings_fields import AttackPolicy
from refute.stages.brief import brief_of
from refute.stages.prefetch import prepare_verification
from refute.ticket import snapshot as freezing
from refute.ticket.record import Snapshot, Ticket
from refute.wording import counted

DIGEST_CHARS: Final = 12


def take_snapshot(ports: Ports, ticket: Ticket) -> Snapshot:
    """Freeze the ticket's files; everything after this sees only them.

    Raises:
        SnapshotRefused: a path leaves the workspace, a file is missing, or there is too much.
    """
    settings = ports.settings
    return freezing.take_snapshot(
        ticket,
        store=ports.store,
        max_bytes=settings.max_snapshot_bytes,
        max_files=settings.max_snapshot_files,
        own=settings.written,
    )


def look_at(ports: Ports, ticket: Ticket) -> tuple[Snapshot, ScanResult]:
    """Freeze and scan; raises as `take_snapshot` and `scan_scripts`."""
    snapshot = take_snapshot(ports, ticket)
    return snapshot, scan_scripts(ports, ticket, snapshot)


def scan_scripts(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> ScanResult:
    """Scan the verification script and what it reaches inside the snapshot.

    Raises:
        UsageError: the allow-file or the tables of the settings cannot be used for this ticket.
    """
    files = ports.contents(snapshot)
    allow_file, tables = ports.settings.scan_allow_file, ports.settings.scan_tables
    require_foreign(allow_file, ticket.workspace, "allow-file", "scan_allow_file")
    require_foreign(tables, ticket.workspace, "scan tables", "scan_tables")
    allowed = load_allow_file(allow_file)
    knowledge(tables)
    found = scan_files(files, [ticket.verification_script], block_from=ports.settings.scan_block_from, tables=tables)
    result = suppress(found, allowed, files)
    ports.audit.record(
        Gate.SCAN,
        AuditDecision.ALLOW if result.safe else AuditDecision.DENY,
        run_id=ports.run_id,
        reason="no blocking finding" if result.safe else f"{len(result.blocking)} blocking findings",
        metadata={
            "ticket": ticket.id,
            "snapshot": snapshot.digest,
            "rules": ", ".join(sorted({finding.rule_id for finding in result.blocking})),
            "refused": len(result.refused),
            **_allowed(result, allow_file),
        },
    )
    return result


def _allowed(scan: ScanResult, allow_file: Path | None) -> dict[str, str]:
    """What the audit log keeps of findings that were let through unasked, with who vouches for them."""
    if not scan.suppressed:
        return {}
    found = (f"{one.finding.name}: {one.reason}" for one in scan.suppressed)
    return {"allow_file": str(allow_file), "allowed": "; ".join(found)}


def admit(scan: ScanResult, *, allow_dangerous: bool, attended: bool = False) -> Stop | None:
    """Block a dangerous script before anybody is asked.

    Args:
        scan: what was found.
        allow_dangerous: whether the person asked to be asked whatever was found.
        attended: whether somebody is asked about this run alone, and its jobs have no network: only then are findings
            of tier CONFIRM put to them.
    """
    if scan.safe or allow_dangerous or (attended and not scan.refused):
        return None
    return _blocked(scan)


def _blocked(scan: ScanResult, note: str = "") -> Stop:
    worst = max(scan.blocking, key=lambda finding: (finding.tier, finding.severity))
    others = len(scan.blocking) - 1
    more = f" (and {others} more)" if others else ""
    return Stop(
        status=Status.BLOCKED_DANGEROUS_SCRIPT,
        reason=f"{worst.path}:{worst.line}: {worst.matched} – {worst.explanation}{more}{note}",
    )


def apply_policy(ports: Ports, ticket: Ticket) -> Stop | None:
    """Skip a ticket that the settings do not want attacked; never a PASS."""
    settings = ports.settings
    if settings.attack_policy is AttackPolicy.MANDATORY or "needs-adversarial" in ticket.labels:
        return None
    watched = [PurePosixPath(directory) for directory in settings.attack_directories]
    if any(PurePosixPath(path).is_relative_to(place) for path in ticket.implementation_files for place in watched):
        return None
    places = ", ".join(map(str, watched))
    reason = f"attack_policy is `label`: the ticket has no label needs-adversarial and no file under {places}"
    return Stop(status=Status.SKIPPED, reason=reason)


def pose_question(ports: Ports, ticket: Ticket, snapshot: Snapshot, scan: ScanResult) -> Question:
    """What a person is asked before anything runs."""
    settings = ports.settings
    script = ports.contents(snapshot)[ticket.verification_script]
    claims = f"{len(ticket.claims)} claim{'s' if len(ticket.claims) != 1 else ''}"
    attack = f"attack: tests by the tester {settings.tester} against {claims}"
    memory = f"{settings.memory_bytes / GIBIBYTE:.3g} GiB"
    command = shlex.join(script_command(ticket.verification_script, script))
    return Question(
        ticket=ticket,
        snapshot=snapshot,
        script=script.decode("utf-8", errors="replace"),
        scan=scan,
        plan=(
            f"verify: {command}, at most {settings.verification_timeout_s:g} s",
            f"{attack}, at most {settings.attack_timeout_s:g} s",
            f"each in a container of its own: {memory} of memory, {settings.cpus:g} CPUs, {_network(ports)}",
            *_runtime(settings.runtime),
            *_requirements(ticket),
            *_not_tested(brief_of(ports, ticket, snapshot)),
            f"on a throwaway copy of {counted(len(snapshot.files), 'file')}, digest {_short(snapshot.digest)}",
        ),
    )


def _not_tested(brief: Brief) -> Iterator[str]:
    """The claims that nothing attacks as they are, and the fields of them that give no test."""
    attack = PropertyTester().write_tests(brief)
    yield from map(str, missing_fields(brief, attack))
    yield from (str(one) for one in weaknesses(brief, attack) if not one.is_tested)


def _short(digest: str) -> str:
    """As much as a person compares: the whole one, which has no place to break, runs out of a form's window."""
    return digest.removeprefix("sha256:")[:DIGEST_CHARS]


def _runtime(name: str) -> Iterator[str]:
    """Another runtime than the engine's default, without claiming for it what nobody has tried out yet."""
    if name:
        doubt = "" if name in PLAIN else "; limits that it does not enforce are found by trial and noted in the outcome"
        yield f"under the container runtime {name}{doubt}"


def _network(ports: Ports) -> str:
    hosts = ", ".join(map(str, ports.allowed_hosts))
    return f"network: only {hosts}, through a proxy" if hosts else "no network"


def _requirements(ticket: Ticket) -> Iterator[str]:
    """What would be fetched for the code to import; refused here already where it is not pinned."""
    if pins := read_pins(ticket.requirements, python=ticket.python):
        names = ", ".join(map(str, pins))
        yield f"with {len(pins)} required package{'s' if len(pins) != 1 else ''} (wheels pinned by hash): {names}"


def confirm(ports: Ports, question: Question, approver: Approver) -> Confirmation:
    """Ask, once it is known that the answer can be used; only an approval of exactly this snapshot confirms.

    Raises:
        SettingsInvalid: there is no model for the tester.
        NetworkUnavailable: the engine has no way out for a job that was allowed one.
    """
    ports.require_model()
    ports.require_network()
    prepare_verification(ports, question.ticket, question.snapshot)
    asked_at = datetime.now(UTC)
    decision = approver.ask(question)
    if isinstance(decision, Approval) and decision.snapshot_digest != question.snapshot.digest:
        decision = Denial(reason=f"the approval was for other files, {decision.snapshot_digest}")
    found = _confirmation(question, decision, asked_at)
    if not found.confirmed:
        ports.sandbox.discard_prepared()
    _audit(ports, question, found)
    return found


def unconfirmed(confirmation: Confirmation, scan: ScanResult, *, allow_dangerous: bool) -> Stop | None:
    """End the run before anything executes, unless it was confirmed.

    Args:
        confirmation: the answer.
        scan: of the script that it is about.
        allow_dangerous: whether the person asked to be asked about dangerous findings: a no is then only a no.
    """
    if confirmation.confirmed:
        return None
    if scan.blocking and not allow_dangerous:
        return _blocked(scan, f"; not approved: {confirmation.note}")
    return Stop(status=Status.CANCELLED, reason=confirmation.note)


def _confirmation(question: Question, decision: Decision, asked_at: datetime) -> Confirmation:
    """The decision as a record.

    Args:
        question: what was asked.
        decision: what came of it.
        asked_at: when this run asked, which counts unless the answer was there before.
    """
    now = datetime.now(UTC)
    before = decision.beforehand
    if isinstance(decision, Approval):
        answer = Answered.CONFIRMED
        note = f"approved by {decision.by}" + (f": {decision.note}" if decision.note else "")
    else:
        answer, note = Answered.DECLINED if decision.by else Answered.UNANSWERED, decision.reason
    return Confirmation(
        answer=answer,
        by=decision.by,
        note=note,
        asked_at=before.asked_at if before else asked_at,
        answered_at=before.answered_at or now if before else now,
        snapshot_digest=question.snapshot.digest,
        findings=tuple(finding.name for finding in question.dangers),
    )


def _audit(ports: Ports, question: Question, found: Confirmation) -> None:
    """What was answered, and what it overrode."""
    about = {"ticket": str(question.ticket.id)}
    gates = [
        (
            Gate.SCAN_OVERRIDE if question.dangers else Gate.CONFIRMATION,
            {"snapshot": found.snapshot_digest, "findings": ", ".join(found.findings)},
        )
    ]
    if ports.allowed_hosts:
        gates.append((Gate.NETWORK_OVERRIDE, {"hosts": ", ".join(map(str, ports.allowed_hosts))}))
    for gate, what in gates:
        decision = AuditDecision.ALLOW if found.confirmed else AuditDecision.DENY
        ports.audit.record(gate, decision, run_id=ports.run_id, reason=found.note, metadata=about | what)
