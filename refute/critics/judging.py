"""What reviews mean for a ticket: a confirmed failure fails it, a grave opinion goes to a person, the rest is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from refute.critics.focus import BlockOn, Focus
from refute.critics.material import PLACE
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, Standing
from refute.outcome import Status
from refute.wording import counted

SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a ticket's reviews come to."""

    status: Status | None
    """FAILED_REVIEW or INCONCLUSIVE; None where nothing keeps the ticket from going on."""
    reason: str = ""
    """One sentence; empty without a status."""
    caveats: tuple[str, ...] = ()


def judge(reviews: Sequence[Review], *, block_on: BlockOn, defaults: Sequence[Focus]) -> Judgement:
    """Decide what the reviews of one round mean.

    Args:
        reviews: one per critic, failures with their standing.
        block_on: which failures block.
        defaults: the critics without which no ticket passes.
    """
    confirmed = [(one, fault) for one, fault in _blocking(reviews) if fault.standing is Standing.CONFIRMED]
    opinions = [(one, fault) for one, fault in _blocking(reviews) if fault.standing is Standing.UNCONFIRMED]
    caveats = tuple(_caveats(reviews, defaults))
    if confirmed:
        reason = f"{counted(len(confirmed), 'failure')} that critics found confirmed by a test: {_named(confirmed)}"
        return Judgement(status=Status.FAILED_REVIEW, reason=reason, caveats=caveats)
    if opinions and block_on is BlockOn.ANY:
        reason = (
            f"critics name {counted(len(opinions), 'failure')}, and the setting block_on is any: {_named(opinions)}"
        )
        return Judgement(status=Status.FAILED_REVIEW, reason=reason, caveats=caveats)
    doubts = [
        (one, fault)
        for one, fault in opinions
        if fault.severity is Severity.CRITICAL or _seen_by_another(one, fault, reviews)
    ]
    if doubts:
        reason = f"a person must judge what critics say without a test that shows it: {_named(doubts)}"
        return Judgement(status=Status.INCONCLUSIVE, reason=reason, caveats=caveats)
    missing = [one for one in reviews if one.verdict is ReviewVerdict.UNAVAILABLE and one.focus in defaults]
    if missing:
        told = ", ".join(f"{one.focus} ({one.note})" for one in missing)
        return Judgement(
            status=Status.INCONCLUSIVE, reason=f"no ticket passes without its critics: {told}", caveats=caveats
        )
    return Judgement(status=None, caveats=caveats)


def _blocking(reviews: Sequence[Review]) -> Iterator[tuple[Review, ReviewFailure]]:
    return ((review, failure) for review in reviews for failure in review.blocking)


def _seen_by_another(review: Review, failure: ReviewFailure, reviews: Sequence[Review]) -> bool:
    """Whether another critic names the same lines as a failure that blocks."""
    return any(
        _same_place(failure.evidence, other.evidence)
        for one, other in _blocking(reviews)
        if one.focus is not review.focus
    )


def _same_place(one: str, other: str) -> bool:
    lines = set(_lines(one))
    return bool(lines and lines & set(_lines(other))) or "".join(one.split()) == "".join(other.split())


def _lines(evidence: str) -> Iterator[tuple[str, int]]:
    for place in PLACE.finditer(evidence):
        first, last = int(place["first"]), int(place["last"] or place["first"])
        yield from ((place["path"].removeprefix("./"), line) for line in range(first, min(last, first + 500) + 1))


def _named(found: Sequence[tuple[Review, ReviewFailure]]) -> str:
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return "; ".join(f"{one.focus}: {fault.description}" for one, fault in found[:SHOWN]) + more


def _caveats(reviews: Sequence[Review], defaults: Sequence[Focus]) -> Iterator[str]:
    for review in reviews:
        if review.verdict is ReviewVerdict.UNAVAILABLE and review.focus not in defaults:
            yield f"the {review.focus} critic gave no answer: {review.note}"
        for one in review.failures:
            if one.standing is not Standing.CONFIRMED or not one.severity.blocks:
                yield f"critic, {review.focus}, {one.severity}, {one.standing} ({one.reason}): {one.description}"
