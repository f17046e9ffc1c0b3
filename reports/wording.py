"""The words and marks with which every report speaks of statuses, verdicts, time and money."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.adversary.strength.record import MutantResult, ShallowClaim, Strength, ViolationEnd
from refute.caching.wording import age_in_words
from refute.critics.record import Review, ReviewFailure, Rework
from refute.guardrails.plain_text import on_one_line, printable
from refute.outcome import (
    ClaimResult,
    ClaimVerdict,
    ModelUse,
    Outcome,
    Provenance,
    RoundYield,
    SecondEnvironment,
    Status,
    TestFailure,
    TestRecord,
)
from refute.wording import NAMES_SHOWN, first_names, in_quotes

MEANING: Final[Mapping[Status, str]] = {
    Status.PASS: "Every claim survived an attack that would have noticed most small faults.",
    Status.PASS_WEAK: "No claim was refuted, but the attack was too weak to rely on.",
    Status.FAILED_IMPORT: "The code does not import.",
    Status.FAILED_VERIFICATION: "The author's own verification script failed.",
    Status.FAILED_RESOURCES: "The verification ran into a resource limit.",
    Status.FAILED_ADVERSARIAL: "The code does not do what it claims.",
    Status.FAILED_REVIEW: "A reviewer found a fault, and it was confirmed.",
    Status.FAILED_TIMEOUT: "A time limit was reached.",
    Status.INCONCLUSIVE: "No verdict: a person has to look.",
    Status.BLOCKED_DANGEROUS_SCRIPT: "Nothing was run: the verification script is dangerous.",
    Status.BLOCKED_DANGEROUS_OPERATION: "The run destroyed files outside its workspace copy, inside the container.",
    Status.CANCELLED: "Not approved, or stopped before a verdict.",
    Status.SKIPPED_BUDGET: "Not attacked: the budget does not allow it.",
    Status.SKIPPED: "Not attacked: the policy does not ask for it.",
    Status.DRY_RUN: "Nothing was run: this was a dry run.",
    Status.PENDING: "Not finished yet; it can be resumed.",
    Status.ERROR: "Infrastructure failure; no verdict on the code.",
}
"""Each status in plain words."""

CLAIM_WORDS: Final[Mapping[ClaimVerdict, str]] = {
    ClaimVerdict.REFUTED: "REFUTED",
    ClaimVerdict.SURVIVED: "survived",
    ClaimVerdict.SURVIVED_IN_PART: "survived in part",
    ClaimVerdict.UNTESTED: "untested",
    ClaimVerdict.INCONCLUSIVE: "undecided",
}

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
}


def mark(status: Status) -> str:
    """One character that says without colour how a ticket ended."""
    match status:
        case Status.PASS:
            return "✓"
        case Status.PASS_WEAK:
            return "~"
        case Status.SKIPPED | Status.DRY_RUN | Status.PENDING | Status.CANCELLED | Status.SKIPPED_BUDGET:
            return "-"
        case Status.INCONCLUSIVE | Status.ERROR:
            return "?"
        case _:
            return "✗"


def duration(seconds: float) -> str:
    """`0.3 s`, `12.4 s`, `3 min 05 s`."""
    if round(seconds, 1) < 60:  # noqa: PLR2004  # seconds in a minute
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


PLACE_CHARS: Final = 60


def money(usd: Decimal | None) -> str:
    """US dollars, to the cent or, below one, to the first digits that say something; an unknown price is told."""
    if usd is None:
        return "cost unknown"
    if not usd or usd >= Decimal("0.01"):
        return f"${usd:.2f}"
    return f"${usd:.6f}".rstrip("0")


def counted(count: int, noun: str) -> str:
    """`1 test`, `2 tests`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def provenance_line(provenance: Provenance) -> str:
    """What exactly ran, digests cut to twelve characters; empty where no container was used."""
    digests = {
        "snapshot": provenance.snapshot_digest,
        "image": provenance.image_id,
        "profile": provenance.profile_digest,
    }
    parts = [f"{name} {value.removeprefix('sha256:')[:12]}" for name, value in digests.items() if value]
    parts += [value for value in (provenance.engine, provenance.runtime) if value]
    parts += [f"network to {', '.join(provenance.allowed_hosts)}"] if provenance.allowed_hosts else []
    parts += [f"models answered by {', '.join(provenance.local_servers)}"] if provenance.local_servers else []
    parts += [f"with {', '.join(provenance.requirements)}"] if provenance.requirements else []
    return " · ".join([f"refute {provenance.refute_version}", *parts])


