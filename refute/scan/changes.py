"""What a git change brings, so that a scan can report only that: findings that the revision does not have."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from refute.errors import SnapshotRefused, UsageError
from refute.scan.finding import Finding, ScanResult
from refute.ticket.checkout import git

ScanBase = Callable[[str, bytes], Iterable[Finding]]
"""A path as findings show it, and its content at the base → what the scan finds in that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How the files on disk differ from a commit."""

    base: str
    """The commit's id."""
    top: Path
    """Of the checkout, without symlinks."""

    def content(self, path: str) -> bytes | None:
        """A file as the commit has it; None for a file that it does not have, whether git knows it or not.

        Args:
            path: as a person named it.
        """
        real = Path(path).resolve()
        try:
            return git(self.top, "cat-file", "blob", f"{self.base}:{real.relative_to(self.top)}")
        except (ValueError, SnapshotRefused):
            return None


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
    return Change(base=_commit(base, top), top=top.resolve())


def read_changes(base: str, homes: Mapping[str, Path]) -> dict[str, Change]:
    """The change to each file by the checkout in which it was named; to that, what lies in a submodule is new.

    Args:
        base: a revision, of every checkout.
        homes: a path as findings show it → directory.

    Returns:
        The path → the change. Raises as `read_change`.
    """
    changes = {home: read_change(base, home) for home in dict.fromkeys(homes.values())}
    return {path: changes[home] for path, home in homes.items()}


def _commit(base: str, top: Path) -> str:
    start, dots, end = base.partition("...")
    if dots:
        return _text(_git(top, "merge-base", start or "HEAD", end or "HEAD")).strip()
    start = base.partition("..")[0] or "HEAD"
    return _text(_git(top, "rev-parse", "--verify", "--end-of-options", f"{start}^{{commit}}")).strip()


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
    before = change.content(path)
    if before is None:
        return findings
    if before == Path(path).read_bytes():
        return []
    known = Counter(map(_said, scan_base(path, before)))
    new: list[Finding] = []
    for finding in findings:
        known[_said(finding)] -= 1
        if known[_said(finding)] < 0 or finding.rule_id == "unanalysable":
            new.append(finding)
    return new


def _said(finding: Finding) -> tuple[object, ...]:
    """What a finding says, wherever it stands."""
    return finding.rule_id, finding.severity, finding.command, finding.explanation
