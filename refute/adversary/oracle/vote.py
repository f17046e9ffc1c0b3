"""The vote itself: three samples that see neither code nor expectation; a refutation stands only on their majority."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from refute.adversary.attack import Attack, Brief, Origin, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.generation.fitting import outlines
from refute.adversary.generation.prompting import by_module
from refute.adversary.oracle.ballot import Answer, negated, read_ballot, vote_prompt
from refute.adversary.oracle.plain_faults import test_at_fault
from refute.adversary.oracle.published import decided_by_example, published_examples
from refute.adversary.oracle.question import Form, Situation
from refute.adversary.oracle.situation import situation_of
from refute.adversary.promises import confined, limit_reached
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.model import Completion, Ending, Model, Prompt
from refute.llm.pricing import total
from refute.ticket.record import Claim

SAMPLES: Final = 3
MAJORITY: Final = 2
AT_ONCE: Final = 12
"""Situations in one question."""
CONTROLS: Final = 2
"""Published examples in one question."""
MISREAD: Final = "a sample contradicts a published example"
BY_ITSELF: Final = "the test itself raised, and no majority says that the claim rules this out"
NOT_TOLD: Final = "its expectation cannot be told apart from its input, so that no vote could be held"


@dataclass(slots=True, kw_only=True)
class Vote:
    """What a vote decided."""

    triaged: tuple[TriagedTest, ...]
    completions: list[Completion] = field(default_factory=list)
    """Every answer, usable or not."""
    lost_usd: list[Decimal | None] = field(default_factory=list)
    """What requests without an answer may have cost."""

    @property
    def cost_usd(self) -> Decimal | None:
        """Of all samples; None where a price is not known."""
        return total([*(completion.cost_usd for completion in self.completions), *self.lost_usd])


def needs_vote(one: TriagedTest) -> bool:
    """Whether a vote decides a test: a model's refutation, or its input that the implementation refuses."""
    if one.without_vote or one.test.origin is not Origin.MODEL:
        return False
    refused = one.verdict is TriageVerdict.NEEDS_REVIEW and one.run.raised_on_purpose
    plain = one.run.end is TestEnd.FAILED and not limit_reached(one.run) and not confined(one.run)
    return one.verdict is TriageVerdict.REFUTED or (refused and plain)


def hold_vote(triaged: Sequence[TriagedTest], attack: Attack, brief: Brief, model: Model) -> Vote:
    """Let samples decide on the tests that need it; the others stay as they are.

    Never raises: where nobody can be asked, a person must judge.

    Args:
        triaged: every test with its meaning so far.
        attack: holds their source.
        brief: of the ticket.
        model: answers prompts; each sample is paid like any call.
    """
    vote = Vote(triaged=())
    claims = {claim.id: claim for claim in brief.ticket.claims}
    published = published_examples(claims.values(), brief.modules)
    asked: list[tuple[TriagedTest, Claim, Situation]] = []
    decided: dict[str, TriagedTest] = {}
    for one in filter(needs_vote, triaged):
        situation = situation_of(attack.source, one.test.name, one.run, brief.modules)
        if situation is None:
            decided[one.test.name] = _open(one, NOT_TOLD)
        elif by_example := decided_by_example(one, situation, published):
            decided[one.test.name] = by_example
        elif fault := test_at_fault(situation, [claim.text for claim in brief.ticket.claims]):
            decided[one.test.name] = replace(one, verdict=TriageVerdict.INVALID, reason=f"{fault}: {one.reason}")
        else:
            asked.append((one, claims[one.test.claim_id], situation))
    controls = [(one.claim, one.situation) for one in published.values()][:CONTROLS]
    booth = Booth(model=model, vote=vote, outline=by_module(brief, outlines(brief)), controls=controls)
    for start in range(0, len(asked), AT_ONCE):
        decided |= booth.decide(asked[start : start + AT_ONCE])
    vote.triaged = tuple(decided.get(one.test.name, one) if needs_vote(one) else one for one in triaged)
    return vote


