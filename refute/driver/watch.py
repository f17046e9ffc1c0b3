"""One worker from its start to its end: who may run how long, and what an early end means for which test."""

import secrets
import time
from collections.abc import Sequence
from typing import Any

from refute.driver.child import Child, Flood, ForkServer
from refute.driver.conversation import (
    Conversation,
    Tampering,
    lying_canaries,
    make_canaries,
    mixed_order,
    with_canaries,
)
from refute.driver.exceptions import stood_in_code
from refute.driver.plan import Plan, Report, noticed
from refute.driver.processes import Usage, starved

STARTUP_S = 60.0
"""Time to import pytest and Hypothesis on a busy machine; nothing submitted runs before that is done."""
SHUTDOWN_S = 3.0
ENOUGH = "enough"
"""A worker was ended because a test ended as it was waited for."""
PATIENCE = 6
"""Times its limit that a test is given on a machine that does not let it run for half of it."""


class WorkerBroken(Exception):  # named like the errors of the host: what happened
    """A worker did not get as far as reading anything submitted: a fault of the sandbox, no evidence."""


class Watch:
    """Runs tests in one worker and watches it. Afterwards the fields say what happened.

    Args:
        plan: limits and paths.
        tests: what to run.
        repetition: 0 for the first run.
        deadline_s: monotonic time at which the whole suite ends.
        source: the test file, which is on no disk while the implementation runs.
        runs_all: whether the other tests run whatever one of them shows.
    """

    def __init__(
        self,
        plan: Plan,
        tests: Sequence[str],
        *,
        repetition: int = 0,
        deadline_s: float,
        source: bytes,
        runs_all: bool = True,
    ) -> None:
        self._plan = plan
        self._source = source
        self._tests = tests
        self._deadline_s = deadline_s
        self._runs_all = runs_all
        self._key = secrets.token_hex(16)
        self.canaries = make_canaries(plan.tests)
        self._talk = Conversation(self._key, mixed_order(tests, self.canaries))
        self._since_s = time.monotonic()
        self._usage = Usage(0.0, runnable=False)
        self._patience = 1
        self._computed = False
        limits = plan.recursion_limits
        self._recursion_limit = limits[min(repetition, len(limits) - 1)]
        self._hash_seed = plan.hash_seeds[repetition - 1] if repetition and plan.hash_seeds else ""
        self.reports: dict[str, Report] = {}
        """Tests that are decided."""
        self.tampering: list[str] = []
        self.output = b""
        self.cheated = False
        """It said what no honest worker says, so that nothing more can be learnt from it."""
        self.suite_over = False
        """The suite's limit ended it."""
        self.ending = ""
        """How the worker ended, in words."""

    def run(self, output_room: int, forkserver: ForkServer) -> None:
        """Start the worker, follow it, end it with all that it started, and draw the conclusions."""
        self._since_s = time.monotonic()
        child = Child(self._job(), output_room, forkserver)
        reason = ""
        stacks = ("", "")
        try:
            reason = self._follow(child)
            if not self._talk.done and reason != ENOUGH:
                stacks = child.stacks(self._talk.subject)
        except (Tampering, Flood) as fact:
            reason = "tampering"
            self.cheated = True
            self.tampering.append(str(fact))
        try:
            self.ending = child.end(wait_s=0.0 if reason else SHUTDOWN_S)
        except Flood as fact:
            self.tampering.append(str(fact))
        self.ending = self._talk.gone or self.ending
        self.output = child.output
        self._conclude(reason, stacks)
        self._suspect()
        self.reports = {name: self._talk.reports[name] for name in self._tests if name in self._talk.reports}

    def _job(self) -> dict[str, Any]:
        plan = self._plan
        roots = [plan.workspace if root == "." else f"{plan.workspace}/{root}" for root in plan.import_roots]
        return {
            "key": self._key,
            "tests": self._talk.remaining,
            "workspace": plan.workspace,
            "attack_dir": plan.attack_dir,
            "test_file": str(plan.test_path),
            "import_roots": roots,
            "modules": plan.modules,
            "memory_bytes": plan.memory_bytes,
            "recursion_limit": self._recursion_limit,
            "hash_seed": self._hash_seed,
            "shrinks": not plan.variants,
            "source": with_canaries(self._source, self.canaries).decode("utf-8", "surrogateescape"),
        }

    def _follow(self, child: Child) -> str:
        """Listen until the worker ends by itself (empty), enough is known, or `suite` or `test` runs out of time."""
        while True:
            until = min(self._since_s + self._limit_s(), self._deadline_s)
            lines = child.listen(until - time.monotonic())
            if lines is None:
                return ""
            before = self._stage
            for line in lines:
                self._hear(line)
                if self._enough():  # the worker may be further on already: that is not looked at
                    return ENOUGH
            if self._stage != before:
                self._usage, self._patience = child.usage(), 1
            if not lines and time.monotonic() >= until and not self._wait_longer(child, until):
                self._computed = child.usage().cpu_s - self._usage.cpu_s >= self._plan.test_timeout_s / 2
                if self._talk.done:
                    return ""
                return "suite" if until == self._deadline_s else "test"

    def _enough(self) -> bool:
        """Whether a test has shown what makes the others needless."""
        ended = (self._talk.reports[name] for name in self._tests if name in self._talk.reports)
        return not self._runs_all and any(map(noticed, ended))

    def _wait_longer(self, child: Child, until: float) -> bool:
        """Whether a test ran out of time only because the machine did not let it run."""
        if self._talk.done or until == self._deadline_s or self._patience == PATIENCE:
            return False
        limit_s = self._limit_s() / self._patience
        self._patience += 1
        return starved(self._usage, child.usage(), limit_s)

    def _limit_s(self) -> float:
        if self._talk.done:
            return SHUTDOWN_S
        return (self._plan.test_timeout_s if self._talk.ready else STARTUP_S) * self._patience

    def _hear(self, line: bytes) -> None:
        """Take in one event; a test's time starts with it and not with what it says meanwhile."""
        before = self._stage
        self._talk.hear(line, time.monotonic())
        if before != self._stage:
            self._since_s = time.monotonic()

    @property
    def _stage(self) -> tuple[object, ...]:
        return (self._talk.ready, self._talk.collected, self._talk.current, self._talk.done)

    def _conclude(self, reason: str, stacks: tuple[str, str]) -> None:
        """Report what the worker was at when it ended otherwise than by finishing."""
        talk = self._talk
        if talk.uncollectable is not None:
            self._settle(talk.remaining, "broken", talk.uncollectable)
        if reason in {"tampering", ENOUGH} or talk.done:
            return
        if not talk.ready and reason != "suite":
            raise WorkerBroken(f"a worker did not start: {self.ending or f'not ready after {STARTUP_S:g} s'}")
        if reason == "":
            self._on_death(stacks)
        elif reason == "test":
            self._on_time_out(stacks)
        else:
            self.suite_over = True
            if talk.current is not None:
                message = f"was running when the attack's limit of {self._plan.suite_timeout_s:g} s was reached"
                self._settle([talk.current.name], "missing", {"error_message": message})

    def _suspect(self) -> None:
        """Add what canaries and contradictions betray."""
        canaries = {canary.name for canary in self.canaries}
        for name, fact in self._talk.contradictions:
            self.tampering.append(f"{'a canary' if name in canaries else name}: {fact}")
        self.tampering += lying_canaries(self.canaries, self._talk.reports)

    def _on_death(self, stacks: tuple[str, str]) -> None:
        talk = self._talk
        if not self.ending:
            self.tampering.append("the worker closed the result channel and went on running")
        if talk.current is not None:
            self._settle([talk.current.name], "died", self._where(f"the process ended: {self.ending}", stacks))
        elif not talk.collected:
            message = f"the process ended while the test file was imported: {self.ending}"
            self._settle(talk.remaining, "died", self._where(message, stacks))
        elif not talk.remaining:
            self.tampering.append(f"the worker ended before it said that it was done: {self.ending}")

    def _on_time_out(self, stacks: tuple[str, str]) -> None:
        talk, limit = self._talk, f"{self._plan.test_timeout_s:g} s"
        if talk.current is not None:
            facts = self._where(f"still running after {limit}", stacks) | {"computed": self._computed}
            self._settle([talk.current.name], "timed_out", facts)
        elif not talk.collected:
            message = f"importing the test file did not end within {limit}"
            self._settle(talk.remaining, "timed_out", self._where(message, stacks))

    def _where(self, message: str, stacks: tuple[str, str]) -> dict[str, Any]:
        inside = stood_in_code(*stacks, workspace=self._plan.workspace, test_path=str(self._plan.test_path))
        return {
            "error_message": message,
            "traceback": "\n".join(filter(None, reversed(stacks))),
            "reached_implementation": inside,
            "raised_in_implementation": inside,
        }

    def _settle(self, names: Sequence[str], end: str, facts: dict[str, Any]) -> None:
        current = self._talk.current
        duration_s = time.monotonic() - (current.started_s if current is not None else self._since_s)
        known = {name: facts[name] for name in Report.__slots__ if name in facts}
        for name in names:
            self._talk.reports[name] = Report(name=name, end=end, duration_s=round(duration_s, 3), **known)
