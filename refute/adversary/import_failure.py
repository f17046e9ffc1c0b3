"""Whether a program ended on an uncaught ImportError, read from what it printed: which module, imported where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

TRACEBACK: Final = "Traceback (most recent call last):"
FRAME: Final = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)')
PYTEST_FRAME: Final = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+): ")
OUTERMOST: Final = re.compile(r'in <module>\s*$|"<frozen runpy>"|/lib/python3')
"""The first frame of a traceback that nobody caught: of a module, or of what runs modules and tests."""
NOT_THE_END: Final = re.compile(r"^.*\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|^Exception (?:ignored|in thread)\b")
"""Before a traceback that was logged, and ended nothing."""
ERROR_LINE: Final = re.compile(
    r"^(?P<shown>E\s+|\s{4})?(?:[A-Za-z_]\w*\.)*"
    r"(?P<type>[A-Z]\w*(?:Error|Exception|Exit|Interrupt))(?:$|: ?(?P<message>.*))"
)
"""The last line of a traceback; pytest puts an `E` before it, doctest four spaces."""
IMPORT_ERRORS: Final = frozenset({"ModuleNotFoundError", "ImportError"})
IMPORT_TOLD: Final = re.compile(
    r"^(?:FAILED|ERROR) (?P<path>[^\s:]+)\S* - (?:ModuleNotFoundError|ImportError): ?(?P<message>.*)$"
    r"|^(?:ERROR|ImportError): Error importing plugin \S+: (?P<plugin>.*)$"
    r"|^\S*python[\d.]*: (?P<program>.*No module named .*)$"
)
"""Without a traceback: pytest's summary and plugins, `python -m`."""
TEST_FAILED: Final = re.compile(
    r"^FAILED \S+::.* - |^FAIL: \w+ \(|^FAILED \((?!errors=\d+(?:, skipped=\d+)?\)$)|^Expected(?: nothing|:)$"
)
"""What pytest, unittest and doctest say of a test that failed by anything else."""
OTHER_FAULT: Final = re.compile(
    r"^(?:FAILED|FAIL:|ERROR:|fatal:)(?! \(| \S+::)"
    r"|^(?!g?make\b)\S*?[\w.+-]+: "
    r"(?:line \d+: |.*(?:No such file|not found|annot |denied|rror\b|nvalid|nrecognized|nexpected|ailed))"
)
"""A script's own words, and what a shell or a Unix program says when it fails: `grep: x: No such file or directory`."""
CHILD_FAILED: Final = "CalledProcessError"
"""What a parent says of a child that has told its own error before."""
MODULE: Final = re.compile(
    r"No module named '?(?P<missing>[\w.]+)"
    r"|cannot import name '[^']*' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
)
SYNTAX_ERROR: Final = re.compile(
    r'^(?:E\s+)?\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)\n(?:(?!.*File ").*\n){0,3}?'
    r"(?:E\s+)?(?P<message>(?:SyntaxError|IndentationError|TabError): .*)",
    re.MULTILINE,
)
UNNOTICED: Final = 126
"""From this exit code on a shell tells that a command could not run, was not found or was killed by a signal."""

