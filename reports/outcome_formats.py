"""The formats in which one outcome is written out."""

from collections.abc import Mapping
from typing import Final

from refute.outcome import Outcome
from refute.outcome_document import write_document

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
            from reports.outcome_markdown import render_markdown

            return render_markdown(outcome, reproducers=reproducers)
        case "junit":
            from reports.outcome_junit import render_junit

            return render_junit([outcome])
        case _:
            raise ValueError(f"format: got {form!r}, expected one of {', '.join(FORMATS)}")
