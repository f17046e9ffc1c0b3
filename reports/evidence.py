"""What a verdict rests on, in lines: tests, claims, strength, surroundings, critics."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.adversary.strength.record import MutantResult, ShallowClaim, Strength, ViolationEnd
from refute.critics.record import Review, ReviewFailure, Rework
from refute.outcome import (
    ClaimResult,
    ClaimVerdict,
    RoundYield,
    SecondEnvironment,
    TestRecord,
)
from refute.ticket.record import LeftOut
from refute.wording import NAMES_SHOWN, counted, first_names, in_quotes

_ORIGIN_WORDS: Final[Mapping[Origin, str]] = {
    Origin.AUTHOR_EXAMPLE: "the author's examples",
    Origin.AUTHOR_PROPERTY: "the author's properties",
    Origin.CLAIM_EXAMPLE: "examples in claims",
    Origin.DOCSTRING_EXAMPLE: "examples in docstrings",
    Origin.PHRASE: "phrases of claims",
    Origin.FUZZ: "typed fuzzing",
    Origin.MODEL: "a model",
    Origin.EARLIER: "the version before",
    Origin.LIBRARY: "the standard library",
    Origin.FIELD: "claims' fields on drawn inputs",
}

SHARPEN: Final = (
    "say in the claim what comes out (a value for an input, the name of an error), or have a model write tests"
)
"""What would make the attack on a claim stronger."""
PLACE_CHARS: Final = 60


def test_lines(tests: Iterable[TestRecord]) -> list[str]:
    """What was tried: where the expectations came from, how the tests ended, what the screen rejected and why."""
    listed = list(tests)
    if not listed:
        return ["no test was written"]
    ran = [test for test in listed if test.verdict is not None]
    origins = Counter(test.origin for test in ran)
    sources = ", ".join(f"{count} from {_ORIGIN_WORDS[origin]}" for origin, count in origins.most_common())
    ends = Counter(test.verdict for test in ran)
    results = ", ".join(f"{ends[v]} {v.value.replace('_', ' ')}{_attested(v, ran)}" for v in TriageVerdict if ends[v])
    lines = [f"{counted(len(ran), 'test')} ran: {sources}", f"results: {results}"] if ran else ["no test ran"]
    lines += [categories_line(ran)] if ran else []
    rejected = _by_reason((test.reason, test.name) for test in listed if test.verdict is None)
    return lines + [f"rejected before the run: {names}: {reason}" for reason, names in rejected]


def left_out_lines(left_out: Iterable[LeftOut]) -> list[str]:
    """Which files the snapshot does not hold, and why: one line for each reason."""
    return [f"{paths} ({reason})" for reason, paths in _by_reason((one.reason, one.path) for one in left_out)]


def _by_reason(named: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each reason once, with the first names that have it."""
    found: dict[str, list[str]] = {}
    for reason, name in named:
        found.setdefault(reason, []).append(name)
    return ((reason, first_names(names)) for reason, names in found.items())


def _attested(verdict: TriageVerdict, tests: Iterable[TestRecord]) -> str:
    """Of the tests that survived, how many rest on more than the implementation's word; empty where nobody noted it."""
    if verdict is not TriageVerdict.SURVIVED:
        return ""
    noted = [one.attested for one in tests if one.verdict is verdict and one.attested is not None]
    return f" ({noted.count(True)} tamper-proof)" if noted else ""


def categories_line(tests: Iterable[TestRecord]) -> str:
    """Which kinds of attack were tried: those of tests that survived or refuted, and which were not."""
    counting = (TriageVerdict.SURVIVED, TriageVerdict.REFUTED)
    covered = Counter(test.category for test in tests if test.verdict in counting)
    none = [one.value for one in Category if not covered[one]]
    told = ", ".join(f"{covered[one]} {one.value}" for one in Category if covered[one]) or "none"
    return f"categories covered: {told}" + (f"; not: {', '.join(none)}" if none else "")


def round_lines(rounds: Iterable[RoundYield]) -> list[str]:
    """What each round of each tester brought; nothing where only the built-in tester wrote, whose tests are told."""
    listed = list(rounds)
    if not any(one.round for one in listed):
        return []
    return [
        f"{one.tester}{f', {one.round} ({one.tier})' if one.round else ''}: "
        f"{one.written} written, {one.accepted} accepted, {one.refuting} refuting"
        for one in listed
    ]