@dataclass(frozen=True, slots=True, kw_only=True)
class Booth:
    """Where samples are asked: what each of them sees beside the situations."""

    model: Model
    vote: Vote
    """Gets every answer."""
    outline: str
    """Signatures and docstrings."""
    controls: Sequence[tuple[Claim, Situation]]
    """Published examples: a sample that misses one has not read the claims, and does not count."""

    def decide(self, asked: Sequence[tuple[TriagedTest, Claim, Situation]]) -> dict[str, TriagedTest]:
        """Ask until every situation has a majority, at most three samples."""
        ballots: list[tuple[bool, Mapping[int, Answer]]] = []
        fault = ""
        for sample in range(SAMPLES):
            if ballots and all(_settled(ballots, number, one[2]) for number, one in enumerate(asked, start=1)):
                break
            try:
                completion = self.model.generate(self._prompt(asked, sample))
            except (BudgetExhausted, ModelUnavailable) as error:
                self.vote.lost_usd.append(error.cost_usd)
                fault = error.message
                break
            self.vote.completions.append(completion)
            answers = read_ballot(completion.reply) if completion.reply.ending is Ending.COMPLETE else {}
            if self._misses(answers, len(asked)):
                answers, fault = {}, MISREAD
            ballots.append((negated(sample), answers))
        return {
            one.test.name: _counted(one, situation, ballots, number, fault)
            for number, (one, _, situation) in enumerate(asked, start=1)
        }

    def _prompt(self, asked: Sequence[tuple[TriagedTest, Claim, Situation]], sample: int) -> Prompt:
        situations = [*((claim, situation) for _, claim, situation in asked), *self.controls]
        claims = list({claim.id: claim for claim, _ in situations}.values())
        return vote_prompt(claims, situations, outline=self.outline, sample=sample)

    def _misses(self, answers: Mapping[int, Answer], before: int) -> bool:
        """Whether a sample says of a published example, numbered after the situations, other than is published."""
        told = enumerate(self.controls, start=before + 1)
        return any(number in answers and answers[number].misses(control) for number, (_, control) in told)


def _tally(ballots: Sequence[tuple[bool, Mapping[int, Answer]]], number: int, situation: Situation) -> tuple[int, int]:
    """Samples that expect what the test expects; those that expect what came."""
    cast = [(flag, answers[number]) for flag, answers in ballots if number in answers]
    agreeing = [flag for flag, answer in cast if answer.agrees(situation, negated=flag)]
    contradicting = [flag for flag, answer in cast if answer.contradicts(situation, negated=flag)]
    if situation.form.is_condition:  # a voice counts only beside one that was asked about the opposite
        return _both_ways(agreeing), _both_ways(contradicting)
    return len(agreeing), len(contradicting)


def _both_ways(flags: Sequence[bool]) -> int:
    return len(flags) if len(set(flags)) > 1 else 0


def _settled(ballots: Sequence[tuple[bool, Mapping[int, Answer]]], number: int, situation: Situation) -> bool:
    return max(_tally(ballots, number, situation)) >= MAJORITY


def _counted(
    one: TriagedTest,
    situation: Situation,
    ballots: Sequence[tuple[bool, Mapping[int, Answer]]],
    number: int,
    fault: str,
) -> TriagedTest:
    agreeing, contradicting = _tally(ballots, number, situation)
    of = f"of {len(ballots)} samples that saw claim and input alone"
    if agreeing >= MAJORITY:
        return replace(one, verdict=TriageVerdict.REFUTED, reason=f"{one.reason} (oracle vote: {agreeing} {of} agree)")
    if contradicting >= MAJORITY:
        reason = f"the test is wrong: {contradicting} {of} read the claim as the code does"
        return replace(one, verdict=TriageVerdict.INVALID, reason=reason)
    if situation.form is Form.ENDS and not one.run.raised_in_implementation:
        return replace(one, verdict=TriageVerdict.INVALID, reason=f"{BY_ITSELF}: {one.reason}")
    if fault:
        return _open(one, f"the oracle vote could not be held: {fault}")
    return _open(one, f"no majority in the oracle vote: only {agreeing} {of} expect what the test expects")


def _open(one: TriagedTest, why: str) -> TriagedTest:
    return replace(one, verdict=TriageVerdict.NEEDS_REVIEW, reason=f"{why}; {one.reason}")
