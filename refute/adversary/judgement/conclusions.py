"""From triaged tests to claims: what the attack says about each, and the evidence of each refutation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import AttackTest, Brief, Origin, Screening, TriagedTest, TriageVerdict
from refute.adversary.judgement.reproducer import write_reproducer
from refute.adversary.judgement.triage import UNSATISFIED
from refute.adversary.property.faces import read_surface
from refute.adversary.references import names_in, needed_by
from refute.adversary.strength.record import ViolationResult
from refute.outcome import ClaimResult, ClaimVerdict, TestFailure
from refute.ticket.clauses import clauses_of, open_clauses
from refute.ticket.record import Claim, Kind

FEWEST: Final = 2
"""A claim that names one function alone speaks of that, by whichever way a test reaches it."""
SUPPORTING: Final = 3
"""Tests named for a claim that survived."""
_DECORATED: Final = re.compile(r"(?m)^\S+:\d+: in \w+\n +@.*\n(?: +\^+\n)?")
"""The frame of a test's decorators, from where Hypothesis calls it; its line holds all that inputs are drawn of."""


def claim_results(
    brief: Brief, triaged: Sequence[TriagedTest], screening: Screening, *, tampering: Sequence[str]
) -> tuple[ClaimResult, ...]:
    """What the attack says about each claim.

    Args:
        brief: its claims, and the functions of its modules.
        triaged: every test that ran.
        screening: says which tests were rejected and which claims could not be attacked.
        tampering: facts for which no passed test can be trusted; a refutation stands all the same.
    """
    return tuple(
        _result(brief, claim, [test for test in triaged if test.test.claim_id == claim.id], screening, tampering)
        for claim in brief.ticket.claims
    )


def claims_after(claims: Sequence[ClaimResult], missed: Sequence[ViolationResult]) -> tuple[ClaimResult, ...]:
    """The claims, of which a clause that can be violated unnoticed counts as unattacked, whatever was quoted.

    Args:
        claims: as the attack left them.
        missed: planted violations that no test noticed.
    """
    told = []
    for claim in claims:
        unnoticed = {one.clause: one for one in missed if one.claim_id == claim.claim_id}
        if unnoticed and claim.verdict.survived:
            unattacked = [one for one in claim.clauses if one in unnoticed or one in claim.open_clauses]
            unattacked += [field for field in claim.open_clauses if field not in claim.clauses]
            reason = f"{claim.reason}; they pass also on this: {next(iter(unnoticed.values())).behaviour}"
            verdict = ClaimVerdict.SURVIVED_IN_PART
            claim = replace(claim, verdict=verdict, reason=reason, open_clauses=tuple(unattacked))  # noqa: PLW2901
        told.append(claim)
    return tuple(told)


def refutations(triaged: Sequence[TriagedTest], screening: Screening, brief: Brief) -> tuple[TestFailure, ...]:
    """Every refuting test with its evidence and a program that shows it."""
    claims = {claim.id: claim for claim in brief.ticket.claims}
    return tuple(
        TestFailure(
            test_name=one.test.name,
            claim_violated=one.test.claim_id,
            claim_text=claims[one.test.claim_id].text,
            error_type=one.run.error_type or one.run.end.value,
            error_message=one.run.error_message,
            traceback=_DECORATED.sub("", one.run.traceback),
            # What differs from the version before is told as the call that it is.
            smallest_input="" if one.test.origin is Origin.EARLIER else one.run.smallest_input,
            reproducer=write_reproducer(screening.attack, one.test, one.run, brief),
            tester=one.test.tester,
        )
        for one in triaged
        if one.verdict is TriageVerdict.REFUTED
    )


def _result(
    brief: Brief, claim: Claim, tests: Sequence[TriagedTest], screening: Screening, tampering: Sequence[str]
) -> ClaimResult:
    verdict, reason, decided_by = _verdict(claim, tests, screening, tampering)
    survived = [one for one in tests if one.verdict is TriageVerdict.SURVIVED]
    unattacked: tuple[str, ...] = ()
    if verdict is ClaimVerdict.SURVIVED:
        lost = tuple(_lost_fields(claim, tests, screening))
        open_ones = _unattacked(brief, claim, survived, screening.attack.source)
        # `unchanged, f` says of f already that nothing attacks it.
        if unattacked := (*(one for one in open_ones if not any(f.endswith(f", {one}") for f in lost)), *lost):
            verdict = ClaimVerdict.SURVIVED_IN_PART
    supported_by = _strongest(survived) if verdict.survived else ()
    independent = [one for one in survived if not one.test.origin.by_author]
    return ClaimResult(
        claim_id=claim.id,
        text=claim.text,
        verdict=verdict,
        reason=reason,
        decided_by=decided_by or next(iter(supported_by), ""),
        tests_run=len(tests),
        independent_tests=len(independent),
        attested_tests=sum(one.run.attested for one in independent),
        supported_by=supported_by,
        clauses=clauses_of(claim.text),
        open_clauses=unattacked,
        doubt="" if independent else next((one.test.doubt for one in survived if one.test.doubt), ""),
    )


