"""What each test's result means: a failing test is not yet a refutation. Cheapest question first, no model asked."""

import re
from collections.abc import Sequence
from textwrap import shorten
from typing import Final

from refute.adversary.attack import (
    Attack,
    AttackRun,
    AttackTest,
    Brief,
    Origin,
    TestEnd,
    TestRun,
    TriagedTest,
    TriageVerdict,
)
from refute.adversary.judgement.chance import left_to_chance
from refute.adversary.judgement.endless import endless
from refute.adversary.judgement.offered import not_offered
from refute.adversary.judgement.repetition import (
    ASSERTED,
    Judgement,
    deprived,
    failed_by_itself,
    in_one_line,
    undecided,
)
from refute.adversary.promises import ERROR_NAME, confined, limit_reached, promised, rules_out
from refute.adversary.references import ImplementationUse
from refute.python_syntax import parsed_or_none

EXAMPLES: Final = frozenset({Origin.AUTHOR_EXAMPLE, Origin.CLAIM_EXAMPLE, Origin.DOCSTRING_EXAMPLE})
"""Written down with their very input and expectation."""
UNREADABLE: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})
TEST_AT_FAULT: Final = frozenset(
    {"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError"}
)
"""Errors that, raised in the test's own frame, are about the test."""
LIBRARY: Final = "hypothesis.errors."
"""How the names of errors begin by which the test library says that it has no fit input, or too slow a one."""
UNSATISFIED: Final = frozenset({"hypothesis.errors.Unsatisfiable", "hypothesis.errors.Unsatisfied"})
SIGNATURE: Final = re.compile(
    r"^(?P<callee>[\w.<>]+)\(\) "
    r"(?:missing \d+ required|takes |got an unexpected keyword|got multiple values|got some positional)"
)
"""TypeErrors that Python raises before a function's first line runs."""
ABSENT: Final = re.compile(
    r"^(?:cannot import name '(?P<name>\w+)' from|module) '(?P<module>[\w.]+)'"
    r"(?: has no attribute '(?P<attribute>\w+)')?"
)
PROGRAM_TIMED_OUT: Final = "subprocess.TimeoutExpired"
"""What a test raises whose program did not end in time; the machine may be slow, or the program be meant to go on."""
MEASURED: Final = re.compile(r"^assert .* [<>]=? ", re.MULTILINE)
LOOPLESS: Final = re.compile(r"no (?:running|current) event loop")
NEEDS_LOOP: Final = "the code wants a running event loop, and only calls of its async functions are given one"
VALUE_MADE: Final = re.compile(r" at 0x[0-9a-fA-F]+")
"""An address says nothing about a value."""
RAISED_EARLY: Final = "the implementation raised where the test is set up"


def triage_tests(run: AttackRun, attack: Attack, brief: Brief, *, repetitions: int) -> tuple[TriagedTest, ...]:
    """Decide what every test's result means.

    Args:
        run: as it was read back.
        attack: what ran.
        brief: of the ticket.
        repetitions: how often a failing test had to be repeated.

    Returns:
        One entry per test that was run; a test that the suite's limit kept from running has no meaning and no entry.
    """
    use = ImplementationUse(attack.source, [source.module.name for source in brief.modules], brief.programs)
    tests = {test.name: test for test in attack.tests}
    lacking = not_offered(attack, run)
    triaged = []
    for first in run.first:
        if first.end is TestEnd.MISSING and run.timed_out:
            continue
        runs = [first, *(other for runs in run.repetitions for other in runs if other.name == first.name)]
        test = tests[first.name]
        case = Case(test, runs, brief, use, lacking=lacking.get(first.name, ""))
        verdict, reason = case.judge(repetitions)
        if verdict is TriageVerdict.NEEDS_REVIEW and first.smallest_input:  # a refutation shows it beside its reason
            reason += f", for {shorten(first.smallest_input, 200, placeholder=' …')}"
        contested = verdict is TriageVerdict.FLAKY and failed_by_itself(runs)
        triaged.append(
            TriagedTest(
                test=test,
                verdict=verdict,
                reason=reason,
                run=first,
                without_vote=case.unreadable,
                contested=contested and not left_to_chance(attack.source, first.name),
            )
        )
    return tuple(triaged)


