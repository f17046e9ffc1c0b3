"""Whether a program ended on an uncaught ImportError, read from what it printed: which module, imported where."""

import re
from collections.abc import Sequence
from typing import Final

from refute.adversary.import_report import (
    IMPORT_ERROR,
    PYTEST_TOTAL,
    ImportFailure,
    import_failure,
    in_doctest,
    in_pytest,
    in_pytest_summary,
    other_tests_failed,
)

TRACEBACK: Final = "Traceback (most recent call last):"
FRAME: Final = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)')
ERROR_LINE: Final = re.compile(
    r"^(?:E\s+)?(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning))\b(?::|$)"
)
NO_MODULE_TO_RUN: Final = re.compile(
    r"^\S*python[\d.]*: (?:Error while finding module specification for .*)?No module named '?(?P<module>[\w.]+)"
)
"""`python -m x` prints no traceback."""
UNITTEST_FAILED: Final = re.compile(r"^(?:FAILED \(|FAIL: \w+ \()")
OWN_WORDS: Final = re.compile(r"^(?:FAILED|FAIL:|ERROR:|fatal:)")
CHILD_FAILED: Final = re.compile(r"^subprocess\.CalledProcessError: ")
OUTERMOST: Final = re.compile(
    r'^\s*File "(?:<frozen runpy>|[^"\n]*/runpy\.py)", |^\s*File ".*", line \d+, in <module>\s*$'
)
"""The first frame of a traceback that ended a program; one that was caught and printed starts where it was caught."""
LOGGED: Final = re.compile(r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b.*|^Exception (?:ignored|in thread)\b.*")
UNITTEST_HEADER: Final = re.compile(r"^(?:ERROR|FAIL): \S+ \(|^ImportError: Failed to import test module: ")
TOOL_ERROR: Final = re.compile(
    r"^\S*?[\w.+-]+: "
    r"(?:line \d+: |.*(?:No such file|not found|annot |denied|rror\b|nvalid|nrecognized|nexpected|ailed))"
)
"""What a shell or a Unix program says when it fails: `grep: x: No such file or directory`."""
MAKE_TELLS: Final = re.compile(r"^(?:g?make(?:\[\d+\])?: \*\*\* |error: Recipe )")
SYNTAX_ERROR: Final = re.compile(
    r'^(?:E\s+)?\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)\n(?:(?!.*File ").*\n){0,3}?'
    r"(?:E\s+)?(?P<message>(?:SyntaxError|IndentationError|TabError): .*)",
    re.MULTILINE,
)
UNNOTICED: Final = 126
"""From this exit code on a shell tells that a command could not run, was not found or was killed by a signal."""
UNITTEST_TAIL: Final = re.compile(
    r"^(?:[-=]{10,}|Ran \d+ tests? in .*|FAILED \(errors=\d+(?:, skipped=\d+)?\)|ERROR: .*|)$"
)

# Distributions that are imported under another name than their own (their own metadata, 2026-11).
IMPORTED_AS: Final = {
    "attr": "attrs", "bs4": "beautifulsoup4", "crypto": "pycryptodome", "cv2": "opencv-python",
    "dateutil": "python-dateutil", "dotenv": "python-dotenv", "git": "gitpython", "jwt": "pyjwt",
    "openssl": "pyopenssl", "pil": "pillow", "pkg-resources": "setuptools", "serial": "pyserial",
    "skimage": "scikit-image", "sklearn": "scikit-learn", "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip


def find_import_failure(stdout: str, stderr: str, *, exit_code: int = 1) -> ImportFailure | None:
    """The uncaught import error for which a program exited; None where it exited for another reason.

    An import error counts where it ends the last traceback and that one ended a program, where pytest could not import
    a test module, conftest or plugin for it, where every failing test of pytest, unittest or doctest failed by one, or
    where `python -m` found no module. One that is only printed or logged, was handled, or was followed by another
    error, does not.

    Args:
        stdout: what the program printed.
        stderr: what it said.
        exit_code: 126 and above are a shell's word for something else.
    """
    if exit_code >= UNNOTICED:
        return None
    for text, other in ((stderr, stdout), (stdout, "")):
        lines = [line.rstrip() for line in text.splitlines()]
        found = in_pytest(lines) or _in_last_traceback(lines) or _in_run_module(lines)
        found = found or in_doctest(lines) or in_pytest_summary(lines)
        if found is not None:
            return None if other_tests_failed(stdout.splitlines()) or _ends_otherwise(other, found) else found
    return None


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


def _ends_otherwise(text: str, told: ImportFailure) -> bool:
    """Whether the other stream's last line tells of a failure of another kind."""
    lines = [line for line in text.splitlines() if line.strip()][-1:]
    return not any(PYTEST_TOTAL.search(line) for line in lines) and _has_error(lines, told)


def is_declared(module: str, requirements: Sequence[str]) -> bool:
    """Whether a requirement line (`name==version --hash=…`) provides a module, as far as names tell."""
    declared = {
        _normal(re.split(r"[\s=<>!~;\[@]", line.strip(), maxsplit=1)[0]) for line in requirements if line.strip()
    }
    parts = [_normal(part) for part in module.split(".")]
    candidates = {"-".join(parts[:count]) for count in range(1, len(parts) + 1)}
    candidates |= {f"python-{parts[0]}", f"py{parts[0]}", f"{parts[0]}-python", IMPORTED_AS.get(parts[0], parts[0])}
    return not declared.isdisjoint(candidates)


def _in_last_traceback(lines: Sequence[str]) -> ImportFailure | None:
    """An import error that ends the last traceback, with nothing behind it that could be the exit's reason."""
    starts = [number for number, line in enumerate(lines) if _starts_traceback(line)]
    if not starts or not _ended_a_program(lines, starts[-1]):
        return None
    path, line = "", 0
    for number in range(starts[-1] + 1, len(lines)):
        text, rest = lines[number], lines[number + 1 :]
        if match := FRAME.match(text):
            if not match["path"].startswith("<frozen importlib"):
                path, line = match["path"], int(match["line"])
        elif match := IMPORT_ERROR.match(text):
            failure = import_failure(match["message"], path, line)
            unittest = all(UNITTEST_TAIL.match(after) for after in rest)
            return failure if unittest or not _has_error(rest, failure) else None
        elif text and CHILD_FAILED.match(text) and len(starts) > 1 and not _has_error(rest):
            return _in_last_traceback(lines[: starts[-1]])  # the child's own words come before its parent's
        elif text and not text.startswith((" ", "\t")):
            return None
    return None


def _ended_a_program(lines: Sequence[str], start: int) -> bool:
    """Whether nobody caught the traceback that starts in a line: by its first frame, and what stands before it."""
    before = next((line for line in reversed(lines[:start]) if line.strip()), "")
    if UNITTEST_HEADER.match(before) or any(UNITTEST_HEADER.match(line) for line in lines[max(0, start - 3) : start]):
        return True
    return not LOGGED.match(before) and any(OUTERMOST.match(line) for line in lines[start + 1 : start + 2])


def _in_run_module(lines: Sequence[str]) -> ImportFailure | None:
    last = next((line for line in reversed(lines) if line), "")
    match = NO_MODULE_TO_RUN.match(last)
    return ImportFailure(module=match["module"], message=last, path="", line=0) if match else None


def _starts_traceback(line: str) -> bool:
    """A traceback's first line, also behind a few words of the script (`echo "import failed: $output"`)."""
    return line.strip() == TRACEBACK or (line.endswith(f" {TRACEBACK}") and ERROR_LINE.match(line) is None)


def _has_error(lines: Sequence[str], told: ImportFailure | None = None) -> bool:
    """Whether lines tell of an error, other than in the script's own words about the one already told."""
    return any(
        ERROR_LINE.match(line)
        or UNITTEST_FAILED.match(line)
        or (TOOL_ERROR.match(line) and not MAKE_TELLS.match(line) and not (told and _is_about(line, told)))
        or (OWN_WORDS.match(line) and not (told and _is_about(line, told)))
        for line in lines
    )


def _is_about(line: str, failure: ImportFailure) -> bool:
    return "import" in line.lower() or bool(failure.module and failure.module in line)


def _normal(name: str) -> str:
    """A distribution's name as names are compared (PEP 503, https://peps.python.org/pep-0503/, 2026-11)."""
    return re.sub(r"[-_.]+", "-", name).lower()
