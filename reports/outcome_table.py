"""Outcomes on a terminal: one in full, or a batch with a row each. Text in, text out; nothing is printed here."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from refute.batch.tally import TOLD_FIRST
from refute.outcome import Outcome, Status
from reports import outcome_sections as sections
from reports.next_steps import next_steps
from reports.rendering import OUTCOME, rendered
from reports.wording import counted, duration, kept_note, money, spent, why

if TYPE_CHECKING:
    from rich.console import RenderableType

FAILURES_SHOWN: Final = 5
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


def render_table(
    outcome: Outcome,
    *,
    color: bool = False,
    width: int | None = None,
    reproducers: Mapping[str, str] | None = None,
) -> str:
    """One outcome as a person reads it: verdict first, then claims, refutations, what ran, caveats.

    Args:
        outcome: what to show.
        color: whether it goes to a terminal; NO_COLOR is obeyed all the same.
        width: columns; None for those of the terminal.
        reproducers: test name → path of the reproducer, where they were written to disk.
    """
    parts: list[RenderableType] = [sections.heading(outcome)]
    if outcome.claims:
        parts.append(sections.titled("Claims", sections.claims(outcome)))
    if steps := next_steps(outcome):
        parts.append(sections.titled("What to do next", sections.steps(steps)))
    for number, failure in enumerate(outcome.failures[:FAILURES_SHOWN], start=1):
        title = f"Refutation {number} of {len(outcome.failures)}: claim {failure.claim_violated}"
        body = sections.refutation(failure, (reproducers or {}).get(failure.test_name))
        parts.append(sections.titled(title, body))
    if len(outcome.failures) > FAILURES_SHOWN:
        more = counted(len(outcome.failures) - FAILURES_SHOWN, "more refutation")
        parts += [Text(), Text(f"{more} in the outcome's JSON")]
    if outcome.strength is not None:
        parts.append(sections.titled("Strength of the attack", sections.strength(outcome.strength)))
    found = sections.findings(outcome)
    if found is not None:
        parts.append(sections.titled("Scan", found))
    if outcome.status in EXPLAINED_BY_OUTPUT:
        parts.extend(sections.titled(title, text) for title, text in sections.outputs(outcome))
    parts.append(sections.titled("What ran", sections.story(outcome)))
    if outcome.flow_run_url:
        parts.append(sections.in_the_ui(outcome.flow_run_url))
    return rendered(parts, OUTCOME, color=color, width=width)


def render_batch(
    outcomes: Sequence[Outcome],
    *,
    expected: Sequence[str] | None = None,
    color: bool = False,
    width: int | None = None,
) -> str:
    """One row per ticket, and the sums.

    Args:
        outcomes: in the order to show.
        expected: the status that each must get, where known; a difference is marked in words.
        color: as in `render_table`.
        width: as in `render_table`.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, expand=True)
    table.add_column("Status", no_wrap=True)
    table.add_column("Ticket, and why", overflow="fold", ratio=1)
    table.add_column("Cost", justify="right", no_wrap=True)
    table.add_column("Time", justify="right", no_wrap=True)
    for place, outcome in enumerate(outcomes):
        status = [sections.status_text(outcome.status)]
        if expected is not None:
            status.append(_agreement(outcome.status, expected[place]))
        ticket = Text("  ").join(
            [sections.line(outcome.ticket_id, style="bold"), sections.line(outcome.title, max_chars=60)]
        )
        table.add_row(
            Text("\n").join(status),
            Text("\n").join([ticket, Text(why(outcome)), *_kept(outcome)]),
            money(outcome.cost_usd),
            duration(outcome.duration_s),
        )
    return rendered([table, Text(), _sums(outcomes, expected)], OUTCOME, color=color, width=width)


def _agreement(status: Status, expected: str) -> Text:
    if status == expected:
        return Text("  as expected", style="green")
    return sections.line(f"  NOT {expected}", style="bold red")


def _kept(outcome: Outcome) -> list[Text]:
    """A line where stages rest on earlier runs."""
    note = kept_note(outcome)
    return [Text(note, style="dim")] if note else []


def _sums(outcomes: Sequence[Outcome], expected: Sequence[str] | None) -> Text:
    cost = sum((outcome.cost_usd or Decimal(0) for outcome in outcomes), Decimal(0))
    counts = ", ".join(
        f"{count} {status}" for status in TOLD_FIRST if (count := sum(one.status is status for one in outcomes))
    )
    spent_s = sum(outcome.duration_s for outcome in outcomes)
    paid = spent(cost, sum(outcome.cost_usd is None for outcome in outcomes))
    text = f"{counted(len(outcomes), 'ticket')}: {counts}; {paid}, {duration(spent_s)} together"
    if expected is not None:
        wrong = sum(one.status != want for one, want in zip(outcomes, expected, strict=True))
        text += "; every verdict as expected" if not wrong else f"; {counted(wrong, 'verdict')} NOT as expected"
    return Text(text, style="bold")