def claim_evidence(claim: ClaimResult) -> str:
    """What a claim's verdict rests on, in a few words, with the tests that decided."""
    match claim.verdict:
        case ClaimVerdict.REFUTED:
            return claim.decided_by or claim.reason
        case ClaimVerdict.SURVIVED | ClaimVerdict.SURVIVED_IN_PART:
            named = f": {', '.join(claim.supported_by)}" if claim.supported_by else ""
            more = " and more" if named and len(claim.supported_by) < claim.tests_run else ""
            some = f"{claim.independent_tests} " if claim.independent_tests < claim.tests_run else ""
            by = f"{some}independent" if claim.independent_tests else "written by the author"
            tests = f"{counted(claim.tests_run, 'test')}, {by}{named}{more}"
            return f"not attacked: {in_quotes(claim.open_clauses)}; {tests}" if claim.open_clauses else tests
        case _:
            return f"{claim.reason} ({claim.decided_by})" if claim.decided_by else claim.reason


def strength_lines(strength: Strength) -> list[str]:
    """How strong the attack was, and what that rests on."""
    if strength.void:
        return [f"not measured: {strength.void.removeprefix('not measured: ')}"]
    after = ", after a hardening round, on mutants that the tester was not shown" if strength.hardened else ""
    share = f"{strength.low:.0%} to {strength.high:.0%} of small faults would be noticed (90% confidence)"
    if strength.is_census:
        share = f"{strength.low:.0%} of small faults are noticed (all were tried)"
    lines = [
        f"{strength.killed} of {counted(strength.n, 'mutant')} killed{after}",
        *([f"mutants of: {strength.code}"] if strength.code else []),
        f"{share}; PASS needs at least {strength.floor:.0%}",
    ]
    if strength.killed_by_claims_only != strength.killed:
        lines.append(f"{strength.killed_by_claims_only} of them by tests written without seeing the code")
    apart = {
        "hung, died or ran out of memory": strength.limit,
        "cannot be imported": strength.unusable,
        "not reached in time": strength.not_run,
    }
    if told := [f"{count} {what}" for what, count in apart.items() if count]:
        lines.append(f"left out of the count: {', '.join(told)}")
    if strength.unjudged:
        lines.append(f"not measured per claim: {strength.unjudged}")
    return [*lines, *map(shallow_line, strength.shallow), *_violation_lines(strength)]


def _violation_lines(strength: Strength) -> Iterator[str]:
    """What became of edits that break one clause each, and each that no test noticed."""
    if strength.not_planted:
        yield f"no violations planted: {strength.not_planted}"
    if strength.violations:
        aside = sum(one.end is ViolationEnd.SET_ASIDE for one in strength.violations)
        told = strength.violations_noticed or "no planted violation counts"
        yield f"{told}; {aside} set aside, as they show nothing" if aside else told
    for one in strength.missed:
        yield f"{one.claim_id} {in_quotes([one.clause])}: every test still passes with this fault: {one.behaviour}"


def elsewhere_lines(second: SecondEnvironment) -> list[str]:
    """What became of the tests in other surroundings, and where the code asks for these."""
    told = [f"not run there: {second.not_run}"] if second.not_run else []
    if second.differing:
        told.append(f"the result changes with another {', '.join(second.differing)}")
    if second.unclear:
        told.append(f"other result, but no refutation: {', '.join(second.unclear[:NAMES_SHOWN])}")
    if not told:
        told.append("the same results under another user, path, host name, time zone and hash seed")
    return [*told, *(f"the code inspects where it runs: {place}" for place in second.identity_reads[:NAMES_SHOWN])]


def review_lines(reviews: Sequence[Review]) -> list[str]:
    """What each critic says, and how far each of its failures is confirmed."""
    told = []
    for one in reviews:
        told.append(f"{one.focus}: {one.verdict.replace('_', ' ')}" + (f" ({one.note})" if one.note else ""))
        told += [
            f"  {fault.severity}, {fault.standing}: {_place(fault)}{fault.description} ({fault.reason})"
            for fault in one.failures
        ]
    return told


def rework_lines(reworks: Sequence[Rework]) -> list[str]:
    """What became of each rework, where it is, and what critics say of it."""
    told = []
    for one in reworks:
        told.append(f"before review {one.round}: {one.end}" + (f" ({one.reason})" if one.reason else ""))
        told += [f"  changed {', '.join(one.changed)}; difference: {one.diff}"] if one.diff else []
        told += [f"  {line}" for line in review_lines(one.reviews)]
    return told


def _place(failure: ReviewFailure) -> str:
    """Where a failure is, as far as its evidence says that shortly."""
    return f"{failure.evidence}: " if len(failure.evidence) <= PLACE_CHARS and ":" in failure.evidence else ""


def shallow_line(claim: ShallowClaim) -> str:
    """A claim that is not attacked strongly, what its tests let through, and what would help."""
    tests = "its test passes" if len(claim.tests) == 1 else f"its {len(claim.tests)} independent tests pass"
    return f"{claim.claim_id} attacked too weakly: {tests} also {claim.unnoticed}; {SHARPEN}"


def survivor_line(mutant: MutantResult) -> str:
    """A change that no test noticed, on one line."""
    return f"{mutant.path}:{mutant.line}  {mutant.change}" + (f"  ({mutant.note})" if mutant.note else "")
