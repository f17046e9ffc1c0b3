"""The stages of a ticket's way through the pipeline: each takes records and returns a record or a `Stop`."""

import shlex
from pathlib import PurePosixPath

from refute.adversary.attack import Attack, Brief, Screening, SourceModule
from refute.adversary.property.tester import PropertyTester
from refute.adversary.screen import screen
from refute.adversary.suite import attack_job, read_attack_run
from refute.adversary.triage import claim_results, refutations, triage
from refute.adversary.verification import judge_verification, verification_job
from refute.approval import Approval, Approver, Question
from refute.evidence import AttackStage, Triage, Verification
from refute.guardrails.audit import Decision, Gate
from refute.outcome import Outcome, Status, Stop
from refute.ports import Ports
from refute.sandbox.job import GIBIBYTE, Limits
from refute.scan.finding import ScanResult
from refute.scan.scanner import scan_files
from refute.settings import AttackPolicy
from refute.ticket import snapshot as freezing
from refute.ticket.modules import implementation_modules
from refute.ticket.record import Snapshot, Ticket
from refute.ticket.rules import check_verification_script
from refute.verdict import Verdict, decide


def take_snapshot(ports: Ports, ticket: Ticket) -> Snapshot:
    """Freeze the ticket's files; everything after this sees only them."""
    settings = ports.settings
    return freezing.take_snapshot(
        ticket,
        store=ports.store,
        max_bytes=settings.max_snapshot_bytes,
        max_files=settings.max_snapshot_files,
    )


