"""Removes whatever a hostile program left of a folder: trees too deep for recursion, closed folders, odd names."""

import contextlib
import os
import stat
from itertools import count
from pathlib import Path

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
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
    with contextlib.suppress(OSError):
        top = os.open(path, FOLDER)
        try:
            _empty(top)
        finally:
            os.close(top)


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


def _empty(top: int) -> None:
    """Every folder is emptied of its folders by moving these to the top, so that no depth matters."""
    numbers = count()
    kept: set[str] = set()
    while waiting := [name for name in os.listdir(top) if name not in kept]:
        for name in waiting:
            try:
                if stat.S_ISDIR(os.lstat(name, dir_fd=top).st_mode):
                    _flatten(top, name, numbers)
                    os.rmdir(name, dir_fd=top)
                else:
                    os.unlink(name, dir_fd=top)
            except OSError:
                kept.add(name)


def _flatten(top: int, name: str, numbers: "count[int]") -> None:
    """Unlink a folder's files, and move its folders beside it."""
    with contextlib.suppress(OSError):
        os.chmod(name, OWNER, dir_fd=top)
    folder = os.open(name, FOLDER, dir_fd=top)
    try:
        for inner in os.listdir(folder):  # noqa: PTH208  # by descriptor
            if stat.S_ISDIR(os.lstat(inner, dir_fd=folder).st_mode):
                with contextlib.suppress(OSError):
                    os.chmod(inner, OWNER, dir_fd=folder)  # a folder that is closed to writing cannot be moved
                os.rename(inner, _free(top, numbers), src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(inner, dir_fd=folder)
    finally:
        os.close(folder)


def _free(top: int, numbers: "count[int]") -> str:
    for number in numbers:
        name = f".refute-{number}"
        try:
            os.lstat(name, dir_fd=top)
        except FileNotFoundError:
            return name
    raise AssertionError
