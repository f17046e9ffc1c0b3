"""`refute ticket new` and `refute ticket lint`: scaffold a ticket, and see which claims nothing can execute."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from flows.commands.options import PLACE, results
from refute.ticket.parse import load_ticket
from refute.ticket.scaffold import scaffold_ticket


@click.group()
def ticket() -> None:
    """Write and check ticket files."""


@ticket.command(short_help="Write ticket.yaml and verify.sh; nothing is overwritten.")
@click.argument("directory", type=PLACE, default=Path())
@click.option("--from-git", metavar="BASE", help="Take the Python files changed since BASE (a branch, tag or commit).")
@click.option("--claim", "claims", multiple=True, metavar="TEXT", help="A claim to write down; repeatable.")
def new(directory: Path, from_git: str | None, claims: tuple[str, ...]) -> int:
    """Write ticket.yaml and verify.sh into DIRECTORY (default: here); nothing is ever overwritten."""
    for path in scaffold_ticket(directory, from_git=from_git, claims=claims):
        click.echo(path)
    first = "give each claim a field" if claims else "make each claim say what you promise"
    click.echo(f"Next: in ticket.yaml {first}; complete verify.sh; run `refute ticket lint {directory}`.", err=True)
    return 0


@ticket.command(short_help="List claims that nothing executes, or that never pass.")
@click.argument("source", metavar="TICKET", type=PLACE, default=Path())
@results("text", "json", to_file=False)
def lint(source: Path, form: str) -> int:
    """List the claims of TICKET without an executable field or example, each with a field to paste; exits 1 if any.

    Then those that can be refuted, but whose tests are all their author's own: without a model they never pass.
    """
    from refute.adversary.property.tester import PropertyTester
    from refute.adversary.property.weakness import missing_fields, weaknesses
    from refute.stages.brief import brief_on_disk

    brief = brief_on_disk(load_ticket(source))
    attack = PropertyTester().write_tests(brief)
    weak = weaknesses(brief, attack)
    missing = [*missing_fields(brief, attack), *(one for one in weak if not one.is_tested)]
    found: list[Any] = [*missing, *(one for one in weak if one.is_tested)]
    if form == "json":
        click.echo(json.dumps([dataclasses.asdict(one) for one in found], indent=2))
        return 1 if missing else 0
    for one in found:
        click.echo(one)
    if not missing:
        click.echo(f"Every claim can be executed. Next: refute verify {source}", err=True)
    return 1 if missing else 0
