"""Keeps the scan of hostile input within bounds: small and shallow text here, anything else in a limited child."""

import json
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Final

from refute.scan.core.report import MAX_READ, Report, is_plain
from refute.scan.core.tables import knowledge
from refute.scan.engine.analysis import analyse
from refute.scan.finding import Confidence, Finding, Severity, Tier
from refute.scan.rules import Language

_MAX_BYTES: Final = 12 * 1024**2
_CHILD_MEMORY_BYTES: Final = 1024**3
_CHILD_CPU_S: Final = 10
_CHILD_WALL_S: Final = 20


def analyse_within_limits(
    path: str,
    data: bytes,
    language: Language | None,
    tables: Path | None = None,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Report:
    """As `analyse`; input that might crash or stall a parser is scanned in a child with memory and time limits.

    Raises:
        UsageError: `tables`, an operator's own rows, cannot be used.
    """
    known = knowledge(tables)
    if is_plain(data):
        return analyse(path, data, language, known, files)
    report = Report(path=path)
    if len(data) > _MAX_BYTES:
        report.refuse(f"It is {len(data):,} bytes long; expected at most {_MAX_BYTES:,}.")
        return report
    few = {name: other for name, other in files.items() if len(other) <= MAX_READ}
    return _in_child(report, {**few, "": data}, language, tables)


def _in_child(report: Report, texts: Mapping[str, bytes], language: Language | None, tables: Path | None) -> Report:
    command = [sys.executable, "-m", "refute.scan.limits", report.path, language or "", str(tables or "")]
    packed = json.dumps({name: text.decode("latin-1") for name, text in texts.items()}).encode()
    try:
        done = subprocess.run(command, input=packed, capture_output=True, timeout=_CHILD_WALL_S, check=False)  # noqa: S603 - ourselves
    except subprocess.TimeoutExpired:
        report.refuse(f"It takes longer than {_CHILD_WALL_S} s to read.")
        return report
    try:
        answer = json.loads(done.stdout)
        for entry in answer["findings"]:
            graded = {"severity": Severity(entry["severity"]), "tier": Tier(entry["tier"])}
            finding = Finding(**{**entry, **graded, "confidence": Confidence(entry["confidence"])})
            report.findings[finding.rule_id, finding.line, finding.command] = finding
        report.reached.extend((path, how) for path, how in answer["reached"])
    except (ValueError, KeyError, TypeError):
        report.refuse(f"Reading it ended the scanner's child process (exit {done.returncode}).")
    return report


def main() -> None:
    """The child: limits first, then the scan of standard input, the result as JSON on standard output."""
    resource.setrlimit(resource.RLIMIT_AS, (_CHILD_MEMORY_BYTES, _CHILD_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_CHILD_CPU_S, _CHILD_CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, path, language, tables = sys.argv
    known = knowledge(Path(tables) if tables else None)
    files = {name: text.encode("latin-1") for name, text in json.loads(sys.stdin.buffer.read()).items()}
    report = analyse(path, files.pop(""), Language(language) if language else None, known, files)
    answer = {"findings": [asdict(finding) for finding in report.findings.values()], "reached": report.reached}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
