"""Outcomes as text: one in the formats of `refute verify`, a batch with a row each. Nothing is printed here."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from refute.batch.tally import TOLD_FIRST
from refute.guardrails.plain_text import markdown_text, on_one_line, printable
from refute.outcome import Outcome, Status
from refute.outcome_document import write_document
from refute.wording import counted
from reports.outcome_junit import render_junit
from reports.rendering import OUTCOME, rendered
from reports.sections import copied, in_markdown, line, on_terminal
from reports.story import PAGE, TERMINAL, sections
from reports.wording import MEANING, duration, kept_note, mark, money, run_line, spent, why

FORMATS: Final = ("table", "json", "markdown", "junit")
_STATUS_STYLE: Final[Mapping[str, str]] = {"✓": "bold green", "~": "bold yellow", "✗": "bold red", "?": "bold magenta"}


def render(outcome: Outcome, form: str, *, color: bool = False, reproducers: Mapping[str, str] | None = None) -> str:
    """The outcome in one of `FORMATS`, ending in a newline.

    Args:
        outcome: what to write.
        form: the format's name.
        color: whether a table goes to a terminal.
        reproducers: test name → path of the reproducer, where they were written to disk.

    Raises:
        ValueError: there is no such format.
    """
    match form:
        case "table":
            return render_table(outcome, color=color, reproducers=reproducers)
        case "json":
            return write_document(outcome) + "\n"
        case "markdown":
            return render_markdown(outcome, reproducers=reproducers)
        case "junit":
            return render_junit([outcome])
        case _:
            raise ValueError(f"format: got {form!r}, expected one of {', '.join(FORMATS)}")


def render_table(
    outcome: Outcome,
    *,
    color: bool = False,
    width: int | None = None,
    reproducers: Mapping[str, str] | None = None,
) -> str:
    """One outcome as a person reads it: verdict first, then claims, refutations, what ran, caveats.

    Arguments as of `render`; `width` in columns, None for those of the terminal.
    """
    parts: list[RenderableType] = [*_heading(outcome)]
    parts += on_terminal(sections(outcome, TERMINAL, reproducers or {}))
    if outcome.flow_run_url:
        parts.append(copied("  in the UI ", outcome.flow_run_url, styles=("dim", "not dim")))
    return rendered(parts, OUTCOME, color=color, width=width)


def _heading(outcome: Outcome) -> Iterator[RenderableType]:
    """The verdict first: status, ticket, what that means, why, and what it took."""
    title = (line(outcome.ticket_id), line(outcome.title, max_chars=120))
    yield Text("  ").join([_status(outcome.status), *title])
    reason = Text(printable(outcome.reason, max_chars=1_000))
    for part in (Text(MEANING[outcome.status]), reason, Text(run_line(outcome), style="dim")):
        if part:
            yield Padding(part, (0, 0, 0, 2))


def _status(status: Status) -> Text:
    """A status with its mark."""
    return Text(f"{mark(status)} {status.value}", style=_STATUS_STYLE.get(mark(status), "bold"))


def render_markdown(outcome: Outcome, *, reproducers: Mapping[str, str] | None = None) -> str:
    """The same in Markdown, for a file, a pull request, or Prefect's UI; arguments as of `render`."""
    title = markdown_text(f"{outcome.ticket_id}: {outcome.title}", max_chars=200)
    paragraphs = [
        f"# {mark(outcome.status)} {outcome.status} {title}",
        f"**{MEANING[outcome.status]}** {markdown_text(on_one_line(outcome.reason), max_chars=1_000)}",
        markdown_text(run_line(outcome)),
        *in_markdown(sections(outcome, PAGE, reproducers or {})),
    ]
    return "\n\n".join(paragraphs) + "\n"


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
        color: as in `render`.
        width: as in `render_table`.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, expand=True)
    table.add_column("Status", no_wrap=True)
    table.add_column("Ticket, and why", overflow="fold", ratio=1)
    table.add_column("Cost", justify="right", no_wrap=True)
    table.add_column("Time", justify="right", no_wrap=True)
    for place, outcome in enumerate(outcomes):
        status = [_status(outcome.status)]
        if expected is not None:
            status.append(_agreement(outcome.status, expected[place]))
        ticket = Text("  ").join([line(outcome.ticket_id, style="bold"), line(outcome.title, max_chars=60)])
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
    return line(f"  NOT {expected}", style="bold red")


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
