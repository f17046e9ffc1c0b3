"""The tests that survived, run in other surroundings: by the driver, and by pytest alone."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Attack, AttackRun, TestEnd, TestRun
from refute.adversary.plain_pytest import read_plain_runs
from refute.adversary.suite import read_attack_run
from refute.caching.kind import SECOND_RUN, AttackRecord
from refute.ports import Ports
from refute.sandbox.job import Job, JobResult
from refute.sandbox.surroundings import FIRST, PLAIN, SECOND, WORDS, Runner, Surroundings
from refute.stages.jobs import attack_of, plain_of
from refute.stages.strength import side_by_side
from refute.ticket.record import Snapshot, Ticket

ELSEWHERE: Final = (SECOND, PLAIN)
AT_ONCE: Final = 2
"""Containers, in the search for what makes the difference."""


class Elsewhere:
    """Runs tests of an attack in other surroundings.

    Args:
        ports: effects and settings.
        ticket: what is attacked.
        snapshot: its files.
        attack: holds the tests.
        names: of the tests that are run.
    """

    def __init__(self, ports: Ports, ticket: Ticket, snapshot: Snapshot, attack: Attack, names: Sequence[str]) -> None:
        self._ports, self._ticket, self._snapshot = ports, ticket, snapshot
        self.attack = replace(attack, tests=tuple(one for one in attack.tests if one.name in names))

    def key(self) -> str | None:
        """What the results are cached under."""
        return self._ports.result_key([self._job(one, self._names) for one in ELSEWHERE])

    def run(self) -> tuple[AttackRecord, ...]:
        """What the containers say, in the order of ELSEWHERE."""
        jobs = [self._job(one, self._names) for one in ELSEWHERE]
        driven, plain = zip(jobs, side_by_side(self._ports, jobs), strict=True)
        return (
            AttackRecord(result=replace(driven[1], collected={}), run=read_attack_run(*driven)),
            AttackRecord(result=replace(plain[1], collected={}), run=self._repeated(*plain)),
        )

    def _repeated(self, job: Job, result: JobResult) -> AttackRun:
        """The run by pytest, in which every test that did not pass is run again, alone, a few times."""
        first = read_plain_runs(job, result, [self._names])
        run = AttackRun(
            first=tuple(first), repetitions=(), tampering=(), output=result.stdout,
            duration_s=result.duration_s, timed_out=False,
        )  # fmt: skip
        failing = [one.name for one in first if one.end is not TestEnd.PASSED]
        if not failing:
            return run
        times = self._ports.settings.repetitions + 1
        alone = self._alone(failing, PLAIN, times)
        passed = [one for one in first if one.end is TestEnd.PASSED]
        return replace(run, first=(*passed, *alone[0]), repetitions=tuple(tuple(each) for each in alone[1:]))

    def _alone(self, names: Sequence[str], surroundings: Surroundings, times: int) -> list[list[TestRun]]:
        groups = [[name] for name in names] * times
        job = self._plain_job(surroundings, groups)
        (result,) = side_by_side(self._ports, [job])
        runs = read_plain_runs(job, result, groups)
        return [runs[start : start + len(names)] for start in range(0, len(runs), len(names))]

    def causes(self, failing: Sequence[str], surroundings: Surroundings) -> tuple[str, ...]:
        """What of the surroundings, changed alone, makes these tests fail; all together where no single one does."""
        plain = surroundings.runner is Runner.PYTEST
        near = replace(FIRST, runner=surroundings.runner)
        tried = {name: replace(near, **{name: getattr(surroundings, name)}) for name in surroundings.apart_from(near)}
        if plain:
            tried = {"runner": near, **tried}
        found = self._ports.stages.run(SECOND_RUN.name, lambda: self._fail_in(list(tried.values()), failing))
        causes = [WORDS[name] for name, fails in zip(tried, found, strict=True) if fails]
        if plain and found[0]:
            return (WORDS["runner"],)
        return tuple(causes) or ("the surroundings together",)

    def _fail_in(self, places: Sequence[Surroundings], failing: Sequence[str]) -> list[bool]:
        jobs = [self._job(one, failing) for one in places]
        results = [
            result
            for start in range(0, len(jobs), AT_ONCE)
            for result in side_by_side(self._ports, jobs[start : start + AT_ONCE])
        ]
        return [
            any(one.end is TestEnd.FAILED for one in self._read(job, result, failing))
            for job, result in zip(jobs, results, strict=True)
        ]

    def _read(self, job: Job, result: JobResult, names: Sequence[str]) -> Sequence[TestRun]:
        if job.surroundings.runner is Runner.PYTEST:
            return read_plain_runs(job, result, [names])
        return read_attack_run(job, result).first

    @property
    def _names(self) -> list[str]:
        return [one.name for one in self.attack.tests]

    def _job(self, surroundings: Surroundings, names: Sequence[str]) -> Job:
        if surroundings.runner is Runner.PYTEST:
            return self._plain_job(surroundings, [names])
        attack = replace(self.attack, tests=tuple(one for one in self.attack.tests if one.name in names))
        made = attack_of(self._ports, self._ticket, self._snapshot, attack, surroundings)
        return replace(made, name=SECOND_RUN.name)

    def _plain_job(self, surroundings: Surroundings, groups: Sequence[Sequence[str]]) -> Job:
        job = plain_of(self._ports, self._ticket, self._snapshot, self.attack, groups, surroundings)
        return replace(job, name=SECOND_RUN.name)
