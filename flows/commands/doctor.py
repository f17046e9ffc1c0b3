"""`refute doctor`: what is missing, what is outdated, and what to do about it."""

import click


@click.command()
def doctor() -> int:
    """Check engine, image, disk, Gemini and Prefect server. Exits 1 if something needs doing."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from flows.orchestrator.server import server_check
    from refute.doctor import examine
    from refute.doctor.gemini import check_gemini
    from refute.settings import Settings

    settings = Settings.load()
    checks = [*examine(settings), *check_gemini(settings), server_check(settings)]
    table = Table(box=None, pad_edge=False)
    for heading in ("", "Check", "Found", "What to do"):
        table.add_column(heading, overflow="fold")
    marks = {True: ("ok", "green"), False: ("FAULT", "bold red"), None: ("note", "yellow")}
    for check in checks:
        word, style = marks[check.ok]
        table.add_row(Text(word, style=style), check.name, Text(check.found), Text(check.advice))
    Console().print(table)
    return 1 if any(check.ok is False for check in checks) else 0
