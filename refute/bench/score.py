"""What a tester's outcomes say about the tester."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from statistics import median

from refute.bench.critics import CriticScore, score_critics
from refute.bench.dataset import Pair
from refute.outcome import Outcome, RoundYield, Status
from refute.statistics.rate import Rate

REFUTED = frozenset({Status.FAILED_ADVERSARIAL})
FAILED = frozenset(status for status in Status if status.startswith("FAILED_"))
UNDECIDED = frozenset({Status.INCONCLUSIVE})
INFRASTRUCTURE = frozenset({Status.ERROR, Status.SKIPPED_BUDGET, Status.CANCELLED, Status.PENDING})


class Catch(StrEnum):
    """What happened to a wrong version."""

    REFUTED = "refuted"
    MISSED = "missed"
    BAD = "bad"
    """Refuted only by tests that refute the right version as well: they prove nothing."""
    UNDECIDED = "undecided"
    FAILED = "failed"
    """Ended by a limit or by its verification, without a test that refutes a claim."""
    NONE = "none"
    """No outcome about the code: infrastructure, budget, interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramScore:
    """One program."""

    program: str
    catch: Catch
    by: str
    """Origin of the first good refutation: `docstring_example`, `phrase`, `model` …"""
    right: Status | None
    """How the right version ended."""
    false_fail: str
    """Why the right version failed, where it did."""
    claims: int
    untested: int
    """Of the wrong version's claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchScore:
    """The whole run. Public benchmarks are in models' training data: a model's figures are upper bounds."""

    tester: str
    dataset: str
    dataset_sha256: str
    programs: tuple[ProgramScore, ...]
    refuted: Rate
    """Wrong versions refuted by a test that the right version passes."""
    refuted_by_examples: Rate
    """Of these, by examples of claims and docstrings alone."""
    false_fail: Rate
    """Right versions that ended FAILED_…, refuted or by a limit."""
    inconclusive: Rate
    """Of both versions."""
    claims_attacked: Rate
    bad: int
    """Wrong versions refuted only by tests that refute the right version too."""
    no_outcome: int
    """Versions without an outcome about the code; counted in none of the shares."""
    cost_usd: Decimal
    cost_per_ticket_usd: Decimal
    seconds_per_ticket: float
    """Median."""
    rounds: tuple[RoundYield, ...] = ()
    """What each round brought, over all versions."""
    tiers: tuple[tuple[str, int], ...] = ()
    """Tier → versions for which a model of it was asked."""
    critics: tuple[CriticScore, ...] = ()
    """By focus, where critics were asked."""


def score(
    pairs: Sequence[Pair], outcomes: Mapping[str, Outcome], *, tester: str, dataset: str, dataset_sha256: str
) -> BenchScore:
    """Judge a run.

    Args:
        pairs: what was asked.
        outcomes: ticket id → outcome; a missing one counts as no outcome.
        tester: who wrote the tests.
        dataset: its name.
        dataset_sha256: over the programs used.
    """
    programs = tuple(_program(pair, outcomes.get(pair.right), outcomes.get(pair.wrong)) for pair in pairs)
    every = [outcomes[name] for pair in pairs for name in (pair.right, pair.wrong) if name in outcomes]
    about_code = [outcome for outcome in every if outcome.status not in INFRASTRUCTURE]
    caught = [one for one in programs if one.catch is not Catch.NONE]
    claims = [claim for outcome in about_code for claim in outcome.claims]
    cost = sum((outcome.cost_usd or Decimal(0) for outcome in every), Decimal(0))
    rights = [one for one in programs if one.right is not None and one.right not in INFRASTRUCTURE]
    return BenchScore(
        tester=tester,
        dataset=dataset,
        dataset_sha256=dataset_sha256,
        programs=programs,
        refuted=Rate(hits=sum(one.catch is Catch.REFUTED for one in caught), trials=len(caught)),
        refuted_by_examples=Rate(hits=sum("example" in one.by for one in caught), trials=len(caught)),
        false_fail=Rate(hits=sum(one.right in FAILED for one in rights), trials=len(rights)),
        inconclusive=Rate(hits=sum(one.status in UNDECIDED for one in about_code), trials=len(about_code)),
        claims_attacked=Rate(hits=sum(claim.tests_run > 0 for claim in claims), trials=len(claims)),
        bad=sum(one.catch is Catch.BAD for one in programs),
        no_outcome=2 * len(pairs) - len(about_code),
        cost_usd=cost,
        cost_per_ticket_usd=cost / len(every) if every else Decimal(0),
        seconds_per_ticket=median([outcome.duration_s for outcome in every]) if every else 0.0,
        rounds=_rounds(every),
        critics=score_critics(pairs, outcomes),
        tiers=tuple(sorted(Counter(tier for outcome in every for tier in _tiers(outcome)).items())),
    )


def _rounds(outcomes: Sequence[Outcome]) -> tuple[RoundYield, ...]:
    """The sums by tester and round, in the order in which they were first held."""
    sums: dict[tuple[str, str, str], RoundYield] = {}
    for one in (one for outcome in outcomes for one in outcome.rounds):
        so_far = sums.get((one.tester, one.round, one.tier))
        sums[one.tester, one.round, one.tier] = (
            one
            if so_far is None
            else replace(
                one,
                written=so_far.written + one.written,
                accepted=so_far.accepted + one.accepted,
                refuting=so_far.refuting + one.refuting,
            )
        )
    return tuple(sums.values())


def _tiers(outcome: Outcome) -> set[str]:
    return {one.tier for one in outcome.rounds if one.tier}


def _program(pair: Pair, right: Outcome | None, wrong: Outcome | None) -> ProgramScore:
    catch, by = _catch(right, wrong)
    told = _why_failed(right) if right is not None and right.status in FAILED else ""
    claims = wrong.claims if wrong is not None else ()
    return ProgramScore(
        program=pair.program.id,
        catch=catch,
        by=by,
        right=right.status if right is not None else None,
        false_fail=told,
        claims=len(claims),
        untested=sum(claim.tests_run == 0 for claim in claims),
    )


def _why_failed(right: Outcome) -> str:
    if not right.failures:
        return " ".join(right.reason.split())[:200]
    first = right.failures[0]
    return f"{first.test_name}: {next(iter(first.error_message.splitlines()), '')[:200]}"


def _catch(right: Outcome | None, wrong: Outcome | None) -> tuple[Catch, str]:
    if wrong is None or wrong.status in INFRASTRUCTURE:
        return Catch.NONE, ""
    if wrong.status not in REFUTED:
        ended = Catch.FAILED if wrong.status in FAILED else Catch.MISSED
        return (Catch.UNDECIDED if wrong.status in UNDECIDED else ended), ""
    also = {failure.test_name for failure in right.failures} if right is not None else set()
    good = [failure.test_name for failure in wrong.failures if failure.test_name not in also]
    if not good:
        return Catch.BAD, ""
    origins = {test.name: test.origin.value for test in wrong.tests}
    found = [origins.get(name, "") for name in good]
    return Catch.REFUTED, next((origin for origin in found if "example" in origin), found[0])
