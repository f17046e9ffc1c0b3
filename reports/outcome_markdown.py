"""An outcome's story in Markdown: for a file, a pull request, or the artifact in the Prefect UI."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from refute.guardrails.plain_text import markdown_block, markdown_text, on_one_line, tail
from refute.outcome import Outcome, TestFailure
from refute.scan.finding import Finding, Suppressed
from reports.evidence import (
    claim_evidence,
    elsewhere_lines,
    left_out_lines,
    review_lines,
    rework_lines,
    round_lines,
    strength_lines,
    survivor_line,
    test_lines,
)
from reports.next_steps import PAGE, next_steps
from reports.outcome_table import EXPLAINED_BY_OUTPUT
from reports.wording import CLAIM_WORDS, MEANING, counted, duration, in_brief, mark, money, provenance_line, run_line

FAILURES_SHOWN: Final = 10
ITEMS_SHOWN: Final = 30
SURVIVORS_SHOWN: Final = 10
TAIL_LINES: Final = 40
MAX_TEXT_CHARS: Final = 600
MAX_REPRODUCER_CHARS: Final = 8_000


def render_markdown(outcome: Outcome, *, reproducers: Mapping[str, str] | None = None) -> str:
    """Verdict, claims, refutations with their reproducers, what ran where, cost.

    Args:
        outcome: what to tell.
        reproducers: test name → path of the reproducer, where they were written to disk.
    """
    title = markdown_text(f"{outcome.ticket_id}: {outcome.title}", max_chars=200)
    ran = f"{provenance_line(outcome.provenance)}; run {outcome.run_id}, attempt {outcome.attempt}"
    paragraphs = [
        f"# {mark(outcome.status)} {outcome.status} {title}",
        f"**{MEANING[outcome.status]}** {markdown_text(on_one_line(outcome.reason), max_chars=1_000)}",
        markdown_text(run_line(outcome)),
        *_claims(outcome),
        *_next_steps(outcome),
        *_refutations(outcome, reproducers or {}),
        *_strength(outcome),
        *_scan(outcome),
        *(_outputs(outcome) if outcome.status in EXPLAINED_BY_OUTPUT else ()),
        *_list("Caveats", list(outcome.caveats)),
        *_list("Tests", [*test_lines(outcome.tests), *round_lines(outcome.rounds)] if outcome.tests else []),
        *_stages(outcome),
        *_list("Files", _files(outcome)),
        markdown_text(ran),
    ]
    return "\n\n".join(paragraphs) + "\n"


def _claims(outcome: Outcome) -> Iterator[str]:
    if outcome.claims:
        yield "## Claims"
        rows = [
            (claim.claim_id, CLAIM_WORDS[claim.verdict], in_brief(claim.text), claim_evidence(claim))
            for claim in outcome.claims
        ]
        yield _table(("Claim", "Verdict", "What it says", "Evidence"), rows)


def _next_steps(outcome: Outcome) -> Iterator[str]:
    if steps := next_steps(outcome):
        yield from _list("What to do next", list(steps))
        yield f"More: `{PAGE}`"


def _refutations(outcome: Outcome, reproducers: Mapping[str, str]) -> Iterator[str]:
    for number, failure in enumerate(outcome.failures[:FAILURES_SHOWN], start=1):
        yield f"## Refutation {number} of {len(outcome.failures)}: claim {markdown_text(failure.claim_violated)}"
        yield from _refutation(failure, reproducers.get(failure.test_name))
    if len(outcome.failures) > FAILURES_SHOWN:
        yield f"{counted(len(outcome.failures) - FAILURES_SHOWN, 'more refutation')} in the outcome's JSON."


def _refutation(failure: TestFailure, reproducer: str | None) -> Iterator[str]:
    yield f"> {markdown_text(failure.claim_text, max_chars=MAX_TEXT_CHARS)}"
    error = f"{failure.error_type}: {failure.error_message}" if failure.error_message else failure.error_type
    yield f"Test {markdown_text(failure.test_name)} failed:\n\n{markdown_block(error, max_chars=2_000)}"
    if failure.smallest_input:
        yield f"Smallest input found:\n\n{markdown_block(failure.smallest_input, max_chars=2_000)}"
    if failure.traceback:
        yield f"Traceback:\n\n{markdown_block(tail(failure.traceback, max_lines=TAIL_LINES))}"
    where = f" (also in {markdown_text(reproducer)})" if reproducer else ""
    yield f"Reproducer, run with python in the ticket's workspace{where}:"
    yield markdown_block(failure.reproducer, info="python", max_chars=MAX_REPRODUCER_CHARS)


def _strength(outcome: Outcome) -> Iterator[str]:
    """How strong the attack was, with the diffs of the faults that it did not notice."""
    if outcome.strength is not None:
        yield from _list("Strength of the attack", strength_lines(outcome.strength))
        for mutant in outcome.strength.survivors[:SURVIVORS_SHOWN]:
            yield f"Not noticed: {markdown_text(survivor_line(mutant), max_chars=MAX_TEXT_CHARS)}"
            yield markdown_block(mutant.diff, info="diff", max_chars=2_000)
        if len(outcome.strength.survivors) > SURVIVORS_SHOWN:
            yield f"{len(outcome.strength.survivors) - SURVIVORS_SHOWN} more in the outcome's JSON."
    if outcome.second_environment is not None:
        yield from _list("In a second environment", elsewhere_lines(outcome.second_environment))
    if outcome.reviews:
        yield from _list("Critics", review_lines(outcome.reviews))
    if outcome.reworks:
        yield from _list("Reworks (copies; the verdict is about the submitted files)", rework_lines(outcome.reworks))


def _scan(outcome: Outcome) -> Iterator[str]:
    if outcome.scan is None:
        return
    found = sorted(outcome.scan.findings, key=lambda finding: -finding.severity)
    if found:
        yield f"## Scan: {counted(len(found), 'finding')}"
        rows = [
            (f.grade, _place(f), f.command or f.matched, f"{f.explanation} {f.remedy} [{f.rule_id}]")
            for f in found[:ITEMS_SHOWN]
        ]
        yield _table(("Severity", "Where", "What", "Why"), rows)
    if outcome.scan.suppressed:
        yield f"## Scan: {counted(len(outcome.scan.suppressed), 'finding')} allowed by the allow-file"
        yield _table(("Where", "What", "Reason"), [_allowed(item) for item in outcome.scan.suppressed[:ITEMS_SHOWN]])


def _allowed(item: Suppressed) -> tuple[str, str, str]:
    finding = item.finding
    return _place(finding), finding.command or finding.matched, f"{item.reason} [{finding.rule_id}]"


def _place(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}"


def _outputs(outcome: Outcome) -> Iterator[str]:
    shown = {
        "Verification, standard output": outcome.verification_output,
        "Verification, standard error": outcome.verification_stderr,
        "Attack, output": outcome.adversarial_output,
    }
    for title, text in shown.items():
        if text.strip():
            yield f"## {title} (its end)"
            yield markdown_block(tail(text, max_lines=TAIL_LINES))


def _stages(outcome: Outcome) -> Iterator[str]:
    if outcome.stages:
        yield "## Stages"
        rows = [
            (
                stage.name,
                stage.summary,
                duration(stage.duration_s),
                duration(stage.sandbox_s) if stage.sandbox_s else "",
                money(stage.cost_usd),
            )
            for stage in outcome.stages
        ]
        yield _table(("Stage", "Result", "Time", "In the container", "Cost"), rows)


def _files(outcome: Outcome) -> list[str]:
    """Files that were left out, changed or destroyed."""
    lines = [f"left out of the snapshot: {one}" for one in left_out_lines(outcome.left_out)]
    lines += [f"changed in its copy by {s}: {path}" for s, paths in outcome.changed_paths.items() for path in paths]
    return lines + [f"destroyed outside the workspace copy: {path}" for path in outcome.decoys_touched]


def _list(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield f"## {title}"
        rest = [f"and {len(items) - ITEMS_SHOWN} more"] if len(items) > ITEMS_SHOWN else []
        yield "\n".join(f"- {markdown_text(item, max_chars=MAX_TEXT_CHARS)}" for item in (*items[:ITEMS_SHOWN], *rest))


def _table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings)]
    lines += [tuple(markdown_text(cell, max_chars=MAX_TEXT_CHARS) for cell in row) for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)
