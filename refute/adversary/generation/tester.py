"""A tester that is a model: asked claims first, once more where little came of it, then with the code in view."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from refute.adversary.attack import Attack, Brief, Screening
from refute.adversary.generation.answer import WrittenTests, read_answer
from refute.adversary.generation.assembly import Round, assemble
from refute.adversary.generation.fitting import excerpts, outlines
from refute.adversary.generation.prompting import claims_first, code_aware, hardening, once_more
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.model import Completion, Ending, Model, Prompt
from refute.outcome import RoundYield
from refute.ticket.clauses import clauses_of, open_clauses
from refute.ticket.record import ClaimId

if TYPE_CHECKING:
    from decimal import Decimal

ENOUGH_TESTS: Final = 3
MORE_ROOM: Final = 2
"""An unusable answer is asked for once more, with so many times the room where it was cut off."""
Screen = Callable[[Attack, Brief], Screening]


class ModelTester:
    """Writes attacks by asking a model.

    Args:
        model: answers prompts.
        screen: tells which tests may run, so that the model can be asked once more.
        name: of the tester, as in the outcome.
    """

    def __init__(self, model: Model, screen: Screen, *, name: str = "gemini") -> None:
        self._model = model
        self._screen = screen
        self._name = name
        self.completions: list[Completion] = []
        """Every answer, usable or not."""
        self.yields: list[RoundYield] = []
        self.notes: list[str] = []
        """What was wrong with its answers, one line each."""
        self.lost_usd: list[Decimal | None] = []
        """What requests without an answer may have cost."""

    def write_tests(self, brief: Brief) -> Attack:
        """Ask round by round; an unusable answer leaves its round empty.

        Raises:
            ModelUnavailable: nobody answered the first question.
            BudgetExhausted: the first question does not fit into a budget. Later rounds are left out instead.
        """
        return assemble(brief, self._rounds(brief), tester=self._name)

    def _rounds(self, brief: Brief) -> list[Round]:
        rounds = [self._ask(claims_first(brief), known=outlines(brief).cut)]
        screened = self._screened(brief, rounds)
        missing = _without_test(brief, screened.attack)
        if missing or len(screened.attack.tests) < ENOUGH_TESTS:
            self._ask_also(rounds, once_more(brief, screened.rejected, list(missing.values())))
            screened = self._screened(brief, rounds)
            missing = _without_test(brief, screened.attack)
        self._ask_also(rounds, code_aware(brief, screened.attack, list(missing.values())), notes=excerpts(brief).cut)
        return rounds

    def harden(self, brief: Brief, existing: Sequence[str], faults: Sequence[str]) -> Attack:
        """Ask once more, with the faults in view that no test noticed; the attack holds only the new tests.

        Args:
            brief: of the ticket.
            existing: names of the tests that are there already.
            faults: diffs.

        Raises:
            ModelUnavailable: nobody answered.
            BudgetExhausted: the question does not fit into a budget.
        """
        return assemble(brief, [self._ask(hardening(brief, existing, faults))], tester=self._name)

    def _ask_also(self, rounds: list[Round], prompt: Prompt, *, notes: str = "") -> None:
        """A round that only adds: what came before stands without it."""
        try:
            rounds.append(self._ask(prompt, known=notes))
        except (ModelUnavailable, BudgetExhausted) as error:
            self.lost_usd.append(error.cost_usd)
            self._note(prompt, 0, [f"left out: {error.message}"])

    def _ask(self, prompt: Prompt, *, known: str = "") -> Round:
        notes, told = [known.strip(" ()")] if known else [], ""
        answer = WrittenTests()
        for attempt in (prompt, _again(prompt)):
            completion = self._model.generate(attempt)
            self.completions.append(completion)
            reply = completion.reply
            usable = read_answer(reply.text) if reply.ending is Ending.COMPLETE else None
            if usable is not None:
                answer, told = usable, ""
                notes += usable.faults
                break
            told = "no JSON" if reply.ending is Ending.COMPLETE else f"{reply.ending} ({reply.detail})"
            notes.append(f"unusable answer: {told}")
            if reply.ending is Ending.BLOCKED:
                break
        self._note(prompt, len(answer.tests), notes)
        return Round(name=prompt.name, answer=answer, unusable=told)

    def _note(self, prompt: Prompt, written: int, notes: Iterable[str]) -> None:
        self.yields.append(RoundYield(tester=self._name, round=prompt.name, tier=prompt.tier, written=written))
        self.notes += [f"{prompt.name}: {note}" for note in notes]

    def _screened(self, brief: Brief, rounds: Sequence[Round]) -> Screening:
        return self._screen(assemble(brief, rounds, tester=self._name), brief)


def _without_test(brief: Brief, attack: Attack) -> dict[ClaimId, str]:
    """Claims that no test attacks in full → what a prompt calls them: `C2`, or `C1 (clause 2)` where the rest is."""
    found = {}
    for claim in brief.ticket.claims:
        tests = [test for test in attack.tests if test.claim_id == claim.id]
        left = open_clauses(claim.text, (words for one in tests for words in one.quotes))
        if left:
            clauses = clauses_of(claim.text)
            numbers = ", ".join(f"clause {clauses.index(clause) + 1}" for clause in left)
            found[claim.id] = f"{claim.id} ({numbers})" if tests else str(claim.id)
    return found


def _again(prompt: Prompt) -> Prompt:
    """Another sample with more room: the same question with the same seed would bring the same answer."""
    return replace(prompt, max_output_tokens=prompt.max_output_tokens * MORE_ROOM, sample=prompt.sample + 1)
