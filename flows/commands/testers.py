"""The option that says who writes attacks."""

from pathlib import Path

import click


def testers(named: str | None, *, replay: Path | None) -> str | None:
    """The setting `tester` from `--tester` and `--replay`: recorded answers stand in for the model.

    Args:
        named: as given, `gemini,property` for instance.
        replay: the folder of recorded answers, where these are to be used.

    Raises:
        click.BadParameter: there is no such folder, which would show only after the script has run.
    """
    if replay is None:
        return named
    if not replay.is_dir():
        message = f"got {replay}, expected a folder of recorded answers; `--record DIR` makes one"
        raise click.BadParameter(message, param_hint="--replay")
    names = [name.strip() for name in named.split(",")] if named else ["replay"]
    return ",".join("replay" if name == "gemini" else name for name in names)
