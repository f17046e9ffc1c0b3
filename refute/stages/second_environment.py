"""What is about to pass runs once more elsewhere: another user, other paths, host name, time zone, hash seed.

Code that is right only where it is tested ends otherwise there, and so does code that hangs on such things by mistake.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Attack, AttackRun, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.judgement.conclusions import claim_results, refutations
from refute.adversary.judgement.identity import identity_reads, looks_around
from refute.adversary.judgement.repetition import in_one_line
from refute.adversary.judgement.triage import triage_tests
from refute.adversary.promises import confined, limit_reached
from refute.adversary.suite import read_attack_run
from refute.adversary.suite_source import SuiteSource
from refute.caching.chance import left_to_chance
from refute.caching.kind import SECOND_RUN, AttackRecord
from refute.outcome import SecondEnvironment, Status
from refute.ports import Ports
from refute.sandbox.job import Job
from refute.sandbox.surroundings import FIRST, SECOND, WORDS, Surroundings
from refute.stages.brief import brief_of
from refute.stages.evidence import Evidence, Hardening, SecondRun
from refute.stages.jobs import attack_of
from refute.stages.strength import side_by_side
from refute.stages.trial import reach_verdict
from refute.ticket.record import Snapshot, Ticket

OFF: Final = "the setting `second_environment` is off"
AT_ONCE: Final = 2
"""Containers, in the search for what makes the difference."""


def run_elsewhere(ports: Ports, ticket: Ticket, snapshot: Snapshot, hardened: Hardening) -> SecondRun:
    """Run the tests of a ticket that would pass once more in other surroundings, and look for questions after these.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    before = SecondRun(evidence=hardened.evidence)
    if reach_verdict(ports, hardened).status is not Status.PASS:
        return before
    brief = brief_of(ports, ticket, snapshot)
    found = SecondEnvironment(identity_reads=identity_reads(brief))
    if not ports.settings.second_environment:
        return replace(before, found=replace(found, not_run=OFF), summary=OFF)
    again = _Again(ports, ticket, snapshot, hardened.evidence)
    lasting = not left_to_chance(brief, again.attack.source, ports.contents(snapshot))
    key = ports.result_key([again.job(SECOND)]) if lasting else None
    ran = ports.stages.cached(SECOND_RUN, key, lambda: again.run(SECOND))
    sandbox_s = 0.0 if ran.kept else ran.record.result.duration_s
    before = replace(before, sandbox_s=sandbox_s, kept=ran.kept)
    return again.concluded(before, found, ran.record)


class _Again:
    """The tests that survived, elsewhere."""

    def __init__(self, ports: Ports, ticket: Ticket, snapshot: Snapshot, evidence: Evidence) -> None:
        self._ports, self._ticket, self._snapshot = ports, ticket, snapshot
        self._evidence = evidence
        survived = {one.test.name for one in evidence.triage.triaged if one.verdict is TriageVerdict.SURVIVED}
        attack = evidence.screening.attack
        self.attack = replace(attack, tests=tuple(one for one in attack.tests if one.name in survived))

    def job(self, surroundings: Surroundings, attack: Attack | None = None) -> Job:
        """The tests' job, or that of another attack."""
        made = attack_of(self._ports, self._ticket, self._snapshot, attack or self.attack, surroundings)
        return replace(made, name=SECOND_RUN.name)

    def run(self, surroundings: Surroundings) -> AttackRecord:
        """What the container says."""
        job = self.job(surroundings)
        result = self._ports.sandbox.run(job)
        return AttackRecord(result=replace(result, collected={}), run=read_attack_run(job, result))

    def concluded(self, before: SecondRun, found: SecondEnvironment, record: AttackRecord) -> SecondRun:
        """A test that fails there in every run, by itself not looking at where it is, refutes; others leave doubt."""
        run = record.run
        brief = brief_of(self._ports, self._ticket, self._snapshot)
        triaged = triage_tests(run, self.attack, brief, repetitions=self._ports.settings.repetitions)
        suite = SuiteSource(self.attack.source)
        refuting = (
            {}
            if run.tampering
            else {
                one.test.name: one for one in triaged if _differs(one, run) and not looks_around(suite, one.test.name)
            }
        )
        as_before = {one.name for one in run.first if one.end is TestEnd.PASSED and not run.tampering}
        unclear = [one.name for one in self.attack.tests if one.name not in as_before and one.name not in refuting]
        found = replace(found, unclear=tuple(unclear), differing=self._causes(list(refuting)))
        summary = f"{len(as_before)} of {len(self.attack.tests)} tests ended as before"
        if not refuting:
            return replace(before, found=found, summary=summary)
        summary = f"{summary}; what differs: {', '.join(found.differing)}"
        return replace(before, found=found, summary=summary, evidence=self._refuted(refuting, found.differing))

    def _causes(self, failing: Sequence[str]) -> tuple[str, ...]:
        """What of the surroundings, changed alone, makes these tests fail; all together where no single one does."""
        if not failing:
            return ()
        attack = replace(self.attack, tests=tuple(one for one in self.attack.tests if one.name in failing))
        names = SECOND.apart_from(FIRST)
        jobs = [self.job(replace(FIRST, **{name: getattr(SECOND, name)}), attack) for name in names]
        results = self._ports.stages.run(
            SECOND_RUN.name,
            lambda: [
                result
                for start in range(0, len(jobs), AT_ONCE)
                for result in side_by_side(self._ports, jobs[start : start + AT_ONCE])
            ],
        )
        runs = [read_attack_run(job, result) for job, result in zip(jobs, results, strict=True)]
        causes = [
            WORDS[name]
            for name, run in zip(names, runs, strict=True)
            if any(one.end is TestEnd.FAILED for one in run.first)
        ]
        return tuple(causes) or ("the surroundings together",)

    def _refuted(self, refuting: Mapping[str, TriagedTest], differing: Sequence[str]) -> Evidence:
        """The first evidence, with what was refuted elsewhere."""
        first = self._evidence
        triaged = tuple(
            _refuted(refuting[one.test.name], differing) if one.test.name in refuting else one
            for one in first.triage.triaged
        )
        brief = brief_of(self._ports, self._ticket, self._snapshot)
        triage = replace(
            first.triage,
            triaged=triaged,
            claims=claim_results(self._ticket.claims, triaged, first.screening, tampering=()),
            failures=refutations(triaged, first.screening, brief),
        )
        return replace(first, triage=triage)


def _refuted(one: TriagedTest, differing: Sequence[str]) -> TriagedTest:
    told = f"passes, and fails with something else for {' and '.join(differing)}: {in_one_line(one.run)}"
    return replace(one, verdict=TriageVerdict.REFUTED, reason=told)


def _differs(one: TriagedTest, run: AttackRun) -> bool:
    """Whether a test failed in every run, after the implementation took part, and by no limit.

    What it expects needs no vote: the code gave it in the first environment.
    """
    runs = [test for tests in (run.first, *run.repetitions) for test in tests if test.name == one.test.name]
    failed = len(runs) > 1 and all(test.end is TestEnd.FAILED for test in runs)
    by_itself = one.verdict is TriageVerdict.INVALID or any(test.not_carried for test in runs)
    return failed and not by_itself and not any(confined(test) or limit_reached(test) for test in runs)