# Distributions that are imported under another name than their own (their own metadata, 2026-11).
IMPORTED_AS: Final = {
    "attr": "attrs", "bs4": "beautifulsoup4", "crypto": "pycryptodome", "cv2": "opencv-python",
    "dateutil": "python-dateutil", "dotenv": "python-dotenv", "git": "gitpython", "jwt": "pyjwt",
    "openssl": "pyopenssl", "pil": "pillow", "pkg-resources": "setuptools", "serial": "pyserial",
    "skimage": "scikit-image", "sklearn": "scikit-learn", "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFailure:
    """An import that failed and that nobody caught."""

    message: str
    path: str = ""
    """The importing file as printed; empty where unknown."""
    line: int = 0

    @property
    def module(self) -> str:
        """Dotted; empty where the message names none."""
        match = MODULE.search(self.message)
        return (match["missing"] or match["module"]) if match else ""

    @property
    def place(self) -> str:
        """`file:line`, as far as known."""
        return f"{self.path}:{self.line}" if self.path else "an unknown place"


def find_import_failure(stdout: str, stderr: str, *, exit_code: int = 1) -> ImportFailure | None:
    """The uncaught import error for which a program exited; None where it exited for another reason.

    The last error that a stream tells of decides, and no test may have failed by another one. An import error counts
    at the end of a traceback that nobody caught, in what test runners report, and where `python -m` found no module.

    Args:
        stdout: what the program printed.
        stderr: what it said.
        exit_code: 126 and above are a shell's word for something else.
    """
    found = [errors[-1] for text in (stderr, stdout) if (errors := list(_errors(text.splitlines())))]
    told = [*stdout.splitlines(), *stderr.splitlines()]
    failed_otherwise = any(TEST_FAILED.match(line) and not IMPORT_TOLD.match(line) for line in told)
    if exit_code >= UNNOTICED or not found or failed_otherwise or None in found:
        return None
    return found[0]


def find_syntax_error(text: str, files: Sequence[str]) -> ImportFailure | None:
    """The first syntax error that a program told of in one of these files: nobody can import it, whoever tried.

    Args:
        text: what the program printed.
        files: paths relative to the workspace.
    """
    for match in SYNTAX_ERROR.finditer(text):
        if any(f"/{match['path']}".endswith(f"/{file}") for file in files):
            return ImportFailure(message=match["message"], path=match["path"], line=int(match["line"]))
    return None


def is_declared(module: str, requirements: Sequence[str]) -> bool:
    """Whether a requirement line (`name==version --hash=…`) provides a module, as far as names tell."""
    declared = {
        _normal(re.split(r"[\s=<>!~;\[@]", line.strip(), maxsplit=1)[0]) for line in requirements if line.strip()
    }
    parts = [_normal(part) for part in module.split(".")]
    candidates = {"-".join(parts[:count]) for count in range(1, len(parts) + 1)}
    candidates |= {f"python-{parts[0]}", f"py{parts[0]}", f"{parts[0]}-python", IMPORTED_AS.get(parts[0], parts[0])}
    return not declared.isdisjoint(candidates)


def _errors(lines: Sequence[str]) -> Iterator[ImportFailure | None]:
    """The errors that a stream tells of, in order; None for one that is no import."""
    place, caught, told = ("", 0), True, ImportFailure(message="")
    for number, text in enumerate(lines):
        if text.rstrip().endswith(TRACEBACK):
            caught = _is_caught(lines, number)
        elif frame := FRAME.match(text) or PYTEST_FRAME.match(text):
            place = (frame["path"], int(frame["line"])) if "<frozen importlib" not in frame["path"] else place
        elif match := IMPORT_TOLD.match(text):
            message = match["message"] or match["plugin"] or match["program"] or ""
            told = told if told.message else ImportFailure(message=message, path=match["path"] or "")
            yield told
        elif (match := ERROR_LINE.match(text)) and match["type"] in IMPORT_ERRORS:
            shown = (match["shown"] or "").startswith("E")
            path, line = (_place_behind(lines[number + 1 : number + 5]) if shown else None) or place
            if shown or not caught:
                told = ImportFailure(message=match["message"] or "", path=path, line=line)
                yield told
            caught = True
        elif (match and match["type"] != CHILD_FAILED) or (OTHER_FAULT.match(text) and not _is_about(text, told)):
            yield None


def _is_caught(lines: Sequence[str], start: int) -> bool:
    """Whether the traceback that starts in a line was caught and shown, and so ended no program."""
    logged = start > 0 and NOT_THE_END.match(lines[start - 1])
    return bool(logged) or not any(map(OUTERMOST.search, lines[start + 1 : start + 2]))


def _place_behind(lines: Sequence[str]) -> tuple[str, int] | None:
    """Where pytest says, behind an error, that it came from."""
    match = PYTEST_FRAME.match(next((line for line in lines if line.strip()), ""))
    return (match["path"], int(match["line"])) if match else None


def _is_about(line: str, failure: ImportFailure) -> bool:
    return "import" in line.lower() or bool(failure.module and failure.module in line)


def _normal(name: str) -> str:
    """A distribution's name as names are compared (PEP 503, https://peps.python.org/pep-0503/, 2026-11)."""
    return re.sub(r"[-_.]+", "-", name).lower()
