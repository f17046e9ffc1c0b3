"""How good critics are: how much of what they block is wrong (precision), and how much of what is wrong they block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from refute.bench.dataset import Pair
from refute.critics.focus import Focus
from refute.critics.record import Review, ReviewVerdict
from refute.outcome import Outcome
from refute.statistics.rate import Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticScore:
    """One focus on all versions that it reviewed."""

    focus: Focus
    precision: Rate
    """Of the versions with a confirmed failure, the wrong ones."""
    recall: Rate
    """Of the wrong versions reviewed, those with a confirmed failure."""
    opinions: Rate
    """Of the versions with a critical or major failure, confirmed or not, the wrong ones."""
    unavailable: int
    """Reviews without an answer that could be read."""
    tokens_each: int
    """Of a review, on average."""


def score_critics(pairs: Sequence[Pair], outcomes: Mapping[str, Outcome]) -> tuple[CriticScore, ...]:
    """Judge the reviews in outcomes, by focus; those without any are left out.

    Args:
        pairs: which tickets are right and which wrong.
        outcomes: ticket id → outcome.
    """
    wrong = {pair.wrong for pair in pairs}
    reviews = [(one.ticket_id in wrong, review) for one in outcomes.values() for review in one.reviews if review.model]
    return tuple(
        _score(focus, [(is_wrong, one) for is_wrong, one in reviews if one.focus is focus])
        for focus in Focus
        if any(one.focus is focus for _, one in reviews)
    )


def _score(focus: Focus, reviews: Sequence[tuple[bool, Review]]) -> CriticScore:
    confirmed = [is_wrong for is_wrong, one in reviews if one.confirmed]
    opinions = [is_wrong for is_wrong, one in reviews if one.blocking]
    return CriticScore(
        focus=focus,
        precision=Rate(hits=sum(confirmed), trials=len(confirmed)),
        recall=Rate(hits=sum(confirmed), trials=sum(is_wrong for is_wrong, _ in reviews)),
        opinions=Rate(hits=sum(opinions), trials=len(opinions)),
        unavailable=sum(one.verdict is ReviewVerdict.UNAVAILABLE for _, one in reviews),
        tokens_each=round(sum(one.input_tokens + one.output_tokens for _, one in reviews) / len(reviews)),
    )
