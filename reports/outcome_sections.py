"""The parts of an outcome's terminal view, each a rich renderable built from escaped text only."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from refute.adversary.strength.record import Strength
from refute.caching.wording import age_in_words
from refute.guardrails.plain_text import printable, tail
from refute.outcome import ClaimVerdict, Outcome, StageRecord, Status, TestFailure
from refute.scan.finding import Finding
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
from reports.next_steps import PAGE
from reports.wording import CLAIM_WORDS, MEANING, counted, duration, in_brief, mark, provenance_line, run_line

MAX_LINE_CHARS: Final = 400
TAIL_LINES: Final = 15
ASIDE_SHOWN: Final = 12
SURVIVORS_SHOWN: Final = 6

_STATUS_STYLE: Final[Mapping[str, str]] = {"✓": "bold green", "~": "bold yellow", "✗": "bold red", "?": "bold magenta"}
_CLAIM_STYLE: Final[Mapping[ClaimVerdict, str]] = {
    ClaimVerdict.REFUTED: "bold red",
    ClaimVerdict.SURVIVED: "green",
    ClaimVerdict.SURVIVED_IN_PART: "yellow",
    ClaimVerdict.UNTESTED: "yellow",
    ClaimVerdict.INCONCLUSIVE: "magenta",
}


def line(text: str, *, style: str = "", max_chars: int = MAX_LINE_CHARS) -> Text:
    """Untrusted text on one line, never read as markup."""
    return Text(printable(text, max_chars=max_chars, keep_newlines=False), style=style)


def status_text(status: Status) -> Text:
    """A status with its mark."""
    return Text(f"{mark(status)} {status.value}", style=_STATUS_STYLE.get(mark(status), "bold"))


def heading(outcome: Outcome) -> Group:
    """The verdict first: status, ticket, what that means, why, and what it took."""
    title = Text("  ").join([status_text(outcome.status), line(outcome.ticket_id), line(outcome.title, max_chars=120)])
    reason = Text(printable(outcome.reason, max_chars=1_000))
    facts = Text(run_line(outcome), style="dim")
    meaning = Text(MEANING[outcome.status])
    return Group(title, *(Padding(part, (0, 0, 0, 2)) for part in (meaning, reason, facts) if part))


def claims(outcome: Outcome) -> Table:
    """One row per claim: verdict, what it says, what the verdict rests on."""
    table = _grid(3)
    table.add_column(ratio=3, overflow="fold")
    table.add_column(ratio=2, overflow="fold")
    for claim in outcome.claims:
        verdict = Text(CLAIM_WORDS[claim.verdict], style=_CLAIM_STYLE[claim.verdict])
        table.add_row("", line(claim.claim_id), verdict, line(in_brief(claim.text)), line(claim_evidence(claim)))
    return table


def steps(lines: Sequence[str]) -> Table:
    """What a person can do about a weak or missing verdict, and where more is said."""
    table = _grid(2)
    table.add_column(ratio=1, overflow="fold")
    for one in lines:
        table.add_row("", "•", line(one))
    table.add_row("", "", Text(f"more: {PAGE}", style="dim"))
    return table


def strength(measured: Strength) -> Table:
    """How strong the attack was, and the faults that it did not notice."""
    table = _fields()
    table.add_row("", "mutants", _lines(strength_lines(measured)))
    if measured.survivors:
        unseen = [survivor_line(mutant) for mutant in measured.survivors]
        table.add_row("", "unnoticed", _lines(unseen, shown=SURVIVORS_SHOWN))
    return table


def refutation(failure: TestFailure, reproducer: str | None) -> Group:
    """One refutation: what was claimed, what happened, on which input, and how to see it oneself."""
    table = _fields()
    table.add_row("", "claim", Text(printable(failure.claim_text.strip(), max_chars=MAX_LINE_CHARS)))
    table.add_row("", "test", line(failure.test_name))
    error = f"{failure.error_type}: {failure.error_message}" if failure.error_message else failure.error_type
    table.add_row("", "error", Text(tail(error, max_lines=TAIL_LINES, max_chars=2_000), style="red"))
    if failure.smallest_input:
        table.add_row("", "input", Text(printable(failure.smallest_input, max_chars=1_000), style="bold"))
    if failure.traceback:
        table.add_row("", "traceback", Text(tail(failure.traceback, max_lines=TAIL_LINES), style="dim"))
    return Group(table, see_it(reproducer))


def see_it(reproducer: str | None) -> Text:
    """How a person sees a refutation without refute; never wrapped, so that it can be copied."""
    command = "`reproducer` in the outcome's JSON" if reproducer is None else f"python {printable(reproducer)}"
    text = Text("  See it yourself, in the ticket's workspace:\n    ", no_wrap=True, overflow="ignore")
    return text.append(command, style="bold")


def findings(outcome: Outcome) -> Table | None:
    """What the scan found, most severe first; then what an allow-file accepts, with its reasons."""
    found = sorted(outcome.scan.findings, key=lambda f: -f.severity) if outcome.scan else []
    allowed = outcome.scan.suppressed if outcome.scan else ()
    if not found and not allowed:
        return None
    table = _grid(3)
    table.add_column(ratio=1, overflow="fold")
    for finding in found[:ASIDE_SHOWN]:
        where = line(f"{finding.path}:{finding.line}")
        table.add_row("", Text(finding.grade, style="bold red"), where, _what(finding))
    if len(found) > ASIDE_SHOWN:
        table.add_row("", "", "", Text(f"and {counted(len(found) - ASIDE_SHOWN, 'more finding')}"))
    for item in allowed[:ASIDE_SHOWN]:
        where = line(f"{item.finding.path}:{item.finding.line}")
        what = Text.assemble(_command(item.finding), line(f"  {item.reason} [{item.finding.rule_id}]"))
        table.add_row("", Text("allowed"), where, what)
    if len(allowed) > ASIDE_SHOWN:
        table.add_row("", "", "", Text(f"and {counted(len(allowed) - ASIDE_SHOWN, 'more allowed finding')}"))
    return table


def outputs(outcome: Outcome) -> Iterator[tuple[str, Padding]]:
    """The ends of the outputs that explain a status without a refutation."""
    shown = {
        "Verification, standard output": outcome.verification_output,
        "Verification, standard error": outcome.verification_stderr,
        "Attack, output": outcome.adversarial_output,
    }
    attacked = outcome.adversarial_output or outcome.tests
    for title, text in shown.items():
        if text.strip() and title.startswith("Attack") == bool(attacked):
            yield f"{title} (its end)", Padding(Text(tail(text, max_lines=TAIL_LINES)), (0, 0, 0, 2))


def story(outcome: Outcome) -> Table:
    """What ran, how long each stage took, what to know before trusting the status."""
    table = _fields()
    if outcome.tests:
        table.add_row("", "tests", _lines([*test_lines(outcome.tests), *round_lines(outcome.rounds)]))
    if outcome.second_environment is not None:
        table.add_row("", "elsewhere", _lines(elsewhere_lines(outcome.second_environment)))
    if outcome.reviews:
        table.add_row("", "critics", _lines(review_lines(outcome.reviews)))
    if outcome.reworks:
        table.add_row("", "reworks", _lines(rework_lines(outcome.reworks)))
    if outcome.stages:
        table.add_row("", "stages", Text(", ".join(map(_stage, outcome.stages))))
    if outcome.decoys_touched:
        table.add_row("", "destroyed", line(", ".join(outcome.decoys_touched), style="red"))
    changed = [f"{stage}: {', '.join(paths[:5])}" for stage, paths in outcome.changed_paths.items() if paths]
    if changed:
        table.add_row("", "changed", _lines(changed))
    if outcome.left_out:
        table.add_row("", "left out", _lines(left_out_lines(outcome.left_out)))
    if outcome.caveats:
        table.add_row("", "caveats", _lines([f"• {caveat}" for caveat in outcome.caveats]))
    table.add_row("", "with", line(provenance_line(outcome.provenance), style="dim"))
    table.add_row("", "run", line(f"{outcome.run_id}, attempt {outcome.attempt}", style="dim"))
    return table


def in_the_ui(url: str) -> Text:
    """Where the run shows in Prefect's UI; never wrapped, so that it can be clicked and copied."""
    text = Text("  in the UI ", style="dim", no_wrap=True, overflow="ignore")
    return text.append(printable(url, keep_newlines=False), style="not dim")


