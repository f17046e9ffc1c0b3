"""`refute design check`: mechanical checks of a design document."""

from pathlib import Path

import click

from flows.commands.options import FILE, PLACE, results
from flows.commands.output import deliver
from refute.governance.design.check import BLOCKED_EXIT_CODE, check_design, render_json, render_text


@click.group()
def design() -> None:
    """Design documents."""


@design.command(short_help="Check a design document before its review.")
@click.argument("file", type=FILE)
@click.option("--repo", type=PLACE, default=Path(), help="Repository that its paths are relative to.  [.]")
@results("text", "json", to_file=False)
def check(file: Path, repo: Path, form: str) -> int:
    """Check FILE, a low-level design in Markdown: files, requirements, scenarios, tests, questions, diagrams.

    Exits 0 for PASS (warnings do not block), 12 for BLOCKED, 3 if FILE is missing. Rules: docs/design.md.
    """
    result = check_design(file, repo)
    deliver(render_json(result) if form == "json" else render_text(result), None, kept="Give the command again.")
    return BLOCKED_EXIT_CODE if result.blocked else 0
