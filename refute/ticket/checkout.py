"""What git says about a workspace, asked so that a hostile repository cannot make it run or write anything."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refute.errors import SnapshotRefused

_TIMEOUT_S: Final = 60
_HARDENING: Final = (
    "-c",
    "core.fsmonitor=false",  # a repository may name a program here, which even `git ls-files` starts
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "safe.directory=*",  # a checkout of another user is fine to read with the two programs above switched off
    "-c",
    "core.quotePath=false",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The paths below a workspace as git sorts them; POSIX, relative to the workspace, decoded like `os.fsdecode`."""

    tracked: tuple[str, ...]
    untracked: tuple[str, ...]
    """Neither tracked nor ignored; a whole directory ends with `/`."""
    untracked_files: tuple[str, ...]
    """The same, file by file."""
    ignored: tuple[str, ...]


def git(directory: Path, *arguments: str) -> bytes:
    """What a hardened git prints.

    Raises:
        SnapshotRefused: git is missing, fails or hangs.
    """
    command = ["git", "--no-pager", "--literal-pathspecs", "-C", str(directory), *_HARDENING, *arguments]
    try:
        done = subprocess.run(  # noqa: S603 fixed program, no shell; arguments are ours
            command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except FileNotFoundError as error:
        raise SnapshotRefused(
            f"{directory}: is in a git checkout, but git is not installed",
            hint="Install git: what it tracks decides which files belong to the ticket.",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise SnapshotRefused(f"{directory}: `git {arguments[0]}` did not answer in {_TIMEOUT_S} s") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
        raise SnapshotRefused(
            f"{directory}: `git {arguments[0]}` failed: {said!a}",
            hint="Run it there yourself, and repair the checkout.",
        )
    return done.stdout


def _environment() -> Mapping[str, str]:
    """Nothing of the caller's git (in a hook, GIT_DIR and GIT_INDEX_FILE point elsewhere), no locks, no questions."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
    }


def git_paths(directory: Path, *arguments: str) -> tuple[str, ...]:
    """The paths that a git command prints with `-z`, each once."""
    names = git(directory, *arguments).split(b"\0")
    return tuple(dict.fromkeys(os.fsdecode(name) for name in names if name))


def in_checkout(workspace: Path) -> bool:
    """Whether the workspace or a directory above it has a `.git`."""
    return any(os.path.lexists(directory / ".git") for directory in (workspace, *workspace.parents))


def read_checkout(workspace: Path) -> Checkout | None:
    """What git tracks below the workspace; None outside a checkout and where git tracks nothing there.

    Raises:
        SnapshotRefused: there is a checkout, but git cannot read it.
    """
    if not in_checkout(workspace):
        return None
    tracked = _list(workspace, "--cached", "--recurse-submodules")
    if not tracked:
        return None
    return Checkout(
        tracked=tracked,
        untracked=_list(workspace, "--others", "--exclude-standard", "--directory", "--no-empty-directory"),
        untracked_files=_list(workspace, "--others", "--exclude-standard"),
        ignored=_list(workspace, "--others", "--ignored", "--exclude-standard", "--directory"),
    )


def _list(workspace: Path, *options: str) -> tuple[str, ...]:
    return git_paths(workspace, "ls-files", "-z", *options)