def scan_scripts(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> ScanResult:
    """Scan the verification script and what it reaches inside the snapshot."""
    files = ports.store.contents(snapshot)
    result = scan_files(files, [ticket.verification_script], block_from=ports.settings.scan_block_from)
    ports.audit.record(
        Gate.SCAN,
        Decision.ALLOW if result.safe else Decision.DENY,
        run_id=ports.run_id,
        reason="no blocking finding" if result.safe else f"{len(result.blocking)} blocking findings",
        metadata={
            "ticket": ticket.id,
            "snapshot": snapshot.digest,
            "rules": ", ".join(sorted({finding.rule_id for finding in result.blocking})),
        },
    )
    return result


def pose_question(ports: Ports, ticket: Ticket, snapshot: Snapshot, scan: ScanResult) -> Question:
    """What a person is asked before anything runs."""
    settings = ports.settings
    script = ports.store.read(snapshot, ticket.verification_script).decode("utf-8", errors="replace")
    limits = f"{settings.memory_bytes / GIBIBYTE:.3g} GiB memory, {settings.cpus:g} CPUs, no network"
    attack = f"tester {settings.tester!r} writes tests against {len(ticket.claims)} claims"
    return Question(
        ticket=ticket,
        snapshot=snapshot,
        script=script,
        scan=scan,
        plan=(
            f"verify   bash {shlex.quote(ticket.verification_script)}   at most {settings.verification_timeout_s:g} s, {limits}",
            f"attack   {attack}; at most {settings.attack_timeout_s:g} s, {limits}",
            f"files    {len(snapshot.files)} in a throwaway copy, {snapshot.digest}",
        ),
        timeout_s=settings.confirmation_timeout_s,
    )


def admit(scan: ScanResult, *, allow_dangerous: bool) -> Stop | None:
    """Block a dangerous script, unless the person asked to be asked."""
    if scan.safe or allow_dangerous:
        return None
    worst = max(scan.blocking, key=lambda finding: finding.severity)
    more = f" (and {len(scan.blocking) - 1} more findings)" if len(scan.blocking) > 1 else ""
    where = f"{worst.path}:{worst.line}"
    return Stop(
        status=Status.BLOCKED_DANGEROUS_SCRIPT,
        reason=f"{where}: {worst.matched!r} — {worst.explanation}{more}",
    )


def apply_policy(ports: Ports, ticket: Ticket) -> Stop | None:
    """Skip a ticket that the settings do not want attacked; never a PASS."""
    settings = ports.settings
    if settings.attack_policy is AttackPolicy.MANDATORY or "needs-adversarial" in ticket.labels:
        return None
    watched = [PurePosixPath(directory) for directory in settings.attack_directories]
    if any(PurePosixPath(path).is_relative_to(place) for path in ticket.implementation_files for place in watched):
        return None
    reason = "policy `label`: no label needs-adversarial and no file under " + ", ".join(map(str, watched))
    return Stop(status=Status.SKIPPED, reason=reason)


def confirm(ports: Ports, question: Question, approver: Approver) -> Approval | Stop:
    """Ask; anything but an approval of exactly this snapshot ends the run before anything executes."""
    decision = approver.ask(question)
    approved = isinstance(decision, Approval) and decision.snapshot_digest == question.snapshot.digest
    reason = f"approved by {decision.by}" if isinstance(decision, Approval) else decision.reason
    gate = Gate.SCAN_OVERRIDE if question.dangers else Gate.CONFIRMATION
    ports.audit.record(
        gate,
        Decision.ALLOW if approved else Decision.DENY,
        run_id=ports.run_id,
        reason=reason,
        metadata={
            "ticket": question.ticket.id,
            "snapshot": question.snapshot.digest,
            "findings": ", ".join(f"{f.rule_id}@{f.path}:{f.line}" for f in question.dangers),
        },
    )
    if isinstance(decision, Approval) and approved:
        return decision
    return Stop(status=Status.CANCELLED, reason=reason if not isinstance(decision, Approval) else "other files approved")


def run_verification(ports: Ports, ticket: Ticket, snapshot: Snapshot, approval: Approval) -> Verification:
    """Run the author's verification script in a container, on the approved files only."""
    if approval.snapshot_digest != snapshot.digest:
        raise ValueError(f"approval is for {approval.snapshot_digest}, got snapshot {snapshot.digest}")
    job = verification_job(
        ticket,
        run_id=ports.run_id,
        archive=ports.store.archive_bytes(snapshot),
        image_id=ports.image(ticket.python).id,
        limits=_limits(ports, ports.settings.verification_timeout_s),
    )
    files = ports.store.contents(snapshot)
    result = ports.sandbox.run(job)
    return judge_verification(result, ticket, notes=check_verification_script(ticket, files))


def brief(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> Brief:
    """What the tester is told."""
    modules = tuple(
        SourceModule(module=module, source=ports.store.read(snapshot, module.path).decode("utf-8", errors="replace"))
        for module in implementation_modules(ticket)
    )
    return Brief(
        ticket=ticket,
        modules=modules,
        workspace_paths=tuple(file.path for file in snapshot.files),
        max_tests=ports.settings.max_tests,
        max_bytes=ports.settings.max_suite_bytes,
    )


def write_tests(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> Attack:
    """Have the tester write the attack."""
    return PropertyTester().write_tests(brief(ports, ticket, snapshot))


def screen_tests(ports: Ports, ticket: Ticket, snapshot: Snapshot, attack: Attack) -> Screening:
    """Reject tests that prove nothing, mock, or are unsafe to run."""
    return screen(attack, brief(ports, ticket, snapshot))


def run_attack(ports: Ports, ticket: Ticket, snapshot: Snapshot, screening: Screening) -> AttackStage:
    """Run the attack in a container of its own, on the original files."""
    job = attack_job(
        ticket,
        screening.attack,
        run_id=ports.run_id,
        archive=ports.store.archive_bytes(snapshot),
        image_id=ports.image(ticket.python).id,
        limits=_limits(ports, ports.settings.attack_timeout_s),
    )
    result = ports.sandbox.run(job)
    run = read_attack_run(result, screening.attack.tests)
    return AttackStage(run=run, result=result, summary="")


def _limits(ports: Ports, timeout_s: float) -> Limits:
    settings = ports.settings
    return Limits(
        timeout_s=timeout_s,
        memory_bytes=settings.memory_bytes,
        cpus=settings.cpus,
        output_bytes=settings.output_bytes,
    )