class Case:
    """One test with all its runs.

    Args:
        test: what was run.
        runs: the first, then its repetitions.
        brief: of the ticket.
        use: knows what of the test's file is the implementation's.
        lacking: the attribute that this test's plain data lacks and other tests offer; no claim named it.
    """

    def __init__(
        self, test: AttackTest, runs: Sequence[TestRun], brief: Brief, use: ImplementationUse, *, lacking: str = ""
    ) -> None:
        self.test, self.runs = test, runs
        self._first, self._again = runs[0], runs[1:]
        self._what = in_one_line(runs[0])
        self._brief, self._use, self._lacking = brief, use, lacking
        self._claim = next(claim for claim in brief.ticket.claims if claim.id == test.claim_id)

    @property
    def unreadable(self) -> bool:
        """Whether every run told of a fault in the text of an implementation file, which no test can be about."""
        if not {run.error_type for run in self.runs} <= UNREADABLE:
            return False
        broken = (one.module.path for one in self._brief.modules if parsed_or_none(one.source) is None)
        return any(f"{path.rpartition('/')[2]}, line" in self._first.error_message for path in broken)

    def judge(self, repetitions: int) -> Judgement:
        """The verdict and why: what could not be carried, repetition, structure, limits, then what the failure says."""
        known = undecided(self.runs) or self._about_test() or self._unrepeated(repetitions)
        return known or self._limit() or self._failure()

    def _unrepeated(self, repetitions: int) -> Judgement | None:
        """Failures that were not repeated often enough to be trusted."""
        done = sum(again.end is not TestEnd.MISSING for again in self._again)
        if done >= repetitions:
            return None
        reason = f"failed, but only {done} of {repetitions} repetitions ran: {self._what}"
        return TriageVerdict.NEEDS_REVIEW, reason

    def _about_test(self) -> Judgement | None:
        """Failures that are about the test or its inputs and not about the implementation; or about its very text."""
        run, claim = self._first, self._claim.text
        loopless = run.error_type == "RuntimeError" and LOOPLESS.search(run.error_message) and "loop" not in claim
        broken, inside, drawn = (
            run.end is TestEnd.BROKEN,
            run.raised_in_implementation,
            run.error_type.startswith(LIBRARY),
        )
        alone = run.end is TestEnd.FAILED and not drawn and not inside and not self._reached()
        robbed = (broken or alone) and deprived(run, frozenset(self._brief.workspace_paths))
        refused = run.error_type in UNSATISFIED and run.reached_implementation
        rules = (
            (self.unreadable, TriageVerdict.REFUTED, "the implementation's own file cannot be imported"),
            (
                self._lacking,
                TriageVerdict.INVALID,
                f"gives plain data where other tests give what has .{self._lacking}",
            ),
            (loopless, TriageVerdict.INVALID, NEEDS_LOOP),
            (robbed, TriageVerdict.NEEDS_REVIEW, "what the test itself works with was not as it should be"),
            (broken and inside and run.reached_implementation, TriageVerdict.NEEDS_REVIEW, RAISED_EARLY),
            (broken, TriageVerdict.INVALID, "could not be set up"),
            (run.end is TestEnd.SKIPPED, TriageVerdict.INVALID, "skipped itself"),
            (drawn and inside, TriageVerdict.NEEDS_REVIEW, "the implementation raised the test library's own error"),
            (drawn and refused, TriageVerdict.NEEDS_REVIEW, "after its answers, every generated input was rejected"),
            (drawn, TriageVerdict.INVALID, "Hypothesis has no fit input (`property` may draw some)"),
        )
        if found := next(((verdict, f"{why}: {self._what}") for holds, verdict, why in rules if holds), None):
            return found
        never = (TriageVerdict.INVALID, f"fails by itself, the implementation was never called: {self._what}")
        return (self._signature_refused(run) or self._absent(run) or never) if alone else None

    def _reached(self) -> bool:
        """Whether the implementation took part: it was called, or an assertion is about one of its values."""
        run = self._first
        about_value = (run.error_type in ASSERTED or bool(self._brief.programs)) and self._use.refers(self.test.name)
        return run.reached_implementation or about_value

    def _signature_refused(self, run: TestRun) -> Judgement | None:
        """A call that the callee's signature does not allow: the author's own call counts, a tester's is a mistake."""
        match = SIGNATURE.match(run.error_message)
        if match is None or run.error_type != "TypeError":
            return None
        callee = match["callee"]
        if self.test.origin.calls_by_author and self._use.refers(self.test.name):
            return TriageVerdict.REFUTED, f"the claim's own call is refused by {callee}(): {self._what}"
        return TriageVerdict.INVALID, f"calls {callee}() with arguments that it does not take: {run.error_message}"

    def _absent(self, run: TestRun) -> Judgement | None:
        """What the author's own call names, and the claim too, and the implementation does not have."""
        match = ABSENT.match(run.error_message)
        ours = {one.module.name for one in self._brief.modules}
        if match is None or match["module"] not in ours or not self.test.origin.calls_by_author:
            return None
        name = match["name"] or match["attribute"]
        if not name or not re.search(rf"\b{name}\b", self._claim.text):
            return None
        written = " ".join((self._claim.text, *self._claim.code()))
        its_own = len(ours) == 1 or re.search(rf"\b{match['module']}\b", written)  # else it is where we looked first
        where = f"{match['module']} does not have" if its_own else "no implementation file has"
        return TriageVerdict.REFUTED, f"the claim speaks of {name}, which {where}"

    def _limit(self) -> Judgement | None:
        """Limits of time, memory, recursion, and death: they count only where a claim rules them out."""
        outside = bool(self._brief.programs) and all(run.error_type == PROGRAM_TIMED_OUT for run in self.runs)
        limit = "time" if outside else limit_reached(self._first)
        if not limit:
            return None
        what = self._what
        inside = outside or all(run.raised_in_implementation for run in self.runs)
        if not inside:
            return TriageVerdict.NEEDS_REVIEW, f"a limit was reached, not seen to be inside the implementation: {what}"
        if all(rules_out(self._claim.text, limit, run.duration_s) for run in self.runs):
            return TriageVerdict.REFUTED, f"the claim rules this out, and {len(self.runs)} runs agree: {what}"
        if limit == "recursion" and self.test.origin in EXAMPLES:
            return TriageVerdict.REFUTED, f"the example never returns, however deep it may recurse: {what}"
        if self._promises_result(limit) and all(endless(run, self._use.source, limit) for run in self.runs):
            return (
                TriageVerdict.REFUTED,
                f"no result ever comes for this small input, in {len(self.runs)} runs: {what}",
            )
        return TriageVerdict.NEEDS_REVIEW, f"no claim rules this limit out: {what}"

    def _promises_result(self, limit: str) -> bool:
        """Whether a test's expectation is a result, so that none at all refutes; a model's is put to the vote."""
        origin = self.test.origin
        return origin in EXAMPLES or origin is Origin.MODEL or (limit == "recursion" and origin is Origin.PHRASE)

    def _failure(self) -> Judgement:
        """An assertion that failed, or an exception where none may be."""
        run = self._first
        agree = f"{len(self.runs)} of {len(self.runs)} runs"
        if kinds := {other.error_type for other in self.runs} - {run.error_type}:
            agree += f" (sometimes {', '.join(sorted(kinds))})"
        if confined(run):
            return TriageVerdict.NEEDS_REVIEW, f"the sandbox may be the cause: {self._what}"
        if run.raised_in_implementation:
            return self._raised(agree)
        if run.error_type in ASSERTED:
            if self._made_anew():
                return (
                    TriageVerdict.NEEDS_REVIEW,
                    f"the value differs from run to run, so the example may only illustrate: {self._what}",
                )
            return TriageVerdict.REFUTED, f"{agree}: {self._what}"
        return self._raised_by_test(agree)

    def _made_anew(self) -> bool:
        """Whether an example's value differs from run to run: one of chance or of a clock may only illustrate.

        One among a claim's `examples` does not illustrate: its author says that it holds, and a race breaks it
        differently each time. Only where it is below or above something, as a duration is, the machine may be slow.
        """
        said = {_without_order(run.error_message) for run in self.runs}
        illustrates = self.test.origin in EXAMPLES - {Origin.AUTHOR_EXAMPLE}
        measured = any(MEASURED.search(run.error_message) for run in self.runs)
        return len(said) > 1 and (illustrates or (measured and self.test.origin is Origin.AUTHOR_EXAMPLE))

    def _raised_by_test(self, agree: str) -> Judgement:
        """An exception in the test's own frame, after the implementation had been called."""
        run = self._first
        if run.error_type in TEST_AT_FAULT:
            return TriageVerdict.INVALID, f"the test is wrong: {self._what}"
        if refused := self._signature_refused(run):
            return refused
        if self.test.origin.calls_by_author:
            return TriageVerdict.REFUTED, f"{agree}: what the author wrote down raises {self._what}"
        if self.test.origin is Origin.MODEL:  # put to the vote like any other
            return TriageVerdict.REFUTED, f"{agree}: on what the code gave, the test raised {self._what}"
        return (
            TriageVerdict.NEEDS_REVIEW,
            f"the test itself raised, perhaps on an unexpected result: {self._what}",
        )

    def _raised(self, agree: str) -> Judgement:
        """An exception out of the implementation; one raised on purpose may be its way to refuse an input."""
        run = self._first
        if run.raised_on_purpose and not self.test.origin.by_author and not self._ruled_out(run):
            reason = f"the implementation refuses this input on purpose; does the claim cover it? {self._what}"
            return TriageVerdict.NEEDS_REVIEW, reason
        return TriageVerdict.REFUTED, f"{agree}: the implementation raised {self._what}"

    def _ruled_out(self, run: TestRun) -> bool:
        """Whether the claim leaves no room for this exception: it says that none is raised, or which other one."""
        announced = ERROR_NAME.findall(self._claim.text)
        if run.error_type.rpartition(".")[2] in announced:
            return False
        return self.test.origin is Origin.FUZZ or bool(announced) or promised(self._claim.text, "raising")


def _without_order(message: str) -> str:
    """What a test says of a value, without what hangs on the hash seed: addresses, order in sets, pytest's cuts."""
    said = VALUE_MADE.sub("", message.partition("\nassert ")[0])
    return re.sub(r"\{[^{}]*\}", lambda hit: ", ".join(sorted(hit[0][1:-1].split(", "))), said)
