"""What a git branch changed since it left another commit, as the beginning of a ticket."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from refute.errors import SnapshotRefused, UsageError
from refute.ticket.checkout import git, git_paths

_MAIN_BRANCHES: Final = frozenset({"main", "master", "trunk", "develop", "HEAD"})
_TICKET_KEY: Final = re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b")
_TEST_NAME: Final = re.compile(r"test_.*|.*_test\.py|tests?\.py")
NO_IMPLEMENTATION: Final = frozenset({"setup.py", "conftest.py", "noxfile.py", "docs", "benchmarks"})
"""Files and directories of Python that nobody claims anything about."""
MAX_ID_CHARS: Final = 40
"""Of an id made of words: it stands in tables and file names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change as git shows it."""

    ticket_id: str
    title: str
    implementation_files: tuple[str, ...] = ()
    """Python files added or changed, without tests; POSIX, relative to the workspace."""
    test_files: tuple[str, ...] = ()
    base: str = ""
    """Abbreviated commit that the change starts from."""
    before: Mapping[str, bytes] = field(default_factory=dict)
    """The implementation files as they were there; empty for those that are new."""


def slug(words: str) -> str:
    """A ticket id made of words; empty where they have no letter or digit."""
    whole = re.sub(r"[^A-Za-z0-9._]+", "-", words).strip("-._")
    cut = whole[: MAX_ID_CHARS + 1].rpartition("-")[0] if len(whole) > MAX_ID_CHARS else whole
    return (cut or whole[:MAX_ID_CHARS]).strip("-._")


def is_test_file(path: str) -> bool:
    """Whether a Python file is a test by the names that pytest, unittest and Django look for."""
    *directories, name = PurePosixPath(path).parts
    return bool(_TEST_NAME.fullmatch(name) or {"tests", "test"}.intersection(directories))


def change_since(directory: Path, base: str) -> tuple[Path, Change]:
    """The checkout around a directory, and what changed in it since the branch left `base`, committed or not.

    Raises:
        UsageError: no checkout, no such commit, or no Python file changed.
    """
    top, start = _start(directory, base)
    listed = ("--no-ext-diff", "--no-textconv", "--name-only", "-z", "-M", "--diff-filter=d")
    untracked = git_paths(top, "ls-files", "-z", "--others", "--exclude-standard")
    paths = sorted({path for path in (*git_paths(top, "diff", *listed, start), *untracked) if path.endswith(".py")})
    tests = tuple(path for path in paths if is_test_file(path))
    code = tuple(path for path in paths if not is_test_file(path) and NO_IMPLEMENTATION.isdisjoint(path.split("/")))
    if not code:
        raise UsageError(
            f"{top}: got no changed Python file since {base}, expected at least one that is no test",
            hint="Is this the right base? `git diff --stat` shows what changed.",
        )
    branch = _line(top, "rev-parse", "--abbrev-ref", "HEAD")
    subject = _line(top, "log", "-1", "--format=%s", f"{start}..HEAD")
    key = _TICKET_KEY.search(f"{branch} {subject}")
    words = "" if branch in _MAIN_BRANCHES else re.sub(r"[-_]+", " ", branch.rpartition("/")[2]).strip()
    return top, Change(
        # A branch is called `feature` in every repository: the repository's name keeps their histories apart.
        ticket_id=key[0] if key else slug(f"{top.name} {subject or words or start[:12]}"),
        title=subject or words or "REPLACE ME: one line that names the change",
        implementation_files=code,
        before={path: _content(top, start, path) for path in code},
        test_files=tuple(path for path in tests if re.match(r"test|.*_test\.py$", PurePosixPath(path).name)),
        base=start[:12],
    )


def _start(directory: Path, base: str) -> tuple[Path, str]:
    """Top of the checkout, and the commit where the branch left the base (the base itself without common history)."""
    try:
        top = Path(os.fsdecode(git(directory, "rev-parse", "--show-toplevel").removesuffix(b"\n")))
    except SnapshotRefused as error:
        raise UsageError(f"{directory}: got no git checkout, expected one for --from-git") from error
    try:
        commit = _line(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    except SnapshotRefused as error:
        raise UsageError(f"--from-git: got {base!r}, expected a commit, branch or tag of {top}") from error
    try:
        return top, _line(top, "merge-base", commit, "HEAD")
    except SnapshotRefused:
        return top, commit


def _content(top: Path, commit: str, path: str) -> bytes:
    try:
        return git(top, "show", f"{commit}:{path}")
    except SnapshotRefused:
        return b""


def _line(top: Path, *arguments: str) -> str:
    return git(top, *arguments).decode("utf-8", "replace").strip()
