"""Whether a program ended on an uncaught ImportError, read from what it printed: which module, imported where.

Read wrongly, a verification that failed for another reason is called FAILED_IMPORT, or the other way round; it failed
in any case.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from packaging.utils import canonicalize_name

IMPORT_ERROR: Final = re.compile(
    r"(?:ModuleNotFoundError|ImportError): (?P<message>.*)$"
    r"|PackageNotFoundError: (?P<metadata>No package metadata was found for .*)$"
    r"|^\S*python[\d.]*: (?P<module>No module named .*)$"
)
MODULE: Final = re.compile(
    r"No module named '?(?P<missing>[\w.]+)"
    r"|cannot import name '[^']*' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
)
FRAME: Final = re.compile(
    r'^\s*(?:File "(?P<path>[^"\n]+)", line (?P<line>\d+)'
    r"|(?P<file>[^\s:][^:\n]*\.py):(?P<at>\d+):(?P<error> \w+Error)?)"
)
"""Of a traceback, as Python or pytest writes it; the last one of pytest's names the error."""
MACHINERY: Final = re.compile(r"<frozen|/importlib/")
"""Frames of Python's own that an import goes through: whoever asked for it stands above them."""
SUMMARY: Final = re.compile(r"^(?:FAILED|ERROR) \S+::\S+ - ")
WITHOUT_FRAME: Final = re.compile(r"^(?:E\s|\S*python[\d.]*: )")
"""Lines that need no frame of a traceback above them, of pytest and of `python -m`."""
OTHERWISE: Final = re.compile(
    r"^(?:E\s+)?(?!(?:subprocess\.)?CalledProcessError)(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b(?::|$)"
    r"|^(?:FAILED|FAIL:)(?!.*(?:import|errors=|ModuleNotFoundError))"
    r"|^Expected:|^\S+: .*(?:command not found|No such file)"
)
"""A failure of another kind: an exception, a failed test, a command."""
REACH: Final = 4
"""Lines from the last frame to the error."""
SYNTAX_ERROR: Final = re.compile(
    r'^(?:E\s+)?\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)\n(?:(?!.*File ").*\n){0,3}?'
    r"(?:E\s+)?(?P<message>(?:SyntaxError|IndentationError|TabError): .*)",
    re.MULTILINE,
)
UNNOTICED: Final = 126
"""From this exit code on a shell tells that a command could not run, was not found or was killed by a signal."""


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
    def is_missing(self) -> bool:
        """Whether there is no such module at all, rather than nothing of a name in it."""
        return self.message.startswith("No module named")

    @property
    def is_metadata(self) -> bool:
        """Whether it is no module that is missing, but what an installer leaves beside it: its version, for one."""
        return self.message.startswith("No package metadata")

    @property
    def place(self) -> str:
        """`file:line`, as far as known."""
        return f"{self.path}:{self.line}" if self.path else "an unknown place"


def find_import_failure(stdout: str, stderr: str, *, exit_code: int = 1) -> ImportFailure | None:
    """The uncaught import error for which a program exited; None where it exited for another reason.

    That is the last one with a frame of a traceback above it, unless a failure of another kind is told behind it,
    or in a summary of pytest's.

    Args:
        stdout: what the program printed.
        stderr: what it said.
        exit_code: 126 and above are a shell's word for something else.
    """
    lines = [line.rstrip() for line in (*stdout.splitlines(), *stderr.splitlines()) if line.strip()]
    found: ImportFailure | None = None
    path, number, seen = "", 0, -REACH
    for at, line in enumerate(lines if exit_code < UNNOTICED else ()):
        error, summary = IMPORT_ERROR.search(line), SUMMARY.match(line)
        if frame := FRAME.match(line):
            seen = at
        if frame and not MACHINERY.search(line):
            path, number = frame["path"] or frame["file"], int(frame["line"] or frame["at"])
            found = replace(found, path=path, line=number) if found and frame["error"] else found
        elif summary and error is None:
            return None
        elif error and not summary and (at - seen < REACH or WITHOUT_FRAME.match(line)):
            found = _failure(error, path, number)
        elif error is None and OTHERWISE.match(line):
            found = None
    return found


def find_syntax_error(text: str, files: Sequence[str]) -> ImportFailure | None:
    """The first syntax error that a program told of in one of these files: nobody can import it, whoever tried.

    Args:
        text: what the program printed.
        files: paths relative to the workspace.
    """
    for match in SYNTAX_ERROR.finditer(text):
        if any(f"/{match['path']}".endswith(f"/{file}") for file in files):
            return ImportFailure(module="", message=match["message"], path=match["path"], line=int(match["line"]))
    return None


def is_declared(module: str, requirements: Sequence[str]) -> bool:
    """Whether a requirement line (`name==version --hash=…`) provides a module, as far as names tell."""
    declared = {canonicalize_name(re.split(r"[\s=<>!~;\[@]", line.strip(), maxsplit=1)[0]) for line in requirements}
    parts = [canonicalize_name(part) for part in module.split(".")]
    candidates = {"-".join(parts[:count]) for count in range(1, len(parts) + 1)}
    candidates |= {f"python-{parts[0]}", f"py{parts[0]}", f"{parts[0]}-python"}
    return not declared.isdisjoint(candidates)


def _failure(error: re.Match[str], path: str, line: int) -> ImportFailure:
    message = next(filter(None, error.groups()), "").strip()
    match = MODULE.search(message)
    module = (match["missing"] or match["module"]) if match else ""
    return ImportFailure(module=module, message=message, path=path, line=line)
