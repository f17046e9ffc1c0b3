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
    return analyse_within_limits(path, data, language, tables).result()


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
    texts = [(path, files.get(path)) for path in entry_points]
    walk = _Walk(files, tables, [(path, data, reach.entry_language(path, data)) for path, data in texts])
    while walk.queue:
        path, data, language = text = walk.queue.pop(0)
        if text in walk.seen or (language is None and path in walk.scanned):
            continue
        if len(walk.scanned) >= _MAX_FILES:
            told = f"More than {_MAX_FILES} files are reached; this one and the rest were not read."
            walk.findings.append(reach.unanalysable(path, told))
            break
        walk.seen.add(text)
        try:
            if data is None:
                walk.findings.append(reach.unanalysable(path, "The file is not part of the workspace."))
            else:
                walk.text(path, data, language)
        except Exception as error:  # noqa: BLE001 - the scanner fails closed: a fault of its own blocks
            told = f"The scanner failed on it ({type(error).__name__}: {error}); please report this."
            walk.findings.append(reach.unanalysable(path, told))
    return ScanResult(findings=tuple(walk.findings), scanned=tuple(walk.scanned), block_from=block_from)


_Text = tuple[str, bytes | None, Language | None]
"""The path that findings name, what is read there, the language it runs in."""


@dataclass(slots=True)
class _Walk:
    """What one scan of a workspace has read so far, and what it still has to."""

    files: Mapping[str, bytes]
    tables: Path | None
    queue: list[_Text]
    findings: list[Finding] = field(default_factory=list)
    scanned: list[str] = field(default_factory=list)
    seen: set[_Text] = field(default_factory=set)

    def text(self, path: str, data: bytes, language: Language | None) -> None:
        """Scan one text, and note what it runs."""
        report = analyse_within_limits(path, data, language, self.tables, self.files)
        found_files, unread = reach.follow(path, report.reached, self.files)
        found = [*report.result(), *unread]
        self.findings.extend(finding for finding in found if finding not in self.findings)
        if path not in self.scanned:
            self.scanned.append(path)
        self.queue += found_files
