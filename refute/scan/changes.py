"""What a git change brings, so that a scan can report only that: findings that the revision does not have."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from refute.errors import SnapshotRefused, UsageError
from refute.scan.finding import Finding, ScanResult
from refute.ticket.checkout import git

# A repository says what it takes for text, and for a copy of another file, and it is what is under review.
_CHANGED: Final = ("diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-only", "-z")

ScanBase = Callable[[str, bytes], Iterable[Finding]]
"""A path as findings show it, and its content at the base → what the scan finds in that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How the files on disk differ from a commit."""

    base: str
    """The commit's id."""
    top: Path
    """Of the checkout, without symlinks."""
    old: frozenset[str]
    """Files of the commit, relative to the top. Every other file is new, whether git knows it or not."""
    changed: frozenset[str]
    """Files that differ, relative to the top."""

    def old_name(self, path: str) -> str | None:
        """The name of a file that the commit has; None for any other.

        Args:
            path: as a person named it.
        """
        real = Path(path).resolve()
        name = str(real.relative_to(self.top)) if real.is_relative_to(self.top) else ""
        return name if name in self.old else None

    def content(self, name: str) -> bytes:
        """A file as the commit has it."""
        return _git(self.top, "cat-file", "blob", f"{self.base}:{name}")


def read_change(base: str, directory: Path) -> Change:
    """Compare the files on disk with a commit.

    Args:
        base: a revision. Of a range its beginning counts: for `A...B` the commit where B left A.
        directory: in the checkout.

    Raises:
        UsageError: `base` is no revision, or `directory` is in no git checkout.
    """
    if base.startswith("-"):
        raise UsageError(f"--diff: got {base!r}, expected a git revision", hint="For example `--diff origin/main`.")
    top = Path(_text(_git(directory, "rev-parse", "--show-toplevel")).removesuffix("\n"))
    commit = _commit(base, top)
    return Change(
        base=commit,
        top=top.resolve(),
        old=_names(_git(top, "ls-tree", "-r", "-z", "--name-only", commit)),
        changed=_names(_git(top, *_CHANGED, commit, "--")),
    )


def read_changes(base: str, homes: Mapping[str, Path]) -> dict[str, Change]:
    """The change to each file by the checkout in which it was named.

    A directory's own checkout counts for all below it: to that, what lies in a submodule is new.

    Args:
        base: a revision, of every checkout.
        homes: a path as findings show it → directory.

    Returns:
        The path → the change. Raises as `read_change`.
    """
    checkouts: dict[Path, Change] = {}
    tops = {home: _top(home) for home in dict.fromkeys(homes.values())}
    for top in dict.fromkeys(tops.values()):
        checkouts[top] = read_change(base, top)
    return {path: checkouts[tops[home]] for path, home in homes.items()}


def _top(directory: Path) -> Path:
    """Where a checkout begins, found without git, which takes milliseconds for each; git has the last word on it."""
    return next((one for one in (directory, *directory.parents) if (one / ".git").exists()), directory)


def _commit(base: str, top: Path) -> str:
    start, dots, end = base.partition("...")
    if dots:
        return _text(_git(top, "merge-base", start or "HEAD", end or "HEAD")).strip()
    start = base.partition("..")[0] or "HEAD"
    return _text(_git(top, "rev-parse", "--verify", "--end-of-options", f"{start}^{{commit}}")).strip()


def _names(output: bytes) -> frozenset[str]:
    return frozenset(_text(output).split("\0")) - {""}


def _text(output: bytes) -> str:
    return output.decode("utf-8", "surrogateescape")


def _git(directory: Path, *arguments: str) -> bytes:
    try:
        return git(directory, *arguments)
    except SnapshotRefused as error:
        if "not a git repository" in error.message:
            raise UsageError(f"--diff: {directory} is not in a git repository", hint="Scan without --diff.") from error
        hint = "Give a revision of this repository, e.g. `origin/main`."
        raise UsageError(f"--diff: {error.message}", hint=hint) from error


def only_changed(result: ScanResult, changes: Mapping[str, Change], scan_base: ScanBase) -> ScanResult:
    """Keep what the changes bring: findings that the commit does not have, and what could not be analysed.

    Args:
        result: of the files on disk.
        changes: to each of them, as `read_changes` gives them.
        scan_base: scans a file as the commit has it.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in result.findings:
        by_path.setdefault(finding.path, []).append(finding)
    kept = [one for path, found in by_path.items() for one in _brought(path, found, changes[path], scan_base)]
    return replace(result, findings=tuple(kept))


def _brought(path: str, findings: list[Finding], change: Change, scan_base: ScanBase) -> list[Finding]:
    """Of one file's findings."""
    name = change.old_name(path)
    if name is None:
        return findings
    if name not in change.changed:
        return []
    known = Counter(map(_said, scan_base(path, change.content(name))))
    new: list[Finding] = []
    for finding in findings:
        known[_said(finding)] -= 1
        if known[_said(finding)] < 0 or finding.rule_id == "unanalysable":
            new.append(finding)
    return new


def _said(finding: Finding) -> tuple[object, ...]:
    """What a finding says, wherever it stands."""
    return finding.rule_id, finding.severity, finding.command, finding.explanation
