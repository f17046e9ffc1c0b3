"""An outcome's story, told once: its sections in their order, for a terminal and for a page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.strength.record import Strength
from refute.caching.wording import age_in_words
from refute.guardrails.plain_text import printable, tail
from refute.lacking import before_advice
from refute.outcome import ClaimVerdict, Outcome, Status, TestFailure
from refute.scan.finding import Finding, ScanResult
from refute.wording import counted
from reports import evidence
from reports.next_steps import PAGE as STEPS_PAGE
from reports.next_steps import next_steps
from reports.sections import Block, Field, Grid, Part, Reproducer, Section, cut
from reports.wording import CLAIM_WORDS, duration, in_brief, money, provenance_line

EXPLAINED_BY_OUTPUT: Final = frozenset(
    {
        Status.FAILED_IMPORT,
        Status.FAILED_VERIFICATION,
        Status.FAILED_RESOURCES,
        Status.FAILED_TIMEOUT,
        Status.BLOCKED_DANGEROUS_OPERATION,
        Status.INCONCLUSIVE,
        Status.ERROR,
    }
)
_CLAIM_STYLE: Final[Mapping[ClaimVerdict, str]] = {
    ClaimVerdict.REFUTED: "bold red",
    ClaimVerdict.SURVIVED: "green",
    ClaimVerdict.SURVIVED_IN_PART: "yellow",
    ClaimVerdict.UNTESTED: "yellow",
    ClaimVerdict.INCONCLUSIVE: "magenta",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How much a place shows of what may be long."""

    failures: int
    items: int
    survivors: int
    tail_lines: int
    is_page: bool
    """Whether there is room for stages as a table, diffs and every output."""


TERMINAL: Final = Depth(failures=5, items=12, survivors=6, tail_lines=15, is_page=False)
PAGE: Final = Depth(failures=10, items=30, survivors=10, tail_lines=40, is_page=True)


def sections(outcome: Outcome, depth: Depth, reproducers: Mapping[str, str]) -> Iterator[Section]:
    """What follows the verdict: claims, steps, refutations, strength, scan, outputs, what ran.

    Args:
        outcome: what to tell.
        depth: how much of it.
        reproducers: test name → path of the reproducer, where they were written to disk.
    """
    steps = next_steps(outcome)
    if outcome.claims:
        yield Section(title="Claims", parts=[_claims(outcome, before_advice if steps else str)])
    if steps:
        yield Section(title="What to do next", parts=[list(steps), f"more: {STEPS_PAGE}"])
    left_out = len(outcome.failures) - depth.failures
    for number, failure in enumerate(outcome.failures[: depth.failures], start=1):
        parts = list(_refutation(failure, reproducers.get(failure.test_name), depth))
        if number == depth.failures and left_out > 0:
            parts.append(f"{counted(left_out, 'more refutation')} in the outcome's JSON")
        title = f"Refutation {number} of {len(outcome.failures)}: claim {failure.claim_violated}"
        yield Section(title=title, parts=parts)
    if outcome.strength is not None:
        yield Section(title="Strength of the attack", parts=list(_strength(outcome.strength, depth)))
    if outcome.scan is not None and (outcome.scan.findings or outcome.scan.suppressed):
        yield Section(title="Scan", parts=list(_scan(outcome.scan, depth)))
    if outcome.status in EXPLAINED_BY_OUTPUT:
        yield from _outputs(outcome, depth)
    yield Section(title="What ran", parts=list(_what_ran(outcome, depth)))


def _claims(outcome: Outcome, shown: Callable[[str], str]) -> Grid:
    return Grid(
        headings=("Claim", "Verdict", "What it says", "Evidence"),
        rows=[
            (one.claim_id, CLAIM_WORDS[one.verdict], in_brief(one.text), shown(evidence.claim_evidence(one)))
            for one in outcome.claims
        ],
        styles=[_CLAIM_STYLE[one.verdict] for one in outcome.claims],
        styled=1,
        wide={2: 3, 3: 2},
    )


def _refutation(failure: TestFailure, path: str | None, depth: Depth) -> Iterator[Part]:
    yield Field(label="claim", text=printable(failure.claim_text.strip(), max_chars=600))
    yield Field(label="test", lines=[failure.test_name])
    error = f"{failure.error_type}: {failure.error_message}" if failure.error_message else failure.error_type
    yield Field(label="error", text=tail(error, max_lines=depth.tail_lines, max_chars=2_000), style="red")
    if failure.smallest_input:
        yield Field(label="input", text=printable(failure.smallest_input, max_chars=1_000), style="bold")
    # What pytest marks with E is the error, told above.
    if where := "\n".join(one for one in failure.traceback.splitlines() if one.split(" ", 1)[0] != "E"):
        yield Field(label="traceback", text=tail(where, max_lines=depth.tail_lines), style="dim")
    yield Reproducer(source=failure.reproducer, path=path)


