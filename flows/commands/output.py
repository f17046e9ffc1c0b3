"""Where commands write their results."""

import sys
from pathlib import Path

import click


def check_writable(option: str, path: Path | None) -> None:
    """Find out that a result could not be written before it is made, not after.

    Args:
        option: that named the file, for the message.
        path: the file, if any; its directory is made where it is missing.

    Raises:
        UsageError: it cannot.
    """
    from refute.errors import UsageError

    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError as error:
        raise UsageError(
            f"{option} {path}: cannot be written: {error.strerror}", hint="Name a file in a directory of yours."
        ) from error


def in_color(output: Path | None) -> bool:
    """Whether a result goes to a terminal."""
    return output is None and sys.stdout.isatty()


def deliver(text: str, path: Path | None, *, option: str = "--output", kept: str) -> None:
    """Write a result to a file, or to stdout.

    A reader of stdout that has gone (`| head`) has what it wanted: the exit code still says how the work ended.

    Args:
        text: the result; ends with one line break.
        path: the file; None is stdout.
        option: that named the file, for the message.
        kept: what to do for it where it cannot be written, in words.

    Raises:
        OutputLost: it could not be written.
    """
    from refute.errors import OutputLost

    text = text if text.endswith("\n") else f"{text}\n"
    try:
        if path is None:
            click.echo(text, nl=False)
        else:
            path.write_text(text, encoding="utf-8")
    except BrokenPipeError:
        _forget_stdout()
    except OSError as error:
        if path is None:
            _forget_stdout()
        where = "standard output" if path is None else f"{option} {path}"
        raise OutputLost(f"{where}: cannot be written: {error.strerror}", hint=kept) from error


def _forget_stdout() -> None:
    """What waits in its buffer is tried again when the process ends, and would fail again."""
    import os

    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
