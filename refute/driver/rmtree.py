"""Removes whatever a hostile program left of a folder: trees too deep for recursion, closed folders, odd names."""

import contextlib
import stat
import subprocess
from pathlib import Path

OWNER = 0o700


def empty_folder(path: Path) -> None:
    """Make a folder of ours exist and be empty. Raises OSError: this process may not do so."""
    if not _is_folder(path):
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        path.mkdir(mode=OWNER, parents=True)
        return
    path.chmod(OWNER)
    empty_contents(path)


def empty_contents(path: Path) -> None:
    """Remove what is in a folder, as far as this process may; the folder stays. No link is followed."""
    if not _is_folder(path) or not _holds_anything(path):
        return
    # Both walk by descriptors, to any depth (https://www.gnu.org/software/findutils/manual/, 2026-11-25).
    open_up = ("-type", "d", "!", "-perm", "-0700", "-execdir", "/bin/chmod", "u+rwx", "--", "{}", ";")
    for action in (open_up, ("-mindepth", "1", "-delete")):
        subprocess.run(["/usr/bin/find", str(path.absolute()), *action], stderr=subprocess.DEVNULL, check=False)  # noqa: S603


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it. Raises OSError: this process may not do so."""
    if _is_folder(path):
        path.chmod(OWNER)
        empty_contents(path)
        path.rmdir()
    else:
        path.unlink()


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _holds_anything(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return next(path.iterdir(), None) is not None
    return True