def _unattacked(brief: Brief, claim: Claim, survived: Sequence[TriagedTest], source: str) -> tuple[str, ...]:
    """Clauses that no test quotes, else functions that none calls.

    Weaker tests count only where the claim has no better: independent, and attested. Else a weak example of one clause
    would pass beside an independent test of another: as two claims they would not.
    """
    independent = [one for one in survived if not one.test.origin.by_author]
    counted = [one for one in independent if one.run.attested] or independent or survived
    clauses = open_clauses(claim.text, (words for one in counted for words in one.test.quotes))
    return clauses or _uncalled(claim, [one.test for one in counted], source, brief)


def _uncalled(claim: Claim, tests: Sequence[AttackTest], source: str, brief: Brief) -> tuple[str, ...]:
    """The functions that a claim names and none of these tests calls: one is easily attacked, the other forgotten."""
    surface = read_surface(() if brief.ticket.kind is Kind.CLI else brief.modules)
    named = dict.fromkeys(one.name for one in surface.named_in(claim.text))
    if len(named) < FEWEST:
        return ()
    called = {name for part in needed_by(source, (test.name for test in tests)) for name in names_in(part)}
    return tuple(name for name in named if name not in called)


def _lost_fields(claim: Claim, tests: Sequence[TriagedTest], screening: Screening) -> Iterator[str]:
    """Fields of a claim that say nothing of the code: without a test, or with one rejected, invalid or flaky."""
    yield from (one.field for one in screening.attack.untested_fields if one.claim.id == claim.id)
    mute = [one.test for one in screening.rejected if one.test.claim_id == claim.id]
    silent = (one for one in tests if one.verdict in {TriageVerdict.INVALID, TriageVerdict.FLAKY})
    mute += [one.test for one in silent if not _outside(one, tests)]
    yield from (f"what {test.name} tests" for test in mute if test.origin.is_field)


def _outside(one: TriagedTest, tests: Sequence[TriagedTest]) -> bool:
    """Whether a condition of `unchanged` is silent about all inputs of one way to call, and other ways were tried."""
    survived = (other.test.field for other in tests if other.verdict is TriageVerdict.SURVIVED)
    return bool(one.test.field) and one.run.error_type in UNSATISFIED and one.test.field in survived


def _strongest(survived: Sequence[TriagedTest]) -> tuple[str, ...]:
    """The tests that count most for a claim: sorting is stable, so of equals those written first."""
    by_weight = sorted(survived, key=lambda one: (one.test.origin.by_author, not one.run.attested))
    return tuple(one.test.name for one in by_weight[:SUPPORTING])


def _verdict(
    claim: Claim, tests: Sequence[TriagedTest], screening: Screening, tampering: Sequence[str]
) -> tuple[ClaimVerdict, str, str]:
    """Verdict, reason and deciding test; the worst that any test says counts first."""
    by_verdict: dict[TriageVerdict, list[TriagedTest]] = {}
    for one in tests:
        by_verdict.setdefault(one.verdict, []).append(one)
    if refuting := by_verdict.get(TriageVerdict.REFUTED):
        return ClaimVerdict.REFUTED, refuting[0].reason, refuting[0].test.name
    if all(one.verdict is TriageVerdict.INVALID for one in tests):
        return ClaimVerdict.UNTESTED, _why_untested(claim, tests, screening), ""
    if tampering:
        return ClaimVerdict.INCONCLUSIVE, f"the run was tampered with: {tampering[0]}", ""
    contested = [one for one in by_verdict.get(TriageVerdict.FLAKY, ()) if one.contested]
    if unclear := [*by_verdict.get(TriageVerdict.NEEDS_REVIEW, ()), *contested]:
        what = (
            "the code answers the same test now one way and now another" if unclear[0].contested else "needs a person"
        )
        return ClaimVerdict.INCONCLUSIVE, f"{what}: {unclear[0].reason}", unclear[0].test.name
    dropped = [*by_verdict.get(TriageVerdict.FLAKY, ()), *by_verdict.get(TriageVerdict.INVALID, ())]
    survived = by_verdict.get(TriageVerdict.SURVIVED, ())
    if not survived:
        reason = f"no test counts: {dropped[0].verdict}, {dropped[0].reason}"
        return ClaimVerdict.INCONCLUSIVE, reason, dropped[0].test.name
    reason = f"survived {len(survived)} test{'s' if len(survived) != 1 else ''}"
    if dropped:
        reason += f"; {len(dropped)} flaky or invalid, e.g. {dropped[0].test.name}"
    return ClaimVerdict.SURVIVED, reason, ""


def _why_untested(claim: Claim, tests: Sequence[TriagedTest], screening: Screening) -> str:
    if tests:
        return f"only tests that are at fault themselves: {tests[0].test.name}, {tests[0].reason}"
    for untestable in screening.attack.untestable:
        if untestable.claim.id == claim.id:
            return untestable.reason
    rejected = [one for one in screening.rejected if one.test.claim_id == claim.id]
    if rejected:
        return f"the screen rejected every test of it: {rejected[0].reason}"
    if any(test.claim_id == claim.id for test in screening.attack.tests):
        return "its tests did not run before the attack's time limit"
    return "no test was written for it"
