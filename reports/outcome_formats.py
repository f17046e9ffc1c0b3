"""The formats in which one outcome is written out; of these Markdown, for a file, a pull request, or Prefect's UI."""

from collections.abc import Mapping
from typing import Final

from refute.guardrails.plain_text import markdown_text, on_one_line
from refute.outcome import Outcome
from refute.outcome_document import write_document
from reports.sections import in_markdown
from reports.story import PAGE, sections
from reports.wording import MEANING, mark, run_line

FORMATS: Final = ("table", "json", "markdown", "junit")


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
            from reports.outcome_table import render_table

            return render_table(outcome, color=color, reproducers=reproducers)
        case "json":
            return write_document(outcome) + "\n"
        case "markdown":
            return render_markdown(outcome, reproducers=reproducers)
        case "junit":
            from reports.outcome_junit import render_junit

            return render_junit([outcome])
        case _:
            raise ValueError(f"format: got {form!r}, expected one of {', '.join(FORMATS)}")


def render_markdown(outcome: Outcome, *, reproducers: Mapping[str, str] | None = None) -> str:
    """Verdict, claims, refutations with their reproducers, what ran where, cost.

    Args:
        outcome: what to tell.
        reproducers: test name → path of the reproducer, where they were written to disk.
    """
    title = markdown_text(f"{outcome.ticket_id}: {outcome.title}", max_chars=200)
    paragraphs = [
        f"# {mark(outcome.status)} {outcome.status} {title}",
        f"**{MEANING[outcome.status]}** {markdown_text(on_one_line(outcome.reason), max_chars=1_000)}",
        markdown_text(run_line(outcome)),
        *in_markdown(sections(outcome, PAGE, reproducers or {})),
    ]
    return "\n\n".join(paragraphs) + "\n"
