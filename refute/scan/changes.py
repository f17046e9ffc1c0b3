"""Which lines a git change touches, so that a scan can report only those."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from refute.errors import UsageError
from refute.scan.finding import Finding, ScanResult

_HUNK: Final = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_GIT_TIMEOUT_S: Final = 30


def changed_lines(base: str, root: Path) -> dict[str, frozenset[int]]:
    """The lines added or changed since a git revision: path from the repository's top → 1-based line numbers.

    Raises:
        UsageError: `base` is no revision, or `root` is not in a git checkout.
    """
    if base.startswith("-"):
        raise UsageError(f"--diff: got {base!r}, expected a git revision", hint="For example `--diff origin/main`.")
    command = [
        "git",
        "-c",
        "core.quotePath=false",
        "diff",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--relative",
        base,
        "--",
        ".",
    ]
    try:
        done = subprocess.run(  # noqa: S603 - git with a checked revision, no shell
            command, cwd=root, capture_output=True, timeout=_GIT_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(
            f"--diff {base}: git did not answer: {error}", hint="Install git, or scan without --diff."
        ) from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise UsageError(f"--diff {base}: {message}", hint="Give a revision of this repository, e.g. `origin/main`.")
    return parse_diff(done.stdout.decode("utf-8", "surrogateescape"))


def parse_diff(text: str) -> dict[str, frozenset[int]]:
    """The new side's line numbers of a unified diff without context."""
    lines: dict[str, set[int]] = {}
    path = ""
    for row in text.split("\n"):
        if row.startswith("+++ "):
            path = row[4:].strip('"').removeprefix("b/") if row[4:] != "/dev/null" else ""
        elif path and (hunk := _HUNK.match(row)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return {name: frozenset(numbers) for name, numbers in lines.items()}


def only_changed(result: ScanResult, lines: Mapping[str, frozenset[int]]) -> ScanResult:
    """Keep the findings on changed lines; what could not be analysed stays, since its line says nothing."""

    def touched(finding: Finding) -> bool:
        changed = lines.get(finding.path, frozenset())
        if finding.rule_id == "unanalysable" and changed:
            return True
        span = range(finding.line, finding.line + finding.matched.count("\n") + 1)
        return any(number in changed for number in span)

    return replace(result, findings=tuple(finding for finding in result.findings if touched(finding)))
