"""The vote itself: three samples that see neither code nor expectation; a refutation stands only on their majority."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from refute.adversary.attack import Attack, Brief, Origin, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.generation.fitting import outlines
from refute.adversary.judgement.repetition import ASSERTED
from refute.adversary.oracle.ballot import Answer, read_ballot, vote_prompt
from refute.adversary.oracle.question import Situation, situation_of
from refute.adversary.oracle.without_vote import decided_without_vote, published_examples
from refute.adversary.promises import confined, limit_reached
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.model import Completion, Ending, Model
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
Asked = tuple[TriagedTest, Claim, Situation]


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
    claims = {claim.id: claim for claim in brief.ticket.claims}
    published = published_examples(claims.values(), brief.modules)
    asked: list[Asked] = []
    decided: dict[str, TriagedTest] = {}
    for one in filter(needs_vote, triaged):
        situation = situation_of(attack.source, one.test.name, one.run)
        if situation is None:
            decided[one.test.name] = _open(one, NOT_TOLD)
        elif known := decided_without_vote(one, situation, published, [claim.text for claim in claims.values()]):
            decided[one.test.name] = known
        else:
            asked.append((one, claims[one.test.claim_id], situation))
    vote = Vote(triaged=())
    controls = list(published.values())[:CONTROLS]
    for start in range(0, len(asked), AT_ONCE):
        some = asked[start : start + AT_ONCE]
        ballots, fault = _ballots(some, controls, outlines(brief).text, model, vote)
        decided |= {one[0].test.name: _counted(one, ballots, at, fault) for at, one in enumerate(some, start=1)}
    vote.triaged = tuple(decided.get(one.test.name, one) if needs_vote(one) else one for one in triaged)
    return vote


def _ballots(
    asked: Sequence[Asked], controls: Sequence[tuple[Claim, Situation]], outline: str, model: Model, vote: Vote
) -> tuple[list[Mapping[int, Answer]], str]:
    """Ask until every situation has a majority, at most three samples; and why fewer count, if so.

    Args:
        asked: what must be decided.
        controls: published examples: a sample that misses one has not read the claims, and does not count.
        outline: signatures and docstrings.
        model: is asked.
        vote: gets every answer.
    """
    situations = [*((claim, situation) for _, claim, situation in asked), *controls]
    ballots: list[Mapping[int, Answer]] = []
    fault = ""
    for sample in range(SAMPLES):
        if all(max(_tally(ballots, at, one[2])) >= MAJORITY for at, one in enumerate(asked, start=1)):
            break
        try:
            completion = model.generate(vote_prompt(situations, outline=outline, sample=sample))
        except (BudgetExhausted, ModelUnavailable) as error:
            vote.lost_usd.append(error.cost_usd)
            return ballots, error.message
        vote.completions.append(completion)
        complete = completion.reply.ending is Ending.COMPLETE
        answers = read_ballot(completion.reply.text, situations) if complete else {}
        told = enumerate(controls, start=len(asked) + 1)
        if any(at in answers and answers[at].misses(control) for at, (_, control) in told):
            answers, fault = {}, MISREAD
        ballots.append(answers)
    return ballots, fault


def _tally(ballots: Sequence[Mapping[int, Answer]], number: int, situation: Situation) -> tuple[int, int]:
    """Samples that expect what the test expects; those that expect what came."""
    cast = [answers[number] for answers in ballots if number in answers]
    return sum(one.agrees(situation) for one in cast), sum(one.contradicts(situation) for one in cast)


def _counted(asked: Asked, ballots: Sequence[Mapping[int, Answer]], number: int, fault: str) -> TriagedTest:
    one, _, situation = asked
    agreeing, contradicting = _tally(ballots, number, situation)
    of = f"of {len(ballots)} samples that saw claim and input alone"
    if agreeing >= MAJORITY:
        return replace(one, verdict=TriageVerdict.REFUTED, reason=f"{one.reason} (oracle vote: {agreeing} {of} agree)")
    if contradicting >= MAJORITY:
        reason = f"the test is wrong: {contradicting} {of} read the claim as the code does"
        return replace(one, verdict=TriageVerdict.INVALID, reason=reason)
    if one.run.error_type not in ASSERTED and not one.run.raised_in_implementation:
        return replace(one, verdict=TriageVerdict.INVALID, reason=f"{BY_ITSELF}: {one.reason}")
    if fault:
        return _open(one, f"the oracle vote could not be held: {fault}")
    return _open(one, f"no majority in the oracle vote: only {agreeing} {of} expect what the test expects")


def _open(one: TriagedTest, why: str) -> TriagedTest:
    return replace(one, verdict=TriageVerdict.NEEDS_REVIEW, reason=f"{why}; {one.reason}")
