"""Places of this user: where state is kept by default, and what can be made anew; also where nobody has a home."""

from pathlib import Path

import platformdirs

from refute.errors import SettingsInvalid


def state_dir() -> Path:
    """The default state directory; one below `~` where no home is known, which `at_home` refuses."""
    try:
        return Path(platformdirs.user_state_dir("refute"))
    except RuntimeError:
        return Path("~/.local/state/refute")


def evidence_directory(state: Path, run_id: str, ticket_id: str) -> Path:
    """Where the evidence about a ticket lies, below the state directory; a run has one for each of its tickets."""
    return state / "runs" / run_id / ticket_id


def cache_dir() -> Path:
    """Where what can be made anew is kept.

    Raises:
        SettingsInvalid: there is no such place.
    """
    try:
        return platformdirs.user_cache_path("refute", appauthor=False)
    except RuntimeError as error:
        raise SettingsInvalid(f"cache directory: {error}", hint="Set HOME or XDG_CACHE_HOME.") from error


def at_home(path: Path) -> Path:
    """A path with `~` taken for somebody's home, also in a settings file, where no shell does it.

    Raises:
        ValueError: there is no such home.
    """
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError("this user has no home directory: set HOME, or give an absolute path") from error
