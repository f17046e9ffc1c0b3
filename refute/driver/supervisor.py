"""Runs the tests in workers, one after the other, until each has a report or the suite's time is over."""

import os
import resource
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from refute.driver.child import ForkServer
from refute.driver.plan import Plan, Report, Results, Variant, VariantReport, shortened
from refute.driver.pristine import PristineFolder, empty_contents, empty_folder
from refute.driver.watch import Watch

PLACEHOLDER = b"# The tests are held in memory while they run.\n"
OUTPUT_BYTES = 200_000
"""What is kept of all workers' output together."""
BAKED_TABLES = "/usr/local/lib/site-packages/hypothesis-tables"
"""Hypothesis's tables of characters, made with the image; where they are missing, a run's first worker makes them."""
ALONE = 5
"""Failing tests that get a process to themselves once."""
WORKERS = 3
"""At most so many for one variant that all tests run on: one more than tests that may hang there."""
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
STALLS = 2
"""Workers in a row that may end without deciding any test before what is left is given up."""


class Supervisor:
    """One run of a plan."""

    def __init__(self, plan: Plan, source: bytes) -> None:
        self._plan = plan
        self._source = source
        self._began_s = time.monotonic()
        self._deadline_s = self._began_s + max(plan.suite_timeout_s, plan.longest_s)
        self._forkserver = ForkServer(environment(plan), plan.workspace, draws=b"hypothesis" in source)
        self._forkserver.start()
        self._pristine = PristineFolder(Path(plan.workspace))
        self._output = b""
        self._results = Results(nonce=plan.nonce)

    def run(self) -> Results:
        """All that the plan asks for."""
        if self._plan.variants:
            self._run_variants()
        else:
            self._run_tests()
        self._results.output = self._output.decode("utf-8", "replace")
        self._results.duration_s = round(time.monotonic() - self._began_s, 3)
        return self._results

    def _run_tests(self) -> None:
        """Every test once, then what did not pass again, each repetition in fresh processes."""
        first = self._run_pass(self._plan.tests, 0)
        self._results.first = [first[name] for name in self._plan.tests]
        unclear = [report for report in self._results.first if report.end not in {"passed", "missing"}]
        hanging = [report.name for report in unclear if report.end == "timed_out"]
        names = [report.name for report in unclear if report.end != "timed_out"]
        numbers = range(1, self._plan.repetitions + 1) if unclear else ()
        again = {number: self._repeat(names, number) for number in numbers}
        # What hangs costs a test's whole limit each time, so it comes last, one by one: where the suite's limit comes
        # first, it leaves some tests undecided rather than all.
        for name, number in product(hanging, numbers):
            again[number].update(self._run_pass([name], number))
        self._results.repetitions += [[again[number][name] for name in (*names, *hanging)] for number in numbers]

    def _run_variants(self) -> None:
        """The tests on each variant, in fresh processes; what the limit cuts off is left.

        One that has begun may end: to leave out what takes long would leave out those that no test notices.
        """
        for variant in self._plan.variants:
            began = time.monotonic()
            if self._used_up():
                self._results.timed_out = True
                return
            reports, tampering = self._run_variant(variant)
            if self._results.timed_out:
                return
            self._results.variants.append(
                VariantReport(
                    name=variant.name,
                    reports=[shortened(reports[name]) for name in self._plan.tests if name in reports],
                    tampering=tampering,
                    duration_s=round(time.monotonic() - began, 3),
                )
            )

    def _used_up(self) -> bool:
        """Whether the limit is reached by the clock and of processors, as far as these are told (not by gVisor)."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        limit_s = self._plan.suite_timeout_s
        return time.monotonic() - self._began_s >= limit_s and used.ru_utime + used.ru_stime >= limit_s

    def _run_variant(self, variant: Variant) -> tuple[dict[str, Report], list[str]]:
        """Reports and tampering of one variant: until a test notices, or of all tests.

        Where all are asked for, what ends a worker is only one test's end; after a few workers the others are left.
        """
        reports: dict[str, Report] = {}
        tampering: list[str] = []
        for _ in range(WORKERS if variant.all_tests else 1):
            left = [name for name in self._plan.tests if name not in reports]
            watch = self._watch(left, variant=variant, runs_all=variant.all_tests)
            reports.update(watch.reports)
            tampering += watch.tampering
            if watch.suite_over or time.monotonic() >= self._deadline_s:
                self._results.timed_out = True
                break
            if tampering or not watch.reports or len(reports) == len(self._plan.tests):
                break
        return reports, tampering

    def _repeat(self, names: Sequence[str], number: int) -> dict[str, Report]:
        """One repetition, with what ran before a test changed each time.

        In the first, each test has a process to itself, so that what fails only after another test shows; many
        failing tests share one, since starting pytest takes half a second. The others run in reverse order.
        """
        alone = names[:ALONE] if number == 1 else []
        together = [name for name in reversed(names) if name not in alone]
        reports: dict[str, Report] = {}
        for group in (*([name] for name in alone), together):
            reports.update(self._run_pass(group, number))
        return reports

    def _run_pass(self, names: Sequence[str], repetition: int) -> dict[str, Report]:
        """A report for each test, from as many workers as it takes."""
        reports: dict[str, Report] = {}
        stalls = 0
        while remaining := [name for name in names if name not in reports]:
            if time.monotonic() >= self._deadline_s:
                self._results.timed_out = True
                message = f"not run: the attack's limit of {self._plan.suite_timeout_s:g} s came first"
                self._give_up(reports, remaining, "missing", message)
                break
            watch = self._watch(remaining, repetition=repetition)
            self._results.timed_out = self._results.timed_out or watch.suite_over
            for fact in watch.tampering:
                self._note(fact)
            reports.update(watch.reports)
            stalls = 0 if watch.reports else stalls + 1
            remaining = [name for name in remaining if name not in reports]
            if watch.cheated:
                self._give_up(reports, remaining, "missing", "not decided: the run was tampered with")
            elif stalls == STALLS:
                message = f"the process ended before this test was decided: {watch.ending or 'it was stopped'}"
                self._give_up(reports, remaining, "died", message)
        return reports

    def _watch(self, names: Sequence[str], *, variant: Variant | None = None, **options: Any) -> Watch:
        """Run tests in one worker."""
        watch = Watch(self._plan, names, deadline_s=self._deadline_s, source=self._source, **options)
        self._prepare(variant)
        watch.run(OUTPUT_BYTES - len(self._output), self._forkserver)
        self._output += watch.output
        return watch

    def _prepare(self, variant: Variant | None = None) -> None:
        """Put the files back as submitted; where pytest looks for the test file, leave one that says nothing."""
        try:
            self._pristine.restore()
        except OSError as error:
            self._note(f"the workspace could not be put back as it was submitted: {type(error).__name__}")
        if variant is not None:
            for folder in self._plan.emptied:
                empty_contents(Path(folder))
            for name, content in variant.files.items():
                self._pristine.replace(name, content.encode("utf-8", "surrogateescape"))
        empty_folder(Path(self._plan.scratch_dir))
        self.clear_attack()
        with self._plan.test_path.open("xb") as file:
            file.write(PLACEHOLDER)

    def clear_attack(self) -> None:
        """Leave nothing in the folder of test file and results, where there is room for both then."""
        if os.path.lexists(self._plan.results_path):
            self._note("a file of results was planted")
        empty_folder(Path(self._plan.attack_dir))

    def _note(self, fact: str) -> None:
        if fact not in self._results.tampering:
            self._results.tampering.append(fact)

    @staticmethod
    def _give_up(reports: dict[str, Report], names: Sequence[str], end: str, message: str) -> None:
        reports.update((name, Report(name=name, end=end, error_message=message)) for name in names)


def environment(plan: Plan) -> dict[str, str]:
    """All that a worker gets: nothing of ours beyond the path and fixed locale, time zone and hash seed.

    Where a person allowed hosts, the job's environment names the proxy to them, which the code needs.
    """
    return {
        **{name: os.environ[name] for name in PROXIES if name in os.environ},
        "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
        "HOME": plan.scratch_dir,
        "TMPDIR": plan.scratch_dir,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": BAKED_TABLES if Path(BAKED_TABLES).is_dir() else f"{plan.scratch_dir}-tables",
        **plan.environment,
    }