def run_line(outcome: Outcome) -> str:
    """What the run took and cost, and who attacked, on one line."""
    sandbox_s = sum(stage.sandbox_s for stage in outcome.stages)
    contained = f" ({duration(sandbox_s)} in containers)" if sandbox_s else ""
    facts = [f"{duration(outcome.duration_s)}{contained}", money(outcome.cost_usd), *model_lines(outcome.models)]
    facts.append(kept_note(outcome))
    return " · ".join([*filter(None, facts), f"tester {outcome.provenance.tester}"])


def model_lines(models: Iterable[ModelUse]) -> list[str]:
    """What each model was asked and answered: `gemini-x: 4 calls, 1,565 tokens in, 747 out`."""
    return [_model_line(use) for use in models]


def _model_line(use: ModelUse) -> str:
    tokens = f"{use.input_tokens:,} tokens in, {use.output_tokens + use.thinking_tokens:,} out"
    asked = [f"{counted(use.calls, 'call')}, {tokens}"] if use.calls else []
    asked += [f"{counted(use.cached_answers, 'cached answer')}"] if use.cached_answers else []
    where = f" (local server {use.local_server})" if use.local_server else ""
    return printable(f"{use.model}{where}: {', '.join(asked)}", max_chars=200, keep_newlines=False)


def kept_note(outcome: Outcome) -> str:
    """That stages rest on earlier runs, and how old these are; empty where all was run."""
    ages = [stage.kept.age_s for stage in outcome.stages if stage.kept]
    return f"partly reused results from {age_in_words(max(ages))} ago" if ages else ""


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
    rejected: dict[str, list[str]] = {}
    for test in listed:
        if test.verdict is None:
            rejected.setdefault(test.reason, []).append(test.name)
    for reason, names in rejected.items():
        lines.append(f"rejected before the run: {first_names(names)}: {reason}")
    return lines


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
            by = f"{claim.independent_tests} independent" if claim.independent_tests else "written by the author"
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
    return f"{claim.claim_id} attacked too weakly: {tests} also {claim.unnoticed}; {claim.remedy}"


def why(outcome: Outcome, *, max_chars: int = 200) -> str:
    """Why it ended so, on one line: the first counterexample in short, else the reason."""
    if not outcome.failures:
        return printable(on_one_line(outcome.reason), max_chars=max_chars, keep_newlines=False)
    first = outcome.failures[0]
    more = f" (and {counted(len(outcome.failures) - 1, 'more refutation')})" if len(outcome.failures) > 1 else ""
    return f"{first.claim_violated} refuted: {counterexample(first)}{more}"


def counterexample(failure: TestFailure) -> str:
    """What was tried, and what came of it, on one line."""
    # An example has no input of its own: then the claim says what was tried.
    given = failure.smallest_input.replace("\n", ", ") or on_one_line(failure.claim_text)
    said = next(iter(failure.error_message.splitlines()), "")  # the first line says it, the rest is pytest's diff
    error = f"{failure.error_type}: {said}" if said else failure.error_type
    return " → ".join(
        printable(text, max_chars=most, keep_newlines=False) for text, most in ((given, 80), (error, 120))
    )


def spent(known_usd: Decimal, unknown: int) -> str:
    """What several runs cost together; where the cost of some is unknown, they are counted beside it."""
    return money(known_usd) + (f" and {counted(unknown, 'ticket')} of unknown cost" if unknown else "")


def survivor_line(mutant: MutantResult) -> str:
    """A change that no test noticed, on one line."""
    why = mutant.note or (f"perhaps no fault: {mutant.suspected_equivalent}" if mutant.suspected_equivalent else "")
    return f"{mutant.path}:{mutant.line}  {mutant.change}" + (f"  ({why})" if why else "")
