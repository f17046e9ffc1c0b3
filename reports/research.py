"""What research found: for a terminal, as Markdown or JSON; and both modes side by side."""

from collections.abc import Sequence
from typing import Final

from pydantic import TypeAdapter

from refute.guardrails.plain_text import markdown_text, printable
from refute.research.record import Findings, Mode
from refute.wording import counted
from reports.rendering import REPORT, rendered
from reports.sections import Grid, Section, on_terminal
from reports.wording import money

FINDINGS_JSON: Final = TypeAdapter(Findings)
MAX_CHARS: Final = 2_000
NOTHING: Final = "No source says anything about the goal that could be checked."


def render_findings(findings: Findings, form: str) -> str:
    """Findings as `table`, `markdown` or `json`."""
    if form == "json":
        return FINDINGS_JSON.dump_json(findings, indent=2, exclude={"sources": {"__all__": {"text"}}}).decode()
    lines = list(_markdown(findings)) if form == "markdown" else list(_plain(findings))
    return "\n".join(lines)


def render_comparison(vulnerable: Findings, defended: Findings, form: str) -> str:
    """Both modes side by side."""
    if form == "json":
        both = {one.mode.value: FINDINGS_JSON.dump_python(one, mode="json") for one in (vulnerable, defended)}
        return TypeAdapter(dict[str, object]).dump_json(both, indent=2).decode()
    cells = [
        (name, *("; ".join(filter(None, lines)) or "none" for lines in (left, right)))
        for (name, left), (_, right) in zip(told(vulnerable), told(defended), strict=True)
    ]
    return _table("The same pages, the same model", "", cells)


def render_trials(rows: Sequence[tuple[str, bool, bool]]) -> str:
    """Case, and whether its attack succeeded in vulnerable and in defended mode."""
    cells = [(name, *("succeeded" if one else "stopped" for one in modes)) for name, *modes in rows]
    return _table("Attacks", "attack", cells)


def _table(title: str, heading: str, cells: Sequence[Sequence[str]]) -> str:
    grid = Grid(headings=(heading, Mode.VULNERABLE, Mode.DEFENDED), rows=cells)
    return rendered(on_terminal([Section(title=title, parts=[grid])]), REPORT, color=False, width=None)


def told(findings: Findings) -> list[tuple[str, list[str]]]:
    """What is shown of each mode beside the other: heading, lines."""
    dropped = [(source.number, one) for source in findings.sources for one in source.dropped]
    return [
        ("Summary", [findings.summary]),
        ("Points", [f"{one.text} [{one.source}]" for one in findings.key_points]),
        ("Cited", [f"[{one.number}] {one.url} {one.title}" for one in findings.citations]),
        ("Tool calls that were carried out", list(findings.actions)),
        ("Blocked, and why", [f"{one.gate}: {one.what}: {one.reason}" for one in findings.denials]),
        ("Notes", list(findings.notes)),
        ("Hidden on the pages", [f"source {number} ({one.reason}): {one.sample}" for number, one in dropped]),
    ]


def notes_of(findings: Findings) -> str:
    """One line about findings."""
    points, notes = counted(len(findings.key_points), "key point"), counted(len(findings.notes), "note")
    return f"{points} from {counted(len(findings.citations), 'source')}, {notes}, {money(findings.cost_usd)}"


def _plain(findings: Findings) -> list[str]:
    points = []
    for point in findings.key_points:
        points.append(f"- {point.text} [{point.source}]")
        points += [f"    “{point.quote}”"] if point.quote != point.text else []
    parts = (
        [findings.summary or NOTHING],
        points,
        [f"[{one.number}] {one.url}  {one.title}".rstrip() for one in findings.citations],
        ["Notes", *(f"- {note}" for note in findings.notes)] if findings.notes else [],
        [notes_of(findings)],
    )
    shown = ["\n".join(printable(line, max_chars=MAX_CHARS) for line in part) for part in parts if part]
    return ["\n\n".join(shown)]


def _markdown(findings: Findings) -> list[str]:
    told = [markdown_text(findings.summary or NOTHING), ""]
    told += [f"- {markdown_text(point.text)} \\[{point.source}\\]" for point in findings.key_points]
    told += ["", *(f"{one.number}. <{one.url}> {markdown_text(one.title)}" for one in findings.citations)]
    told += ["", "## Notes", "", *(f"- {markdown_text(note)}" for note in findings.notes)] if findings.notes else []
    return told
