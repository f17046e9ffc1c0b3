"""The hardening round: where the attack was too weak, or a claim lost all its tests, a model is told so, once."""

from dataclasses import replace

from refute.adversary.attack import Brief, Origin, Screening
from refute.adversary.joining import combine
from refute.adversary.strength.record import MutantEnd, Strength
from refute.adversary.strength.scope import Sample, draw_sample
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.pricing import total
from refute.outcome import ClaimVerdict
from refute.ports import Ports
from refute.stages.brief import brief_of
from refute.stages.evidence import Evidence, Hardening, StrengthStage, Writing
from refute.stages.strength import could_pass, first_sample, measure_strength, run_mutants
from refute.stages.trial import run_attack, screen_tests, triage_tests
from refute.stages.usage import added
from refute.stages.writing import write_harder_tests
from refute.ticket.record import Snapshot, Ticket
from refute.wording import in_quotes


def harden(ports: Ports, ticket: Ticket, snapshot: Snapshot, evidence: Evidence, measured: StrengthStage) -> Hardening:
    """Have a weak attack strengthened by a model, and measure it again on mutants that the model was not shown.

    What was reached before stands: where the model gives nothing, or there is no money for it, a note says so.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    as_before = Hardening(evidence=evidence, measured=measured)
    faults = _faults(measured.strength) + _set_aside(evidence)
    if not faults:
        return as_before
    brief = brief_of(ports, ticket, snapshot)
    try:
        writing = write_harder_tests(ports, brief, [test.name for test in evidence.screening.attack.tests], faults)
    except (BudgetExhausted, ModelUnavailable) as error:
        note = f"no hardening round was held: {error.message}"
        return replace(as_before, summary="left out", notes=(note,), cost_usd=error.cost_usd)
    return as_before if writing is None else _with(ports, ticket, snapshot, as_before, writing)


def _faults(strength: Strength | None) -> list[str]:
    """What a measured, weak attack did not notice: claim by claim in words, then as diffs.

    Where only single claims are attacked too weakly no diff is shown, so that the same mutants can measure again.
    """
    if strength is None or strength.void or strength.suffices:
        return []
    told = [f"For claim {one.claim_id}: its tests pass also {one.unnoticed}" for one in strength.shallow]
    told += [
        f"For claim {one.claim_id}, {in_quotes([one.clause])}: all tests pass also on code with this fault: "
        f"{one.behaviour}"
        for one in strength.missed
    ]
    if strength.reaches_floor:
        return told
    return told + [one.diff for one in strength.survivors if one.end is MutantEnd.SURVIVED]


def _set_aside(evidence: Evidence) -> list[str]:
    """Claims of which every test that a model wrote was at fault itself, and why."""
    claims = evidence.triage.claims
    if any(one.verdict is ClaimVerdict.REFUTED for one in claims):
        return []
    untested = {one.claim_id for one in claims if one.verdict is ClaimVerdict.UNTESTED}
    lost = {
        one.test.claim_id: one
        for one in evidence.triage.triaged
        if one.test.claim_id in untested and one.test.origin is Origin.MODEL
    }
    return [
        f"For claim {claim}: nothing tests it, as all its tests were at fault. {one.test.name}: {one.reason}"
        for claim, one in lost.items()
    ]


def _with(ports: Ports, ticket: Ticket, snapshot: Snapshot, before: Hardening, writing: Writing) -> Hardening:
    """Screen, run, triage and measure the attack with what was written for it."""
    asked = replace(before, writing=writing, models=writing.models, notes=writing.notes, cost_usd=writing.cost_usd)
    screened = screen_tests(ports, ticket, snapshot, writing.attack)
    if not screened.attack.tests:
        return replace(asked, summary="brought no test that could run")
    brief = brief_of(ports, ticket, snapshot)
    first = before.evidence
    attack = combine([first.screening.attack, screened.attack], brief)
    screening = Screening(attack=attack, rejected=(*first.screening.rejected, *screened.rejected))
    attacked = run_attack(ports, ticket, snapshot, screening)
    triage = triage_tests(ports, ticket, snapshot, screening, attacked)
    evidence = Evidence(screening=screening, attacked=attacked, triage=triage)
    count = len(screened.attack.tests)
    summary = f"{count} more test{'' if count == 1 else 's'}, with the others {triage.summary}"
    asked = replace(
        asked,
        evidence=evidence,
        summary=summary,
        models=added(writing.models, first.triage.models),
        cost_usd=total([writing.cost_usd, triage.cost_usd]),
    )
    measured = _measured_again(ports, ticket, snapshot, evidence, before)
    told = f"{summary}; {measured.summary}" if measured.summary else summary
    return replace(asked, measured=measured, summary=told, cost_usd=total([asked.cost_usd, measured.cost_usd]))


def _measured_again(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, evidence: Evidence, before: Hardening
) -> StrengthStage:
    """The strength of the larger attack; for the first time where the smaller one could not have passed."""
    earlier = before.measured
    if earlier.strength is None or not could_pass(ports, evidence):
        return measure_strength(ports, ticket, snapshot, evidence)
    brief = brief_of(ports, ticket, snapshot)
    measured = run_mutants(ports, snapshot, evidence, brief, _not_shown(ports, snapshot, brief, before))
    not_planted = earlier.strength.not_planted
    strength = replace(measured.strength, hardened=True, not_planted=not_planted) if measured.strength else None
    return replace(measured, strength=strength, violations=earlier.violations, models=earlier.models)


def _not_shown(ports: Ports, snapshot: Snapshot, brief: Brief, before: Hardening) -> Sample:
    """Mutants of which the model was shown no diff, and the violations, which it was told in words."""
    planted = before.measured.violations
    first = replace(first_sample(ports, brief, snapshot), violations=planted)
    if before.measured.strength is not None and before.measured.strength.reaches_floor:
        return first
    count = ports.settings.mutants
    fresh = draw_sample(brief, count=count, seed=f"{snapshot.digest}, hardened", without=first.mutants)
    return replace(fresh, violations=planted)
