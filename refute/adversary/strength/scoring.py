"""From the tests' ends on mutants to a score. What is not certainly a kill is none; what proves nothing is left out."""

from collections.abc import Sequence
from typing import Final

from refute.adversary.attack import Brief, TestEnd, TestRun, TriageVerdict
from refute.adversary.contract import VariantRun
from refute.adversary.judgement.triage import Case
from refute.adversary.promises import confined, limit_reached, promised
from refute.adversary.references import ImplementationUse
from refute.adversary.strength.hollow import CONTROL, FAILING, OTHERWISE, uses_what_stays
from refute.adversary.strength.mutants import Mutant
from refute.adversary.strength.record import (
    MutantEnd,
    MutantResult,
    ShallowClaim,
    Strength,
    ViolationEnd,
    ViolationResult,
)
from refute.adversary.strength.scope import Sample
from refute.adversary.strength.trial import Trial, VariantRuns
from refute.adversary.strength.violations import Violation
from refute.statistics.interval import wilson

LIMITS: Final = frozenset({"time", "exit", "memory", "resources"})
"""Limits of the sandbox; endless recursion is Python's own and shows in any place."""
EQUAL: Final = "the model's own test does not tell it from the code as submitted"


def unmeasured(reason: str, *, floor: float, drawn: int = 0) -> Strength:
    """No score, and why."""
    return Strength(
        n=0, killed=0, killed_by_claims_only=0, low=0.0, high=1.0, floor=floor, drawn=drawn, not_run=drawn, void=reason
    )


def score(trial: Trial, brief: Brief, sample: Sample, containers: Sequence[VariantRuns], *, floor: float) -> Strength:
    """Judge an attack by what it made of mutants.

    Args:
        trial: what was run.
        brief: of the ticket.
        sample: the mutants that were drawn.
        containers: what came back.
        floor: what the interval's lower end must reach.
    """
    judge = Judge(trial, brief, containers)
    if reason := judge.void():
        return unmeasured(reason, floor=floor, drawn=len(sample.mutants))
    results = [judge.result(mutant) for mutant in sample.mutants]
    counted = [one for one in results if one.end.counts]
    killed = [one for one in counted if one.end is MutantEnd.KILLED]
    shallow, unjudged = judge.shallow()
    ends = [one.end for one in results]
    limit, unusable = ends.count(MutantEnd.LIMIT), ends.count(MutantEnd.UNUSABLE)
    population = None if sample.population is None else sample.population - limit - unusable
    low, high = wilson(len(killed), len(counted), population=population)
    lost = [one.lost for one in containers if one.lost]
    at_change = [one for one in counted if (one.path, one.line) in sample.changed]
    seen = any(one.end is MutantEnd.KILLED for one in at_change)
    return Strength(
        n=len(counted),
        killed=len(killed),
        killed_by_claims_only=sum(not one.by_code_aware for one in killed),
        low=round(low, 4),
        high=round(high, 4),
        floor=floor,
        drawn=len(sample.mutants),
        code=sample.code,
        population=population,
        limit=limit,
        unusable=unusable,
        not_run=ends.count(MutantEnd.NOT_RUN),
        void="" if counted else "no mutant could be run to an end that counts",
        survivors=tuple(one for one in counted if one.end is not MutantEnd.KILLED),
        notes=tuple(f"one of {len(containers)} containers of mutants was lost: {why}" for why in lost),
        blind_to=() if seen else tuple(dict.fromkeys(f"{one.path}:{one.line}" for one in at_change)),
        shallow=shallow,
        unjudged=unjudged,
        violations=tuple(map(judge.violation, sample.violations)),
    )


