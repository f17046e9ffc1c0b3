"""Where commands write their results."""

from pathlib import Path


def check_writable(option: str, path: Path) -> None:
    """Find out that a result could not be written before it is made, not after.

    Args:
        option: that named the file, for the message.
        path: the file; its directory is made where it is missing.

    Raises:
        UsageError: it cannot.
    """
    from refute.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError as error:
        raise UsageError(
            f"{option} {path}: cannot be written: {error.strerror}", hint="Name a file in a directory of yours."
        ) from error
