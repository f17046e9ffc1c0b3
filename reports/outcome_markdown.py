"""An outcome's story in Markdown: for a file, a pull request, or the artifact in the Prefect UI."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from refute.guardrails.plain_text import markdown_block, markdown_text, on_one_line
from refute.outcome import Outcome
from reports.rendering import markdown_table
from reports.story import PAGE, Block, Field, Grid, Part, Reproducer, sections
from reports.wording import MEANING, mark, run_line

MAX_TEXT_CHARS: Final = 600
MAX_REPRODUCER_CHARS: Final = 8_000


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
    ]
    for section in sections(outcome, PAGE, reproducers or {}):
        paragraphs.append(f"## {markdown_text(section.title)}")
        paragraphs += [paragraph for part in section.parts for paragraph in _drawn(part)]
    return "\n\n".join(paragraphs) + "\n"


def _drawn(part: Part) -> Iterator[str]:
    match part:
        case Grid():
            yield markdown_table(part.headings, part.rows, max_chars=MAX_TEXT_CHARS)
        case Field(text="", lines=[one]):
            yield f"**{part.label}** {_line(one)}"
        case Field(text=""):
            yield f"**{part.label}**"
            yield _bullets(part.lines)
        case Field(style="") if "\n" not in part.text:
            yield f"**{part.label}** {_line(part.text)}"
        case Field():
            yield f"**{part.label}**"
            yield markdown_block(part.text)
        case Block():
            yield markdown_block(part.text, info=part.info, max_chars=4_000)
        case Reproducer():
            where = f" (also in {markdown_text(part.path)})" if part.path else ""
            yield f"Reproducer, run with python in the ticket's workspace{where}:"
            yield markdown_block(part.source, info="python", max_chars=MAX_REPRODUCER_CHARS)
        case list():
            yield _bullets(part)
        case str():
            yield _line(part)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_line(one)}" for one in lines)


def _line(text: str) -> str:
    return markdown_text(text, max_chars=MAX_TEXT_CHARS)