class Judge:
    """Says what became of each variant of the code.

    Args:
        trial: what was run.
        brief: of the ticket.
        containers: what came back.
    """

    def __init__(self, trial: Trial, brief: Brief, containers: Sequence[VariantRuns]) -> None:
        self._trial = trial
        self._containers = containers
        self._runs = {run.name: run for one in containers for run in one.runs}
        self._controls = [run for one in containers for run in one.runs if run.name == CONTROL]
        self._tests = {test.name: test for test in trial.attack.tests}
        self._brief = brief
        self._use = ImplementationUse(trial.attack.source, [one.module.name for one in brief.modules], brief.programs)

    def void(self) -> str:
        """Why nothing can be learnt from mutants here: what tells is how the tests end on code without a fault."""
        if self._containers and all(one.lost for one in self._containers):
            return self._containers[0].lost
        for run in self._controls:
            if any(run.ends.get(name) is not TestEnd.PASSED for name in self._trial.tests):
                how = run.tampering[0] if run.tampering else self._odd(run)
                return f"on the code without a fault the tests do not end as before: {how}"
        if not self._controls:
            return "the time for mutants was over before it was seen that the tests pass on code without a fault"
        return ""

    def result(self, mutant: Mutant) -> MutantResult:
        """What became of one mutant."""
        run = self._runs.get(str(mutant.number))
        end, killer, note = self._judged(run) if run is not None else (MutantEnd.NOT_RUN, "", "")
        return MutantResult(
            path=mutant.path,
            line=mutant.line,
            change=mutant.change,
            diff=mutant.diff,
            end=end,
            killed_by=killer,
            by_code_aware=bool(killer) and self._tests[killer].code_aware,
            note=note,
        )

    def violation(self, planted: Violation) -> ViolationResult:
        """What became of a violation: set aside where no test of a model's tells it from the code as submitted.

        Where its own fails on the code as submitted, the clause may be broken already: that is no reason to trust it.
        """
        judged = self.result(planted.mutant)
        end, note = ViolationEnd.SET_ASIDE, judged.note
        if judged.end is MutantEnd.NOT_RUN:
            note = "its time was over"
        elif judged.end is MutantEnd.KILLED:
            end = ViolationEnd.NOTICED
        elif judged.end.counts:
            ends = self._runs[str(planted.mutant.number)].ends
            clean = {name: {run.ends.get(name) for run in self._controls} for name in self._trial.violation_tests}
            differs = any(
                ends.get(name) is TestEnd.FAILED and known == {TestEnd.PASSED} for name, known in clean.items()
            )
            tells = differs or TestEnd.FAILED in clean[planted.witness_name]
            end, note = (ViolationEnd.MISSED, note) if tells else (end, EQUAL)
        return ViolationResult(
            claim_id=planted.claim_id,
            clause=planted.clause,
            behaviour=planted.behaviour,
            diff=judged.diff,
            end=end,
            noticed_by=judged.killed_by,
            note=note,
        )

    def shallow(self) -> tuple[tuple[ShallowClaim, ...], str]:
        """Claims whose tests do not notice hollow code; and why that could not be seen, empty where it could.

        Both variants are to be noticed. A claim that nothing goes wrong promises no answer: there it is enough to
        notice failing. Claims whose tests look at what cannot be hollowed out are not judged.
        """
        for name in self._trial.hollow:
            if reason := _useless(self._runs.get(name)):
                return (), f"{name}: {reason}"
        found = []
        for claim in self._brief.ticket.claims if self._trial.hollow else ():
            tests = self._trial.witnesses.get(claim.id, ())
            otherwise, failing = (_of(self._runs[name], tests) for name in (OTHERWISE, FAILING))
            answers = any(map(self.kills, otherwise))
            swallowed = all(one.end is TestEnd.PASSED for one in failing)
            if answers or (any(map(self.kills, failing)) and promised(claim.text)):
                unnoticed = [FAILING] if swallowed else []
            else:
                unnoticed = [OTHERWISE, *([FAILING] if swallowed else [])]
            if tests and unnoticed and not uses_what_stays(self._brief, self._trial.attack.source, tests):
                told = f"where {' and where '.join(unnoticed)}"
                found.append(ShallowClaim(claim_id=claim.id, tests=tests, unnoticed=told))
        return tuple(found), ""

    def _judged(self, run: VariantRun) -> tuple[MutantEnd, str, str]:
        if reason := _useless(run):
            return MutantEnd.UNCLEAR if run.tampering else MutantEnd.UNUSABLE, "", reason
        tests = _of(run, self._trial.tests)
        if limits := [test for test in tests if limit_reached(test) in LIMITS]:
            return MutantEnd.LIMIT, "", f"{limits[0].name}: {limit_reached(limits[0])}"
        if killer := next(filter(self.kills, tests), None):
            return MutantEnd.KILLED, killer.name, ""
        passed = len(tests) == len(self._trial.tests) and all(test.end is TestEnd.PASSED for test in tests)
        return (MutantEnd.SURVIVED, "", "") if passed else (MutantEnd.UNCLEAR, "", self._odd(run))

    def kills(self, run: TestRun) -> bool:
        """Whether a test's failure, by triage's own rules, would have kept this code from passing."""
        if run.end is not TestEnd.FAILED or run.not_carried or confined(run):
            return False
        verdict, _ = Case(self._tests[run.name], [run], self._brief, self._use).judge(0)
        return verdict in {TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW}

    def _odd(self, run: VariantRun) -> str:
        """The first test of the attack's that did not pass."""
        odd = next((one for one in _of(run, self._trial.tests) if one.end is not TestEnd.PASSED), None)
        if odd is None:
            return "not every test was decided"
        return f"{odd.name} {odd.end.value.replace('_', ' ')}: {odd.error_type} {odd.error_message[:200]}".rstrip()


def _of(run: VariantRun, tests: Sequence[str]) -> list[TestRun]:
    """How these tests ended, in their order, as far as they ran."""
    ended = {test.name: test for test in run.reports}
    return [ended[name] for name in tests if name in ended]


def _useless(run: VariantRun | None) -> str:
    """Why nothing can be learnt from how tests ended on a variant; empty where something can."""
    if run is None:
        return "its time was over before, or its container was lost"
    if run.tampering:
        return run.tampering[0]
    imports = (test for test in run.reports if test.raised_in_implementation and not test.reached_implementation)
    return "cannot be imported" if any(imports) else ""
