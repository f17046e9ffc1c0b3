"""From claim results and attack facts to a ticket's status, by the precedence of statuses; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

from refute.adversary.attack import AttackRun, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.strength.record import Strength
from refute.critics.judging import Judgement
from refute.lacking import Lack, before_advice, lacks
from refute.outcome import ClaimResult, ClaimVerdict, SecondEnvironment, Status
from refute.ticket.record import ClaimId
from refute.wording import NAMES_SHOWN, counted, first_names, in_quotes

CUT_SHORT = frozenset({TestEnd.TIMED_OUT, TestEnd.MISSING})
"""How a test ends that the suite's limit, not the code, may have ended."""
LACKING: Final = {
    Lack.TEST: "untested",
    Lack.INDEPENDENCE: "attacked only by their author's own tests",
    Lack.ATTESTATION: "attacked only by tests whose result the code could have forged",
}
"""What claims lack, before their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the attack means for the ticket."""

    status: Status
    reason: str
    """One sentence for a person."""
    caveats: tuple[str, ...] = field(default=())
    """What a reader must know before trusting the status; one line each."""


def decide(
    claims: Sequence[ClaimResult],
    triaged: Sequence[TriagedTest],
    run: AttackRun | None,
    *,
    attack_timeout_s: float,
    strength: Strength | None = None,
    second: SecondEnvironment | None = None,
) -> Verdict:
    """Judge a ticket whose verification passed.

    Fails closed where the records disagree: a refuted test refutes whatever its claim's result says, a claim
    counts as survived only if a test of it did, and results without a run prove nothing.

    Args:
        claims: one result per claim of the ticket.
        triaged: every test that ran, with its meaning.
        run: the run that `triaged` came from; None where no test could be executed.
        attack_timeout_s: the suite's limit, for the message.
        strength: of the attack; None where it was not measured, and then nothing passes but weakly.
        second: what became of it in other surroundings; None where that was not tried.
    """
    caveats = _caveats(claims, triaged, run)
    if refuted := _refuted(claims, triaged):
        reason = f"{len(refuted)} of {_claims(len(claims))} refuted: {first_names(refuted)}"
        return Verdict(status=Status.FAILED_ADVERSARIAL, reason=reason, caveats=caveats)
    if doubts := _doubts(claims, triaged, run):
        return Verdict(status=Status.INCONCLUSIVE, reason="; ".join(doubts), caveats=caveats)
    if run is not None and run.timed_out:
        reason = f"the attack was stopped at its limit of {attack_timeout_s:g} s{_running_test(run)}"
        return Verdict(status=Status.FAILED_TIMEOUT, reason=reason, caveats=caveats)
    if strength is not None:
        caveats += strength.notes
    weak = [*weaknesses(claims), *(_elsewhere(second) if second else ())]
    strong = strength is not None and strength.suffices
    said = [_survival(claims), *weak, *([] if weak and strength is None else [in_words(strength)])]
    status = Status.PASS if strong and not weak else Status.PASS_WEAK
    return Verdict(status=status, reason="; ".join(said), caveats=caveats)


def reviewed(verdict: Verdict, judgement: Judgement) -> Verdict:
    """The verdict after the critics: theirs counts where it comes earlier in the precedence of statuses."""
    told = replace(verdict, caveats=(*verdict.caveats, *judgement.caveats))
    order = list(Status)
    if judgement.status is None or order.index(verdict.status) < order.index(judgement.status):
        return told
    reason = judgement.reason
    if judgement.status is verdict.status:
        reason = f"{verdict.reason}; {reason}"
    return replace(told, status=judgement.status, reason=reason)


def _elsewhere(second: SecondEnvironment) -> Iterator[str]:
    """Why a pass is weak by what the code sees of where it runs."""
    if second.not_run:
        yield f"not run in a second environment: {second.not_run}"
    if second.unclear:
        yield f"in a second environment {first_names(second.unclear)} gave another result, but no refutation"
    if second.identity_reads:
        yield f"the code inspects where it runs, and no claim speaks of that: {first_names(second.identity_reads)}"


def _refuted(claims: Sequence[ClaimResult], triaged: Sequence[TriagedTest]) -> list[ClaimId]:
    """Claims refuted by their result or by a test, in the ticket's order."""
    by_test = {test.test.claim_id for test in triaged if test.verdict is TriageVerdict.REFUTED}
    named = [c.claim_id for c in claims if c.verdict is ClaimVerdict.REFUTED or c.claim_id in by_test]
    return named + sorted(by_test.difference(named))


def _doubts(claims: Sequence[ClaimResult], triaged: Sequence[TriagedTest], run: AttackRun | None) -> list[str]:
    """The reasons for which neither a pass nor a time-out of the attack may be reported, each told once."""
    if run is not None and run.tampering:
        return [f"the test run was tampered with: {run.tampering[0]}{_more(run.tampering)}"]
    if not claims:
        return ["the ticket makes no claim"]
    timed_out = run is not None and run.timed_out
    if run is None or (not timed_out and all(claim.verdict is ClaimVerdict.UNTESTED for claim in claims)):
        untested = [claim for claim in claims if claim.verdict is ClaimVerdict.UNTESTED]
        reasons = list(dict.fromkeys(before_advice(claim.reason) for claim in untested))
        named = f"{untested[0].claim_id}: " if len(reasons) > 1 else ""
        return [f"no test attacked any claim{f': {named}{reasons[0]}{_more(reasons)}' if reasons else ''}"]
    doubts = []
    review = [t for t in triaged if t.verdict is TriageVerdict.NEEDS_REVIEW and not _excused(t, timed_out=timed_out)]
    if review:
        names = first_names(test.test.name for test in review)
        doubts.append(f"a person must judge {names}: {review[0].reason}")
    explained = {test.test.claim_id for test in review}
    others = [claim for claim in claims if claim.claim_id not in explained]
    return doubts + _undecided(others, triaged, timed_out=timed_out)


