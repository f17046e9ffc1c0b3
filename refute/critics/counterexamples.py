"""Critics' counterexamples as an attack like any other: screened, run, triaged and voted on the same way."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.attack import Attack, AttackRun, Brief, Category, Screening, TriagedTest, TriageVerdict
from refute.adversary.generation.answer import WrittenTest, WrittenTests
from refute.adversary.generation.assembly import Round, assemble
from refute.critics.answer import Counterexample
from refute.critics.record import ReviewFailure, Standing

TESTER: Final = "critics"
PASSES: Final = "its test passes on the code"
NAME: Final = re.compile(r"\bdef\s+(?P<name>test_[A-Za-z0-9_]{1,120})\s*\(")
Key = tuple[int, int]
"""Index of a review, index of a failure in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexamples:
    """The attack, and which failure each of its tests is to show."""

    attack: Attack
    names: Mapping[Key, str]


def gather(brief: Brief, given: Mapping[Key, Counterexample], rounds: Sequence[str]) -> Counterexamples:
    """Put all counterexamples into one attack.

    Args:
        brief: of the ticket, with all its promises as claims.
        given: failure → its counterexample; hostile text.
        rounds: name of each review's prompt.
    """
    promises = {claim.id for claim in brief.ticket.claims}
    kept = {key: one for key, one in given.items() if one.promise in promises and NAME.search(one.code)}
    asked = [
        Round(name=name, answer=WrittenTests(tests=tuple(_test(one) for key, one in kept.items() if key[0] == review)))
        for review, name in enumerate(rounds)
    ]
    attack = assemble(brief, asked, tester=TESTER)
    keys = [key for review in range(len(rounds)) for key in kept if key[0] == review]
    names = {key: test.name for key, test in zip(keys, attack.tests, strict=True)}
    return Counterexamples(attack=attack, names=names)


def _test(one: Counterexample) -> WrittenTest:
    name = NAME.search(one.code)
    assert name is not None  # noqa: S101  # `gather` left out what has none
    return WrittenTest(
        name=name["name"], claim_id=one.promise, quote=one.quote, category=Category.FAILURE_MODE, code=one.code
    )


def stand(
    failure: ReviewFailure,
    test: str | None,
    screening: Screening,
    triaged: Sequence[TriagedTest],
    run: AttackRun | None,
) -> ReviewFailure:
    """How far a failure is confirmed by what became of its counterexample.

    Args:
        failure: as the critic wrote it.
        test: name of its counterexample; None where it gave none that can be used.
        screening: of all counterexamples.
        triaged: of those that ran.
        run: None where none could.
    """
    end = next((one for one in triaged if one.test.name == test), None)
    tampering = run.tampering if run else ()
    if test and end and end.verdict is TriageVerdict.REFUTED and not tampering:
        reason = f"its test fails: {end.reason}"
        return replace(failure, counterexample=test, standing=Standing.CONFIRMED, reason=reason)
    return replace(failure, counterexample=test or "", reason=_why_not(test, screening, end, tampering))


def _why_not(test: str | None, screening: Screening, end: TriagedTest | None, tampering: Sequence[str]) -> str:
    """Why a counterexample confirms nothing."""
    refused = next((one.reason for one in screening.rejected if one.test.name == test), "")
    if test is None:
        return "no test shows it"
    if tampering:
        return f"the run of its test was tampered with: {tampering[0]}"
    if refused:
        return f"its test was rejected: {refused}"
    if end is None:
        return "its test was not run"
    passed = end.verdict is TriageVerdict.SURVIVED
    return PASSES if passed else f"its test decides nothing: {end.reason}"
