"""`refute ticket new`: scaffold a ticket."""

from pathlib import Path

import click


@click.group()
def ticket() -> None:
    """Ticket files."""


@ticket.command(short_help="Write ticket.yaml and verify.sh; nothing is overwritten.")
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--from-git", metavar="BASE", help="Take the Python files changed since BASE (a branch, tag or commit).")
@click.option("--claim", "claims", multiple=True, metavar="TEXT", help="A claim to write down; repeatable.")
def new(directory: Path, from_git: str | None, claims: tuple[str, ...]) -> int:
    """Write ticket.yaml and verify.sh into DIRECTORY (default: here); nothing is ever overwritten."""
    from refute.ticket.scaffold import scaffold_ticket

    for path in scaffold_ticket(directory, from_git=from_git, claims=claims):
        click.echo(path)
    first = "give the claims executable fields" if claims else "write the claims"
    click.echo(f"Next: {first} in ticket.yaml, complete verify.sh, then `refute verify --dry-run`.", err=True)
    return 0
