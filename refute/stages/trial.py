"""In the sandbox and after: verification, attack, triage, verdict."""

from dataclasses import replace
from decimal import Decimal
from functools import partial

from refute.adversary.attack import Attack, Screening, TriageVerdict
from refute.adversary.judgement.conclusions import claim_results, claims_after, refutations
from refute.adversary.judgement.triage import triage_tests as triage_runs
from refute.adversary.oracle.vote import hold_vote, needs_vote
from refute.adversary.screening.screen import screen
from refute.adversary.suite import read_attack_run
from refute.adversary.verification import judge_verification
from refute.approval import Confirmation
from refute.caching.chance import left_to_chance
from refute.caching.kind import ATTACK, VERIFICATION, AttackRecord
from refute.guardrails.audit import Decision, Gate
from refute.outcome import KeptFrom, Status, Stop
from refute.ports import Ports
from refute.sandbox.job import Job, JobResult
from refute.sandbox.runtime import in_words
from refute.scan.scanner import scan_python
from refute.stages.brief import brief_of
from refute.stages.earlier import judge_by_earlier_version
from refute.stages.evidence import AttackStage, Critique, Hardening, SecondRun, Triage, Verification
from refute.stages.false_claims import expose_false_claims
from refute.stages.jobs import attack_of, verification_of
from refute.stages.prefetch import prepare_attack
from refute.stages.reproduction import reproduced
from refute.stages.usage import models_used
from refute.ticket.record import Snapshot, Ticket
from refute.ticket.rules import check_verification_script
from refute.verdict import Verdict, decide, reviewed


def run_verification(ports: Ports, ticket: Ticket, snapshot: Snapshot, confirmation: Confirmation) -> Verification:
    """Run the author's script in a container, on the approved files only, unless it passed before as it would now.

    Raises:
        ValueError: nobody confirmed, or other files.
    """
    if not confirmation.confirmed or confirmation.snapshot_digest != snapshot.digest:
        got = f"{confirmation.answer} for {confirmation.snapshot_digest}"
        raise ValueError(f"confirmation: got {got}, expected confirmed for {snapshot.digest}")
    job = verification_of(ports, ticket, snapshot)
    derived = ports.derived_image(ticket)
    ports.open_ledger_ahead()
    ran = ports.stages.cached(VERIFICATION, ports.result_key([job]), lambda: ports.sandbox.run(job))
    result = ran.record
    provided = derived.modules if derived else frozenset[str]()
    stop = judge_verification(result, ticket, provided=provided, left_out=snapshot.left_out)
    if stop is None and not ran.kept:
        prepare_attack(ports, ticket)  # where this is cached, the attack most likely is too
    _audit(ports, Gate.VERIFICATION, stop, ticket, snapshot, ran.kept)
    return Verification(
        result=result,
        stop=stop,
        summary=stop.status if stop else "passed",
        notes=_verification_notes(ports, ticket, snapshot, job),
        kept=ran.kept,
    )


def _verification_notes(ports: Ports, ticket: Ticket, snapshot: Snapshot, job: Job) -> tuple[str, ...]:
    """What to know of how it ran; not refutations."""
    derived = ports.derived_image(ticket)
    notes = check_verification_script(ticket, ports.contents(snapshot))
    if ports.allowed_hosts:
        hosts = ", ".join(map(str, ports.allowed_hosts))
        notes += (f"jobs could reach {hosts} (--allow-network): what they got from there may differ next time",)
    if unenforced := ports.sandbox.unenforced(job.image_id):
        runtime = ports.sandbox.facts().runtime
        notes += (f"the runtime {runtime} does not enforce {in_words(unenforced)}; jobs ran without",)
    if derived and derived.unmet:
        lacking = ", ".join(derived.unmet)
        notes += (f"requirements are incomplete: their wheels ask for {lacking}, which the ticket does not list",)
    return notes


def screen_tests(ports: Ports, ticket: Ticket, snapshot: Snapshot, attack: Attack) -> Screening:
    """Reject tests that prove nothing, mock, or are unsafe to run."""
    screening = screen(
        attack,
        brief_of(ports, ticket, snapshot),
        scan=partial(scan_python, tables=ports.settings.scan_tables),
        allow_network=bool(ports.allowed_hosts),
    )
    ports.audit.record(
        Gate.SCREEN,
        Decision.ALLOW if screening.attack.tests else Decision.DENY,
        run_id=ports.run_id,
        reason=f"{len(screening.attack.tests)} tests accepted, {len(screening.rejected)} rejected",
        metadata={"ticket": ticket.id, "snapshot": snapshot.digest, "tester": attack.tester},
    )
    return screening


