"""Import errors in what pytest and doctest report: which one, where, and whether all that failed failed by one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

IMPORT_ERROR: Final = re.compile(r"^(?:E\s+)?(?:ModuleNotFoundError|ImportError): (?P<message>.*)$")
MODULE: Final = re.compile(
    r"No module named '?(?P<missing>[\w.]+)"
    r"|cannot import name '[^']*' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
)
PYTEST_FRAME: Final = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+): ")
PYTEST_IMPORT: Final = re.compile(r"^ImportError while (?:importing test module|loading conftest) ")
PYTEST_PLUGIN: Final = re.compile(r"^(?:ERROR|ImportError): Error importing plugin \S+: (?P<message>.*)$")
PYTEST_SUMMARY: Final = re.compile(r"^(?:FAILED|ERROR) (?P<where>\S.*)$")
PYTEST_REASON: Final = re.compile(r" - (?:ModuleNotFoundError|ImportError)\b:? ?(?P<message>.*)$")
PYTEST_CRASH: Final = re.compile(r"^(?P<path>[^\s:][^:\n]*):\d+: (?P<type>[A-Z]\w*)$")
PYTEST_TOTAL: Final = re.compile(r"\b(?P<count>\d+) (?:failed|errors?)\b.* in [\d.]+s")
PYTEST_DOCTEST: Final = re.compile(r"^UNEXPECTED EXCEPTION: (?:ModuleNotFoundError|ImportError)\(", re.MULTILINE)
DOCTEST_EXAMPLE: Final = "Failed example:"
TRACEBACK_FRAME: Final = re.compile(r'^\s+File "(?P<path>[^"\n]+)", line (?P<line>\d+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFailure:
    """An import that failed and that nobody caught."""

    module: str
    """Dotted; empty where the message names none."""
    message: str
    path: str
    """The importing file as printed; empty where unknown."""
    line: int

    @property
    def place(self) -> str:
        """`file:line`, as far as known."""
        return f"{self.path}:{self.line}" if self.path else "an unknown place"


def import_failure(message: str, path: str, line: int) -> ImportFailure:
    """A failure by its message, the module read from it."""
    match = MODULE.search(message)
    module = (match["missing"] or match["module"]) if match else ""
    return ImportFailure(module=module, message=message.strip(), path=path, line=line)


def in_pytest(lines: Sequence[str]) -> ImportFailure | None:
    """An import error of collection, of a conftest or a plugin, or behind every failing test."""
    for line in lines:
        if match := PYTEST_PLUGIN.match(line):
            return import_failure(match["message"], "", 0)
    collection = any(PYTEST_IMPORT.match(line) for line in lines)
    if not collection and not _summary_is_imports(lines) and not _crashes_are_imports(lines):
        return None
    path, line_number = "", 0
    for text, after in _pairs(lines):
        if match := PYTEST_FRAME.match(text):
            path, line_number = match["path"], int(match["line"])
        elif text.startswith("E ") and (match := IMPORT_ERROR.match(text)):
            if following := PYTEST_FRAME.match(after):
                path, line_number = following["path"], int(following["line"])
            return import_failure(match["message"], path, line_number)
    return None


def in_pytest_summary(lines: Sequence[str]) -> ImportFailure | None:
    """The import error of the first failing test where pytest shows no traceback (`--tb=no`) and all failed by one."""
    if not _summary_is_imports(lines):
        return None
    first = next(match["where"] for line in lines if (match := PYTEST_SUMMARY.match(line)))
    reason = PYTEST_REASON.search(first)
    return import_failure(reason["message"] if reason else "", first.partition("::")[0].partition(" - ")[0], 0)


def in_doctest(lines: Sequence[str]) -> ImportFailure | None:
    """The first import error of a run of doctests, by themselves or in pytest, that all failed by one."""
    if PYTEST_DOCTEST.search("\n".join(lines)):
        failed, indent = sum(PYTEST_SUMMARY.match(line) is not None for line in lines), ""
    else:
        failed, indent = sum(line.strip() == DOCTEST_EXAMPLE for line in lines), "    "
    found: list[ImportFailure] = []
    path, number, inside = "", 0, False
    for line in lines:
        inside = line.startswith(f"{indent}Traceback ") or (inside and line.startswith(indent))
        text = line.removeprefix(indent)
        if inside and (frame := TRACEBACK_FRAME.match(text)):
            path, number = frame["path"], int(frame["line"])
        elif inside and not text.startswith(" ") and (match := IMPORT_ERROR.match(text)):
            found.append(import_failure(match["message"], path, number))
            inside = False
    return found[0] if failed and len(found) == failed else None


def other_tests_failed(lines: Sequence[str]) -> bool:
    """Whether pytest's summary names a test that failed by something other than an import."""
    failed = [line for line in lines if line.startswith("FAILED ") and "::" in line]
    others = [line for line in failed if not PYTEST_REASON.search(line)]
    silent = sum(" - " not in line for line in others)  # a doctest's line says no reason
    return len(others) > silent or silent > sum(PYTEST_DOCTEST.match(line) is not None for line in lines)


def _summary_is_imports(lines: Sequence[str]) -> bool:
    reasons = [match["where"] for line in lines if (match := PYTEST_SUMMARY.match(line))]
    return bool(reasons) and all(PYTEST_REASON.search(reason) for reason in reasons)


def _crashes_are_imports(lines: Sequence[str]) -> bool:
    """Without a summary (`-rN`): as many places of failure as pytest counts, each of them an import."""
    types = [match["type"] for line in lines if (match := PYTEST_CRASH.match(line))]
    total = sum(int(match["count"]) for line in lines[-1:] if (match := PYTEST_TOTAL.search(line)))
    return bool(types) and len(types) == total and set(types) <= {"ModuleNotFoundError", "ImportError"}


def _pairs(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each line with the next one that is not empty."""
    filled = [line for line in lines if line]
    return zip(filled, [*filled[1:], ""], strict=True)