def _undecided(claims: Sequence[ClaimResult], triaged: Sequence[TriagedTest], *, timed_out: bool) -> list[str]:
    """Claims that were attacked without a result, and claims that no surviving test supports."""
    doubts = []
    for claim in claims:
        tests = [test for test in triaged if test.test.claim_id == claim.claim_id]
        # With the suite's limit reached, a claim whose tests it cut off is a matter of time, not of doubt.
        if timed_out and (not tests or any(test.run.end in CUT_SHORT for test in tests)):
            continue
        if claim.verdict is ClaimVerdict.INCONCLUSIVE:
            doubts.append(f"claim {claim.claim_id} is undecided: {claim.reason}")
        elif claim.verdict.survived and not any(_survived(test) for test in tests):
            doubts.append(f"claim {claim.claim_id} is called survived, but no test of it passed")
    return doubts


def _excused(test: TriagedTest, *, timed_out: bool) -> bool:
    return timed_out and test.run.end in CUT_SHORT


def _survived(test: TriagedTest) -> bool:
    return test.verdict is TriageVerdict.SURVIVED


def weaknesses(claims: Sequence[ClaimResult]) -> list[str]:
    """Why a pass is weak whatever the attack's strength: claims without evidence that the author cannot have made."""
    lacking = {lack: [claim.claim_id for claim in claims if lack in lacks(claim)] for lack in LACKING}
    parts = [f"{LACKING[lack]}: {first_names(ids)}" for lack, ids in lacking.items() if ids]
    return parts + [_in_part(claim) for claim in claims if Lack.ATTACK in lacks(claim)][:NAMES_SHOWN]


def _in_part(claim: ClaimResult) -> str:
    """Which of a claim's words nothing independent attacks."""
    return f"{claim.claim_id} survived in part: no independent test attacks {in_quotes(claim.open_clauses)}"


def in_words(strength: Strength | None) -> str:
    """What the attack's strength says for or against a pass."""
    if strength is None:
        return "strength not measured"
    if strength.void:
        return f"strength not measured: {strength.void}"
    hardened = ", after a hardening round" if strength.hardened else ""
    share = f"{strength.kills}{hardened}"
    sure = f"{strength.low:.0%} of all" if strength.is_census else f"at least {strength.low:.0%} with 90% confidence"
    low = f"{sure}, floor {strength.floor:.0%}"
    weak = "too few mutants were run (mutation_timeout_s)" if strength.undecided else "the attack is too weak"
    if strength.blind_to:
        weak = f"no test notices a fault in what changed ({strength.blind_to[0]}{_more(strength.blind_to)})"
    whole = f"{share}: {low}" if strength.reaches_floor else f"{weak}: {share}, {low}"
    if strength.unjudged:
        return f"{whole}; not measured per claim: {strength.unjudged}"
    if strength.missed:
        whole = f"{whole}; only {strength.violations_noticed}"
    if not strength.shallow:
        return whole
    one, more = strength.shallow[0], _more(strength.shallow)
    return f"{whole}; the attack on {one.claim_id} is too weak: its tests pass also {one.unnoticed}{more}"


def _survival(claims: Sequence[ClaimResult]) -> str:
    survived = [claim for claim in claims if claim.verdict.survived]
    tests = sum(claim.tests_run for claim in survived)
    return f"{len(survived)} of {_claims(len(claims))} survived {counted(tests, 'test')}"


def _caveats(claims: Sequence[ClaimResult], triaged: Sequence[TriagedTest], run: AttackRun | None) -> tuple[str, ...]:
    lines = [f"tampering: {fact}" for fact in run.tampering] if run is not None else []
    if run is not None and run.timed_out:
        lines.append("the attack reached its time limit: not every test ran to its end")
    lines.extend(_set_aside(claims, triaged))
    return tuple(lines)


def _set_aside(claims: Sequence[ClaimResult], triaged: Sequence[TriagedTest]) -> list[str]:
    """One line per claim and kind of test that neither survived nor refuted, in the ticket's order."""
    order = {claim.claim_id: place for place, claim in enumerate(claims)}
    unclear = [t for t in triaged if t.verdict not in {TriageVerdict.SURVIVED, TriageVerdict.REFUTED}]
    unclear.sort(key=lambda test: (order.get(test.test.claim_id, len(order)), test.test.claim_id, test.verdict))
    lines = []
    for (claim_id, verdict), group in groupby(unclear, key=lambda test: (test.test.claim_id, test.verdict)):
        tests = list(group)
        kind = verdict.value.replace("_", " ")
        first = f"{tests[0].test.name}: {tests[0].reason}{_more(tests)}"
        lines.append(f"{claim_id}: {counted(len(tests), 'test')} {kind}: {first}")
    return lines


def _running_test(run: AttackRun) -> str:
    """The test that the limit fell on: the first one unfinished, else the slowest."""
    unfinished = [test for test in run.first if test.end in CUT_SHORT]
    if unfinished:
        return f", at test {unfinished[0].name}"
    if run.first:
        slowest = max(run.first, key=lambda test: test.duration_s)
        return f"; the slowest test was {slowest.name} ({slowest.duration_s:.1f} s)"
    return " before any test ended"


def _more(items: Sequence[object]) -> str:
    return f" (and {len(items) - 1} more)" if len(items) > 1 else ""


def _claims(count: int) -> str:
    return counted(count, "claim")
