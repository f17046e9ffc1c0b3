"""From the tests' ends on mutants to a score. What is not certainly a kill is none; what proves nothing is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from refute.adversary.attack import AttackTest, Brief, TestEnd, TestRun, TriageVerdict
from refute.adversary.judgement.triage import Case
from refute.adversary.promises import confined, limit_reached
from refute.adversary.references import ImplementationUse
from refute.adversary.strength.by_claim import shallow_claims, useless
from refute.adversary.strength.hollow import CONTROL
from refute.adversary.strength.mutants import Mutant
from refute.adversary.strength.record import MutantEnd, MutantResult, Strength
from refute.adversary.strength.scope import Sample
from refute.adversary.strength.trial import Trial, VariantRun, VariantRuns
from refute.adversary.strength.violations import violation_result
from refute.statistics.interval import wilson

LIMITS = frozenset({"time", "exit", "memory", "resources"})
"""Limits of the sandbox; endless recursion is Python's own and shows in any place."""


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
    if reason := _void(trial, containers):
        return unmeasured(reason, floor=floor, drawn=len(sample.mutants))
    judge = Judge(trial, brief)
    runs = {run.name: run for container in containers for run in container.runs}
    results = [judge.result(mutant, runs.get(str(mutant.number))) for mutant in sample.mutants]
    counted = [one for one in results if one.end.counts]
    killed = [one for one in counted if one.end is MutantEnd.KILLED]
    shallow, unjudged = shallow_claims(trial, brief, runs, judge.kills)
    ends = [one.end for one in results]
    limit, unusable = ends.count(MutantEnd.LIMIT), ends.count(MutantEnd.UNUSABLE)
    population = None if sample.population is None else sample.population - limit - unusable
    low, high = wilson(len(killed), len(counted), population=population)
    strength = Strength(
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
        survivors=tuple(one for one in counted if one.end is not MutantEnd.KILLED),
        notes=tuple(
            f"one of {len(containers)} containers of mutants was lost: {one.lost}" for one in _lost(containers)
        ),
        shallow=shallow,
        unjudged=unjudged,
        violations=tuple(
            violation_result(one, judge.result(one.mutant, runs.get(str(one.mutant.number))))
            for one in sample.violations
        ),
    )
    return strength if counted else replace(strength, void="no mutant could be run to an end that counts")


class Judge:
    """Says what became of single mutants.

    Args:
        trial: what was run.
        brief: of the ticket.
    """

    def __init__(self, trial: Trial, brief: Brief) -> None:
        self._trial = trial
        self._tests: Mapping[str, AttackTest] = {test.name: test for test in trial.attack.tests}
        self._brief = brief
        self._use = ImplementationUse(trial.attack.source, [one.module.name for one in brief.modules], brief.programs)

    def result(self, mutant: Mutant, run: VariantRun | None) -> MutantResult:
        """What became of one mutant; None where it was not reached."""
        end, killer, note = self._judge(run) if run is not None else (MutantEnd.NOT_RUN, "", "")
        return MutantResult(
            path=mutant.path,
            line=mutant.line,
            change=mutant.change,
            diff=mutant.diff,
            end=end,
            killed_by=killer,
            by_code_aware=bool(killer) and self._tests[killer].code_aware,
            suspected_equivalent=mutant.suspected_equivalent,
            note=note,
        )

    def _judge(self, run: VariantRun) -> tuple[MutantEnd, str, str]:
        if reason := useless(run):
            return MutantEnd.UNCLEAR if run.tampering else MutantEnd.UNUSABLE, "", reason
        reports = {test.name: test for test in run.tests}
        tests = [reports[name] for name in self._trial.tests if name in reports]
        if limits := [test for test in tests if limit_reached(test) in LIMITS]:
            return MutantEnd.LIMIT, "", f"{limits[0].name}: {limit_reached(limits[0])}"
        for test in tests:
            if self.kills(test):
                return MutantEnd.KILLED, test.name, ""
        if len(tests) == len(self._trial.tests) and all(test.end is TestEnd.PASSED for test in tests):
            return MutantEnd.SURVIVED, "", ""
        odd = next((test for test in tests if test.end is not TestEnd.PASSED), None)
        said = f"{odd.name} ended {odd.end.value}: {odd.error_message[:200]}" if odd else "not every test was decided"
        return MutantEnd.UNCLEAR, "", said

    def kills(self, run: TestRun) -> bool:
        """Whether a test's failure, by triage's own rules, would have kept this code from passing."""
        if run.end is not TestEnd.FAILED or run.not_carried or confined(run):
            return False
        verdict, _ = Case(self._tests[run.name], [run], self._brief, self._use).judge(0)
        return verdict in {TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW}


def _void(trial: Trial, containers: Sequence[VariantRuns]) -> str:
    """Why nothing can be learnt from mutants here: what tells is how the tests end on code without a fault."""
    lost = _lost(containers)
    if lost and len(lost) == len(containers):
        return lost[0].lost
    seen = set()
    for run in (run for one in containers for run in one.runs if run.name.startswith(CONTROL)):
        seen.add(run.name)
        failing = [test for test in run.tests if test.end is not TestEnd.PASSED]
        if run.tampering or failing or len(run.tests) != len(trial.tests):
            how = run.tampering[0] if run.tampering else _ended(failing)
            return f"on the code without a fault ({run.name}) the tests do not end as before: {how}"
    if len(seen) < 2:  # noqa: PLR2004  # of each kind one
        return "the time for mutants was over before it was seen that the tests pass on code without a fault"
    return ""


def _lost(containers: Sequence[VariantRuns]) -> list[VariantRuns]:
    return [one for one in containers if one.lost]


def _ended(failing: Sequence[TestRun]) -> str:
    if not failing:
        return "not every test was decided"
    one = failing[0]
    return f"{one.name} {one.end.value.replace('_', ' ')}: {one.error_type} {one.error_message[:200]}".rstrip()