def _strength(strength: Strength, depth: Depth) -> Iterator[Part]:
    """How strong the attack was, and the faults that it did not notice."""
    yield Field(label="mutants", lines=cut(evidence.strength_lines(strength), depth.items))
    unseen = strength.survivors
    if unseen:
        yield Field(label="unnoticed", lines=cut([evidence.survivor_line(one) for one in unseen], depth.survivors))
    if depth.is_page:
        yield from (Block(text=one.diff, info="diff") for one in unseen[: depth.survivors])


def _scan(scan: ScanResult, depth: Depth) -> Iterator[Part]:
    """What the scan found, most severe first; then what an allow-file accepts, with its reasons."""
    found = sorted(scan.findings, key=lambda one: -one.severity)
    rows = [_finding(one, one.grade, f"{one.explanation} {one.remedy}".strip()) for one in found[: depth.items]]
    styles = ["bold red"] * len(rows)
    rows += [_finding(one.finding, "allowed", one.reason) for one in scan.suppressed[: depth.items]]
    styles += [""] * (len(rows) - len(styles))
    yield Grid(headings=("Severity", "Where", "What, and why"), rows=rows, styles=styles, wide={2: 1})
    for count, noun in ((len(found), "more finding"), (len(scan.suppressed), "more allowed finding")):
        if count > depth.items:
            yield f"and {counted(count - depth.items, noun)}"


def _finding(finding: Finding, grade: str, why: str) -> tuple[str, ...]:
    where, what = f"{finding.path}:{finding.line}", finding.command or finding.matched
    return grade, where, f"{printable(what, max_chars=200)}  {why} [{finding.rule_id}]"


def _outputs(outcome: Outcome, depth: Depth) -> Iterator[Section]:
    """The ends of the outputs that explain a status without a refutation; on a terminal those of the last job."""
    shown = {
        "Verification, standard output": outcome.verification_output,
        "Verification, standard error": outcome.verification_stderr,
        "Attack, output": outcome.adversarial_output,
    }
    attacked = bool(outcome.adversarial_output or outcome.tests)
    for title, text in shown.items():
        if text.strip() and (depth.is_page or title.startswith("Attack") == attacked):
            yield Section(title=f"{title} (its end)", parts=[Block(text=tail(text, max_lines=depth.tail_lines))])


def _what_ran(outcome: Outcome, depth: Depth) -> Iterator[Part]:
    """What ran, how long each stage took, what to know before trusting the status."""
    second = outcome.second_environment
    changed = [f"{stage}: {', '.join(paths[:5])}" for stage, paths in outcome.changed_paths.items() if paths]
    tests = [*evidence.test_lines(outcome.tests), *evidence.round_lines(outcome.rounds)] if outcome.tests else []
    told: dict[str, Sequence[str]] = {
        "tests": tests,
        "elsewhere": evidence.elsewhere_lines(second) if second is not None else [],
        "critics": evidence.review_lines(outcome.reviews),
        "reworks": evidence.rework_lines(outcome.reworks),
        "stages": [] if depth.is_page else _stages(outcome),
        "destroyed": outcome.decoys_touched,
        "changed": changed,
        "left out": evidence.left_out_lines(outcome.left_out),
        "caveats": [*outcome.caveats] if depth.is_page else [f"• {caveat}" for caveat in outcome.caveats],
        "with": [provenance_line(outcome.provenance)],
        "run": [f"{outcome.run_id}, attempt {outcome.attempt}"],
    }
    styles = {"destroyed": "red", "with": "dim", "run": "dim"}
    for label, lines in told.items():
        if lines:
            yield Field(label=label, lines=cut(lines, depth.items), style=styles.get(label, ""))
    if depth.is_page and outcome.stages:
        yield _stage_table(outcome)


def _stages(outcome: Outcome) -> list[str]:
    """Each stage's name and what it took, or whose run stands for it, on one line."""
    aged = {stage.name: f" (as {age_in_words(stage.kept.age_s)} ago)" for stage in outcome.stages if stage.kept}
    told = [f"{stage.name} {duration(stage.duration_s)}{aged.get(stage.name, '')}" for stage in outcome.stages]
    return [", ".join(told)] if told else []


def _stage_table(outcome: Outcome) -> Grid:
    return Grid(
        headings=("Stage", "Result", "Time", "In the container", "Cost"),
        rows=[
            (
                stage.name,
                stage.summary,
                duration(stage.duration_s),
                duration(stage.sandbox_s) if stage.sandbox_s else "",
                money(stage.cost_usd),
            )
            for stage in outcome.stages
        ],
    )