def titled(title: str, body: RenderableType) -> Group:
    """A section under its heading, with a blank line before."""
    return Group(Text(), line(title, style="bold"), body)


def _lines(texts: Sequence[str], *, shown: int = ASIDE_SHOWN) -> Text:
    """One line each, the first of them."""
    rest = [f"and {len(texts) - shown} more"] if len(texts) > shown else []
    return Text("\n").join(line(text) for text in (*texts[:shown], *rest))


def _stage(stage: StageRecord) -> str:
    """Its name and what it took, or whose run stands for it."""
    again = f" (as {age_in_words(stage.kept.age_s)} ago)" if stage.kept else ""
    return f"{stage.name} {duration(stage.duration_s)}{again}"


def _what(finding: Finding) -> Text:
    remedy = f" {finding.remedy}" if finding.remedy else ""
    return Text.assemble(_command(finding), line(f"  {finding.explanation}{remedy} [{finding.rule_id}]"))


def _command(finding: Finding) -> Text:
    return line(finding.command or finding.matched, style="bold", max_chars=200)


def _grid(fixed_columns: int) -> Table:
    """A borderless table: a margin, then columns that are never wrapped; the caller adds those that are."""
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(width=0)
    for _ in range(fixed_columns - 1):
        table.add_column(no_wrap=True, overflow="fold")
    return table


def _fields() -> Table:
    """Labels and values."""
    table = _grid(2)
    table.columns[1].style = "dim"
    table.add_column(ratio=1, overflow="fold")
    return table
