"""What a git change brings, so that a scan can report only that: findings that the revision does not have."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from refute.errors import SnapshotRefused, UsageError
from refute.scan.finding import Finding, ScanResult
from refute.ticket.checkout import git

ScanBase = Callable[[str, bytes], Iterable[Finding]]
"""A path as findings show it, and its content at the base → what the scan finds in that."""


def read_change(base: str, directory: Path) -> str:
    """The id of the commit to compare with.

    Args:
        base: a revision. Of a range its beginning counts: for `A...B` the commit where B left A.
        directory: in the checkout.

    Raises:
        UsageError: `base` is no revision, or `directory` is in no git checkout.
    """
    if base.startswith("-"):
        raise UsageError(f"--diff: got {base!r}, expected a git revision", hint="For example `--diff origin/main`.")
    start, dots, end = base.partition("...")
    if dots:
        return _git(directory, "merge-base", start or "HEAD", end or "HEAD")
    start = base.partition("..")[0] or "HEAD"
    return _git(directory, "rev-parse", "--verify", "--end-of-options", f"{start}^{{commit}}")


def read_changes(base: str, homes: Mapping[str, Path]) -> dict[str, str]:
    """The commit for each file, in the checkout in which it was named; to that, what lies in a submodule is new.

    Args:
        base: a revision, of every checkout.
        homes: a path as findings show it → directory.

    Returns:
        The path → the commit's id. Raises as `read_change`.
    """
    commits = {home: read_change(base, home) for home in dict.fromkeys(homes.values())}
    return {path: commits[home] for path, home in homes.items()}


def _git(directory: Path, *arguments: str) -> str:
    try:
        return git(directory, *arguments).decode("ascii").strip()
    except SnapshotRefused as error:
        if "not a git repository" in error.message:
            raise UsageError(f"--diff: {directory} is not in a git repository", hint="Scan without --diff.") from error
        hint = "Give a revision of this repository, e.g. `origin/main`."
        raise UsageError(f"--diff: {error.message}", hint=hint) from error


def only_changed(result: ScanResult, commits: Mapping[str, str], scan_base: ScanBase) -> ScanResult:
    """Keep what the changes bring: findings that the commit does not have, and what could not be analysed.

    Args:
        result: of the files on disk.
        commits: for each of them, as `read_changes` gives them.
        scan_base: scans a file as the commit has it.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in result.findings:
        by_path.setdefault(finding.path, []).append(finding)
    kept = [one for path, found in by_path.items() for one in _brought(path, found, commits[path], scan_base)]
    return replace(result, findings=tuple(kept))


def _brought(path: str, findings: list[Finding], commit: str, scan_base: ScanBase) -> list[Finding]:
    """Of one file's findings."""
    before = _content(path, commit)
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


def _content(path: str, commit: str) -> bytes | None:
    """A file as the commit has it; None for a file that it does not have, whether git knows it or not."""
    real = Path(path).resolve()
    try:
        return git(real.parent, "cat-file", "blob", f"{commit}:./{real.name}")
    except SnapshotRefused:
        return None


def _said(finding: Finding) -> tuple[object, ...]:
    """What a finding says, wherever it stands."""
    return finding.rule_id, finding.severity, finding.command, finding.explanation
