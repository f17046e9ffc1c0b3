"""One file to findings, in this process: decode, pick the language, walk, and turn every failure into a finding."""

import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from refute.scan import decode
from refute.scan.core.report import BudgetExceeded, Report, Spot
from refute.scan.core.tables import Knowledge, knowledge
from refute.scan.decode import Unreadable
from refute.scan.engine.engine import Engine, spots_of, walk_python
from refute.scan.python.walk import PythonWalker
from refute.scan.rules import Language
from refute.scan.shell.scope import Scope
from refute.scan.shell.state import Shared
from refute.scan.shell.walk import ShellWalker

_DISGUISES: Final = {
    re.compile("[\u202a-\u202e\u2066-\u2069]"): "a mark that reverses how text is shown",
    re.compile(r"\r(?!\n)"): "a carriage return inside a line",
}


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
    launcher = decode.launcher_of(data)
    if launcher is not None and Language.PYTHON in claimed:
        # The shell leaves the file at its second line; the rest is Python, whoever starts it.
        _guarded(report, ("\n" + launcher + "\n").encode(), Language.SHELL)
        language = None
    wanted = tuple(dict.fromkeys([*([language] if language else []), *claimed]))
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
    except BudgetExceeded:
        report.refuse("It asks for more work than a scan may take.")
    except (RecursionError, MemoryError) as error:
        report.refuse(f"It nests too deeply, or takes too much memory to read ({type(error).__name__}).")
    except Exception as error:  # noqa: BLE001 - the scanner fails closed: a fault of its own blocks
        report.refuse(f"The scanner failed on it ({type(error).__name__}: {error}); please report this.")


def _analyse_as(report: Report, data: bytes, language: Language) -> None:
    source = decode.read_source(data, language)
    if isinstance(source, Unreadable):
        report.refuse(source.reason, source.line)
        return
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
