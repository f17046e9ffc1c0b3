"""One file to findings: decode, pick the language, walk, and turn every failure into a finding.

Small and shallow text is read in this process, anything else in a child with limits of memory and time.
"""

import json
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Final

from refute.scan import decode
from refute.scan.core.report import MAX_READ, BudgetExceeded, Report, Spot, is_plain
from refute.scan.core.tables import Knowledge, knowledge
from refute.scan.decode import Unreadable
from refute.scan.engine.engine import Engine, spots_of, walk_python
from refute.scan.finding import Confidence, Finding, Severity, Tier
from refute.scan.python.walk import PythonWalker
from refute.scan.rules import Language
from refute.scan.shell.scope import Scope
from refute.scan.shell.state import Shared
from refute.scan.shell.walk import ShellWalker

_DISGUISES: Final = {
    re.compile("[\u202a-\u202e\u2066-\u2069]"): "a mark that reverses how text is shown",
    re.compile(r"\r(?!['\"]?\n)"): "a carriage return inside a line",  # behind it a quote alone hides nothing
}
_MAX_BYTES: Final = 12 * 1024**2
_CHILD_MEMORY_BYTES: Final = 1024**3
_CHILD_CPU_S: Final = 10
_CHILD_WALL_S: Final = 60


def analyse(
    path: str,
    data: bytes,
    language: Language | None = None,
    known: Knowledge | None = None,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Report:
    """Scan one file. Never raises: what goes wrong becomes an `unanalysable` finding.

    Args:
        path: shown in findings, and `$0` of a shell script.
        data: the file's bytes.
        language: what will interpret the file; by name and first line where None.
        files: every file of the workspace, which it may read.
        known: what is known about commands, calls and hosts; the tables of the package where None.
    """
    report = Report(path=path, files=files, knowledge=known or knowledge())
    claimed = decode.languages_of(path, data)
    forced = [language] if language and not decode.is_launcher(data) else []
    wanted = tuple(dict.fromkeys([*forced, *claimed]))
    if not wanted:
        report.refuse("Its language is not known: neither its name nor its first line names a shell or Python.")
        return report
    if len(wanted) > 1:
        text = f"read as {' and as '.join(wanted)}"
        report.add(
            "misleading-text", Spot(line=1, column=1, text=text), text, detail="Its name, first line and use disagree."
        )
    for each in wanted:
        _guarded(report, data, each)
    return report


def _guarded(report: Report, data: bytes, language: Language) -> None:
    try:
        _analyse_as(report, data, language)
    except Unreadable as error:
        report.refuse(*error.args)
    except BudgetExceeded:
        report.refuse("It asks for more work than a scan may take.")
    except (RecursionError, MemoryError) as error:
        report.refuse(f"It nests too deeply, or takes too much memory to read ({type(error).__name__}).")
    except Exception as error:  # noqa: BLE001 - the scanner fails closed: a fault of its own blocks
        report.refuse(f"The scanner failed on it ({type(error).__name__}: {error}); please report this.")


def _analyse_as(report: Report, data: bytes, language: Language) -> None:
    source = decode.read_source(data, language)
    _disguises(report, source, language)
    shared = Shared(Engine(report))
    shebang = decode.shebang_of(data)
    if re.search(r"\s-(?:-split-string|S|[a-z]*c\b)|;|\|", shebang):
        spot = Spot(line=1, column=1, text="#!" + shebang)
        # The kernel hands over everything behind the interpreter as one argument.
        interpreter, _, argument = shebang.partition(" ")
        command = shlex.join([interpreter, argument.strip(), report.path])
        ShellWalker(shared, Scope(script=report.path), depth=1, place=spot).script(command)
    if language == Language.PYTHON:
        walk_python(PythonWalker(Engine(report), spots_of(source)), source)
    else:
        ShellWalker(shared, Scope(script=report.path)).script(source)
    report.count_letters(source)


def _disguises(report: Report, source: str, language: Language) -> None:
    for pattern, what in _DISGUISES.items():
        if match := pattern.search(source):
            line = source.count("\n", 0, match.start()) + 1
            spot = Spot(line=line, column=1, text=source.split("\n")[line - 1][:80])
            report.add("misleading-text", spot, str(language), detail=f"It holds {what}.")


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
    command = [sys.executable, "-m", "refute.scan.engine.analysis", report.path, language or "", str(tables or "")]
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
    answer = {"findings": [asdict(finding) for finding in report.result()], "reached": report.reached}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