def run_attack(ports: Ports, ticket: Ticket, snapshot: Snapshot, screening: Screening) -> AttackStage:
    """Run the attack in a container of its own, on the original files; with no test there is nothing to run.

    Where it ran before as it would now, that run stands for another one.
    """
    if not screening.attack.tests:
        ports.sandbox.discard_prepared()
        return AttackStage(run=None, result=None, summary="no test to run")
    job = attack_of(ports, ticket, snapshot, screening.attack)
    lasting = not left_to_chance(brief_of(ports, ticket, snapshot), screening.attack.source, ports.contents(snapshot))
    ran = ports.stages.cached(ATTACK, ports.result_key([job]) if lasting else None, lambda: _attacked(ports, job))
    if ran.kept:
        ports.sandbox.discard_prepared()
    result, run = ran.record.result, ran.record.run
    stop = _destruction(result)
    _audit(ports, Gate.ATTACK, stop, ticket, snapshot, ran.kept)
    passed = sum(test.end == "passed" for test in run.first)
    summary = f"{passed} of {len(run.first)} tests passed" + (", cut short by its limit" if run.timed_out else "")
    return AttackStage(run=run, result=result, summary=summary, stop=stop, kept=ran.kept)


def _attacked(ports: Ports, job: Job) -> AttackRecord:
    result = ports.sandbox.run(job)
    return AttackRecord(result=replace(result, collected={}), run=read_attack_run(job, result))


def triage_tests(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, screening: Screening, attacked: AttackStage
) -> Triage:
    """Decide what every result means, for each test and each claim; a model's refutations by vote.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure, where something was run again.
    """
    triage = ports.stages.run("triage", lambda: _triaged(ports, ticket, snapshot, screening, attacked))
    brief = brief_of(ports, ticket, snapshot)
    failures = refutations(triage.triaged, screening, brief)
    triaged, sandbox_s = reproduced(ports, ticket, snapshot, screening.attack, triage.triaged, failures)
    refuting = {one.test.name for one in triaged if one.verdict is TriageVerdict.REFUTED}
    tampering = attacked.run.tampering if attacked.run else ()
    triage = replace(
        triage,
        triaged=triaged,
        claims=claim_results(brief, triaged, screening, tampering=tampering),
        failures=tuple(one for one in failures if one.test_name in refuting),
        summary=_counts([one.verdict for one in triaged]),
        sandbox_s=sandbox_s,
    )
    return expose_false_claims(triage, ticket, ports.contents(snapshot))


def _triaged(ports: Ports, ticket: Ticket, snapshot: Snapshot, screening: Screening, attacked: AttackStage) -> Triage:
    brief = brief_of(ports, ticket, snapshot)
    run = attacked.run
    repetitions = ports.settings.repetitions
    triaged = triage_runs(run, screening.attack, brief, repetitions=repetitions) if run else ()
    triaged = judge_by_earlier_version(ports, ticket, snapshot, screening, triaged)
    vote = None
    if any(map(needs_vote, triaged)):
        vote = hold_vote(triaged, screening.attack, brief, ports.model(ticket.id))
        triaged = vote.triaged
    return Triage(
        triaged=triaged,
        cost_usd=vote.cost_usd if vote else Decimal(0),
        models=models_used(vote.completions) if vote else (),
    )


def reach_verdict(
    ports: Ports, hardened: Hardening, again: SecondRun | None = None, critique: Critique | None = None
) -> Verdict:
    """From claims and evidence to a status; `again`: what became of these in the second environment."""
    evidence, strength = (again or hardened).evidence, hardened.measured.strength
    verdict = decide(
        claims_after(evidence.triage.claims, strength.missed if strength else ()),
        evidence.triage.triaged,
        evidence.attacked.run,
        attack_timeout_s=ports.settings.attack_timeout_s,
        strength=strength,
        second=again.found if again else None,
    )
    return reviewed(verdict, critique.judgement) if critique else verdict


def _destruction(result: JobResult) -> Stop | None:
    if not result.canary_files_touched:
        return None
    touched = ", ".join(result.canary_files_touched[:3])
    reason = f"under attack the code changed or destroyed files outside its workspace copy: {touched}"
    return Stop(status=Status.BLOCKED_DANGEROUS_OPERATION, reason=reason)


def _audit(  # a line of the audit log
    ports: Ports, gate: Gate, stop: Stop | None, ticket: Ticket, snapshot: Snapshot, kept: KeptFrom | None
) -> None:
    origin = {"not_run_again": f"as in run {kept.run_id} at {kept.made_at:%Y-%m-%d %H:%M:%S} UTC"} if kept else {}
    ports.audit.record(
        gate,
        Decision.DENY if stop else Decision.ALLOW,
        run_id=ports.run_id,
        reason=stop.reason if stop else "nothing stops the run at this gate",
        metadata={"ticket": ticket.id, "snapshot": snapshot.digest, **origin},
    )


def _counts(verdicts: list[TriageVerdict]) -> str:
    counted = [f"{verdicts.count(kind)} {kind.replace('_', ' ')}" for kind in TriageVerdict if kind in verdicts]
    return ", ".join(counted) or "no test ran"
