"""What reviews mean for a ticket: a confirmed failure fails it, a grave opinion goes to a person, the rest is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.critics.focus import BlockOn, Focus
from refute.critics.material import PLACE
from refute.critics.record import HELD, Named, Review, ReviewFailure, ReviewVerdict, Severity, Standing
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
    decisive: tuple[Named, ...] = ()
    """The failures that give the status."""

    @property
    def doubts(self) -> tuple[Named, ...]:
        """The decisive failures that are opinion so far: a person may uphold or dismiss them."""
        return tuple(one for one in self.decisive if one[1].standing is Standing.UNCONFIRMED)


def judge(reviews: Sequence[Review], *, block_on: BlockOn, defaults: Sequence[Focus]) -> Judgement:
    """Decide what the reviews of one round mean.

    Args:
        reviews: one per critic, failures with their standing.
        block_on: which failures block.
        defaults: the critics without which no ticket passes.
    """
    held = [(one, fault) for one, fault in _blocking(reviews) if fault.standing in HELD]
    opinions = [(one, fault) for one, fault in _blocking(reviews) if fault.standing is Standing.UNCONFIRMED]
    caveats = tuple(_caveats(reviews, defaults))
    if held:
        return _judgement(Status.FAILED_REVIEW, _words(held), held, caveats)
    if opinions and block_on is BlockOn.ANY:
        words = f"critics name {counted(len(opinions), 'failure')}, and the setting block_on is any: {_named(opinions)}"
        return _judgement(Status.FAILED_REVIEW, words, opinions, caveats)
    doubts = [
        (one, fault)
        for one, fault in opinions
        if fault.severity is Severity.CRITICAL or _seen_by_another(one, fault, reviews)
    ]
    if doubts:
        words = f"a person must judge what critics say without a test that shows it: {_named(doubts)}"
        return _judgement(Status.INCONCLUSIVE, words, doubts, caveats)
    missing = [one for one in reviews if one.verdict is ReviewVerdict.UNAVAILABLE and one.focus in defaults]
    if missing:
        told = ", ".join(f"{one.focus} ({one.note})" for one in missing)
        return _judgement(Status.INCONCLUSIVE, f"no ticket passes without its critics: {told}", (), caveats)
    return Judgement(status=None, caveats=caveats)


def settle(reviews: Sequence[Review], doubts: Sequence[Named], standing: Standing, reason: str) -> tuple[Review, ...]:
    """The reviews after a person has judged the failures that were in doubt.

    Args:
        reviews: of one round.
        doubts: what the person was asked about.
        standing: upheld or dismissed.
        reason: who says so, and why.
    """
    asked = [failure for _, failure in doubts]

    def settled(failure: ReviewFailure) -> ReviewFailure:
        return replace(failure, standing=standing, reason=reason) if failure in asked else failure

    named = [review for review, _ in doubts]
    return tuple(
        replace(one, failures=tuple(map(settled, one.failures)), note="; ".join(filter(None, (one.note, reason))))
        if one in named
        else one
        for one in reviews
    )


def _judgement(status: Status, reason: str, decisive: Sequence[Named], caveats: tuple[str, ...]) -> Judgement:
    return Judgement(status=status, reason=reason, caveats=caveats, decisive=tuple(decisive))


def _words(held: Sequence[Named]) -> str:
    """`1 failure that critics found confirmed by a test: …`, or who upheld it."""
    upheld = [one for one in held if one[1].standing is Standing.UPHELD]
    shown = [one for one in held if one not in upheld]
    told = []
    if shown:
        told.append(f"{counted(len(shown), 'failure')} that critics found confirmed by a test: {_named(shown)}")
    if upheld:
        told.append(f"{counted(len(upheld), 'failure')} that critics found {upheld[0][1].reason}: {_named(upheld)}")
    return "; ".join(told)


def _blocking(reviews: Sequence[Review]) -> Iterator[Named]:
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


def _named(found: Sequence[Named]) -> str:
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return "; ".join(f"{one.focus}: {fault.description}" for one, fault in found[:SHOWN]) + more


def _caveats(reviews: Sequence[Review], defaults: Sequence[Focus]) -> Iterator[str]:
    for review in reviews:
        if review.verdict is ReviewVerdict.UNAVAILABLE and review.focus not in defaults:
            yield f"the {review.focus} critic gave no answer: {review.note}"
        for one in review.failures:
            if one.severity.blocks and one.standing not in HELD:
                yield f"critic, {review.focus}, {one.severity}, {one.standing} ({one.reason}): {one.description}"
