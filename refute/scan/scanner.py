"""The safety scanner: one text, one Python source, or a script with everything of the workspace that it reaches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from refute.scan import reach
from refute.scan.finding import Finding, ScanResult, Severity
from refute.scan.limits import analyse_within_limits
from refute.scan.rules import Language

_MAX_FILES: Final = 2000


def scan_text(
    path: str, data: bytes, *, language: Language | None = None, tables: Path | None = None
) -> tuple[Finding, ...]:
    """Scan one file.

    Args:
        path: shown in findings; relative to the workspace where there is one.
        data: the file's bytes.
        language: what will interpret it; by name and first line where None.
        tables: rows of an operator's own; see `knowledge`.

    Returns:
        Findings, most severe first. Text that cannot be analysed gives a CRITICAL one; nothing is raised.
    """
    return analyse_within_limits(path, data, language, tables=tables).result()


def scan_python(path: str, source: str, *, tables: Path | None = None) -> tuple[Finding, ...]:
    """Scan Python source, for instance a generated test file."""
    return scan_text(path, source.encode("utf-8", "surrogatepass"), language=Language.PYTHON, tables=tables)


def scan_files(
    files: Mapping[str, bytes],
    entry_points: Sequence[str],
    *,
    block_from: Severity = Severity.HIGH,
    tables: Path | None = None,
) -> ScanResult:
    """Scan the files that would run: the entry points and whatever of the workspace they reach.

    Args:
        files: every file of the workspace, POSIX path relative to it → bytes.
        entry_points: paths to start from, usually the verification script; interpreted as shell unless their
            name or first line says Python.
        block_from: the severity from which a finding keeps the text from running.
        tables: rows of an operator's own.

    Returns:
        Findings of all scanned files in the order in which they are reached. An entry point that is not among the
        files gives a CRITICAL finding.
    """
    queue: list[tuple[str, Language | None]] = [(path, None) for path in entry_points]
    walk = _Walk(files=files, entry_points=entry_points, queue=queue, tables=tables)
    while walk.queue:
        path, language = walk.queue.pop(0)
        if (path, language) in walk.seen or (language is None and path in walk.scanned):
            continue
        if len(walk.scanned) >= _MAX_FILES:
            walk.findings.append(reach.too_many(path, _MAX_FILES))
            break
        walk.seen.add((path, language))
        try:
            walk.file(path, language)
        except Exception as error:  # noqa: BLE001 - the scanner fails closed: a fault of its own blocks
            walk.findings.append(reach.failed(path, error))
    return ScanResult(findings=tuple(walk.findings), scanned=tuple(walk.scanned), block_from=block_from)


@dataclass(slots=True, kw_only=True)
class _Walk:
    """What one scan of a workspace has read so far, and what it still has to."""

    files: Mapping[str, bytes]
    entry_points: Sequence[str]
    queue: list[tuple[str, Language | None]]
    tables: Path | None = None
    findings: list[Finding] = field(default_factory=list)
    scanned: list[str] = field(default_factory=list)
    seen: set[tuple[str, Language | None]] = field(default_factory=set)
    recipes: set[tuple[str, bytes]] = field(default_factory=set)
    shell: dict[str, bytes] | None = None
    """The workspace's shell files, once they are asked for."""

    def file(self, path: str, language: Language | None) -> None:
        """Scan one file, and note what it runs."""
        data = self.files.get(path)
        if data is None:
            self.findings.append(reach.missing(path))
            return
        if path in self.entry_points and language is None:
            language = reach.entry_language(path, data)
        pending = self._text(path, data, language)
        while pending:
            recipe = pending.pop(0)
            if recipe not in self.recipes:
                self.recipes.add(recipe)
                pending.extend(self._text(*recipe, Language.SHELL))

    def _text(self, path: str, data: bytes, language: Language | None) -> list[tuple[str, bytes]]:
        """Scan one text; returns what build tools would run for it."""
        if self.shell is None:
            self.shell = reach.shell_files(self.files)
        report = analyse_within_limits(
            path, data, language, reach.library(path, data, self.files, self.shell), self.tables
        )
        self.findings.extend(finding for finding in report.result() if finding not in self.findings)
        if path not in self.scanned:
            self.scanned.append(path)
        self.queue.extend(reach.next_files(path, report.reached, self.files))
        unread, commands = reach.foreign(report.reached, self.files)
        self.findings.extend(finding for finding in unread if finding not in self.findings)
        return [*reach.recipes(report.reached, self.files), *commands]
