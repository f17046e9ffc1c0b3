"""The safety scanner: one text, one Python source, or a script with everything of the workspace that it reaches."""

from collections.abc import Mapping, Sequence
from typing import Final

from refute.scan import reach
from refute.scan.finding import Finding, ScanResult, Severity
from refute.scan.limits import analyse_within_limits
from refute.scan.rules import Language

_MAX_FILES: Final = 2000


def scan_text(path: str, data: bytes, *, language: Language | None = None) -> tuple[Finding, ...]:
    """Scan one file.

    Args:
        path: shown in findings; relative to the workspace where there is one.
        data: the file's bytes.
        language: what will interpret it; by name and first line where None.

    Returns:
        Findings, most severe first. Text that cannot be analysed gives a CRITICAL one; nothing is raised.
    """
    return analyse_within_limits(path, data, language).result()


def scan_python(path: str, source: str) -> tuple[Finding, ...]:
    """Scan Python source, for instance a generated test file."""
    return scan_text(path, source.encode("utf-8", "surrogatepass"), language=Language.PYTHON)


def scan_files(
    files: Mapping[str, bytes], entry_points: Sequence[str], *, block_from: Severity = Severity.HIGH
) -> ScanResult:
    """Scan the files that would run: the entry points and whatever of the workspace they reach.

    Args:
        files: every file of the workspace, POSIX path relative to it → bytes.
        entry_points: paths to start from, usually the verification script; interpreted as shell unless their
            name or first line says Python.
        block_from: the severity from which a finding keeps the text from running.

    Returns:
        Findings of all scanned files in the order in which they are reached. An entry point that is not among the
        files gives a CRITICAL finding.
    """
    findings: list[Finding] = []
    scanned: list[str] = []
    queue: list[tuple[str, Language | None]] = [(path, None) for path in entry_points]
    seen: set[tuple[str, Language | None]] = set()
    run: set[tuple[str, bytes]] = set()
    while queue:
        path, language = queue.pop(0)
        if (path, language) in seen or (language is None and path in scanned):
            continue
        seen.add((path, language))
        if len(scanned) >= _MAX_FILES:
            findings.append(reach.too_many(path, _MAX_FILES))
            break
        data = files.get(path)
        if data is None:
            findings.append(reach.missing(path))
            continue
        if path in entry_points and language is None:
            language = reach.entry_language(path, data)
        report = analyse_within_limits(path, data, language)
        findings.extend(finding for finding in report.result() if finding not in findings)
        if path not in scanned:
            scanned.append(path)
        queue.extend(reach.next_files(path, report.reached, files))
        pending = list(reach.recipes(report.reached, files))
        while pending:
            name, text = recipe = pending.pop(0)
            if recipe in run:
                continue
            run.add(recipe)
            made = analyse_within_limits(name, text, Language.SHELL)
            findings.extend(finding for finding in made.result() if finding not in findings)
            scanned.extend([name] if name not in scanned else [])
            queue.extend(reach.next_files(name, made.reached, files))
            pending.extend(reach.recipes(made.reached, files))
    return ScanResult(findings=tuple(findings), scanned=tuple(scanned), block_from=block_from)
