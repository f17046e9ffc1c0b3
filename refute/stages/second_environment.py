"""What is about to pass runs once more elsewhere: another user, other paths, host name, time zone, hash seed.

Code that is right only where it is tested ends otherwise there, and so does code that hangs on such things by mistake.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import AttackRun, Brief, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.judgement.conclusions import claim_results, refutations
from refute.adversary.judgement.identity import identity_reads, looks_around
from refute.adversary.judgement.repetition import failed_by_itself, in_one_line
from refute.adversary.judgement.triage import triage_tests
from refute.adversary.promises import confined, limit_reached
from refute.adversary.suite_source import SuiteSource
from refute.caching.chance import left_to_chance
from refute.caching.kind import SECOND_RUN, AttackRecord
from refute.outcome import SecondEnvironment, Status
from refute.ports import Ports
from refute.sandbox.surroundings import WORDS, Runner, Surroundings
from refute.stages.brief import brief_of
from refute.stages.elsewhere import ELSEWHERE, Elsewhere
from refute.stages.evidence import Evidence, Hardening, SecondRun
from refute.stages.trial import reach_verdict
from refute.ticket.record import Snapshot, Ticket

OFF: Final = "`second_environment` is off"


def run_elsewhere(ports: Ports, ticket: Ticket, snapshot: Snapshot, hardened: Hardening) -> SecondRun:
    """Run the tests of a ticket that would pass once more in other surroundings, and look for questions after these.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    if reach_verdict(ports, hardened).status is not Status.PASS:
        return SecondRun(evidence=hardened.evidence)
    return rerun_elsewhere(ports, ticket, snapshot, hardened.evidence)


def rerun_elsewhere(ports: Ports, ticket: Ticket, snapshot: Snapshot, evidence: Evidence) -> SecondRun:
    """Run the tests that passed once more in other surroundings; raises as `run_elsewhere`."""
    before = SecondRun(evidence=evidence)
    brief = brief_of(ports, ticket, snapshot)
    found = SecondEnvironment(identity_reads=identity_reads(brief))
    if not ports.settings.second_environment:
        return replace(before, found=replace(found, not_run=OFF), summary=OFF)
    again = Elsewhere(ports, ticket, snapshot, evidence.screening.attack, survivors(evidence))
    lasting = not left_to_chance(brief, again.attack.source, ports.contents(snapshot))
    ran = ports.stages.cached(SECOND_RUN, again.key() if lasting else None, again.run)
    sandbox_s = 0.0 if ran.kept else max(record.result.duration_s for record in ran.record)
    before = replace(before, sandbox_s=sandbox_s, kept=ran.kept)
    return _Conclusion(ports, brief, evidence, again).of(before, found, ran.record)


def survivors(evidence: Evidence) -> tuple[str, ...]:
    """Names of the tests that passed."""
    return tuple(one.test.name for one in evidence.triage.triaged if one.verdict is TriageVerdict.SURVIVED)


class _Conclusion:
    """What the runs elsewhere come to."""

    def __init__(self, ports: Ports, brief: Brief, evidence: Evidence, again: Elsewhere) -> None:
        self._ports, self._brief, self._evidence, self._again = ports, brief, evidence, again

    def of(self, before: SecondRun, found: SecondEnvironment, records: Sequence[AttackRecord]) -> SecondRun:
        """A test that fails there in every run, by itself not looking at where it is, refutes; others leave doubt."""
        attack, refuting, differing = self._again.attack, dict[str, TriagedTest](), list[str]()
        for surroundings, record in zip(ELSEWHERE, records, strict=True):
            fails = {name: one for name, one in self._failing(surroundings, record.run).items() if name not in refuting}
            causes = self._again.causes(list(fails), surroundings) if fails else ()
            if causes == (WORDS["days_ahead"],):  # the test's own expectation may be of today
                continue
            refuting |= {name: _refuted(one, causes) for name, one in fails.items()}
            differing += [cause for cause in causes if cause not in differing]
        as_before = {one.name for one in attack.tests}.intersection(*(_passed(record.run) for record in records))
        unclear = [one.name for one in attack.tests if one.name not in as_before and one.name not in refuting]
        found = replace(found, unclear=tuple(unclear), differing=tuple(differing))
        summary = f"{len(as_before)} of {len(attack.tests)} tests gave the same result"
        if not refuting:
            return replace(before, found=found, summary=summary)
        summary = f"{summary}; what differs: {', '.join(differing)}"
        return replace(before, found=found, summary=summary, evidence=self._with(refuting))

    def _failing(self, surroundings: Surroundings, run: AttackRun) -> dict[str, TriagedTest]:
        if run.tampering:
            return {}
        suite = SuiteSource(self._again.attack.source)
        triaged = triage_tests(run, self._again.attack, self._brief, repetitions=self._ports.settings.repetitions)
        alone = surroundings.runner is Runner.PYTEST  # an error of the test's own may be its way with real objects
        return {
            one.test.name: one
            for one in triaged
            if _differs(one, run)
            and (failed_by_itself([one.run]) or not alone)
            and not looks_around(suite, one.test.name)
        }

    def _with(self, refuting: Mapping[str, TriagedTest]) -> Evidence:
        """The first evidence, with what was refuted elsewhere."""
        first = self._evidence
        triaged = tuple(refuting.get(one.test.name, one) for one in first.triage.triaged)
        triage = replace(
            first.triage,
            triaged=triaged,
            claims=claim_results(self._brief, triaged, first.screening, tampering=()),
            failures=refutations(triaged, first.screening, self._brief),
        )
        return replace(first, triage=triage)


def _passed(run: AttackRun) -> set[str]:
    return set() if run.tampering else {one.name for one in run.first if one.end is TestEnd.PASSED}


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
