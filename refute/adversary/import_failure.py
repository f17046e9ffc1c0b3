"""Whether a program ended on an uncaught ImportError, read from what it printed: which module, imported where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

TRACEBACK: Final = "Traceback (most recent call last):"
FRAME: Final = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)')
PYTEST_FRAME: Final = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+): ")
IMPORT_ERROR: Final = re.compile(r"^(?:E\s+)?(?:ModuleNotFoundError|ImportError): (?P<message>.*)$")
ERROR_LINE: Final = re.compile(
    r"^(?:E\s+)?(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning))\b(?::|$)"
)
MODULE: Final = re.compile(
    r"No module named '?(?P<missing>[\w.]+)"
    r"|cannot import name '[^']*' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
)
NO_MODULE_TO_RUN: Final = re.compile(
    r"^\S*python[\d.]*: (?:Error while finding module specification for .*)?No module named '?(?P<module>[\w.]+)"
)
"""`python -m x` prints no traceback."""
PYTEST_IMPORT: Final = re.compile(r"^ImportError while (?:importing test module|loading conftest) ")
UNITTEST_FAILED: Final = re.compile(r"^(?:FAILED \(|FAIL: \w+ \()")
OWN_WORDS: Final = re.compile(r"^(?:FAILED|FAIL:|ERROR:|fatal:)")
CHILD_FAILED: Final = re.compile(r"^subprocess\.CalledProcessError: ")
PYTEST_SUMMARY: Final = re.compile(r"^(?:FAILED|ERROR) (?P<where>\S.*)$")
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


def find_import_failure(stdout: str, stderr: str) -> ImportFailure | None:
    """The uncaught import error for which a program exited; None where it exited for another reason.

    An import error counts where it ends the last traceback, where pytest could not import a test module or
    conftest for it, where every failing pytest test failed by one, or where `python -m` found no module. One that is
    only printed, or was handled and followed by another error, does not.
    """
    for text in (stderr, stdout):
        lines = [line.rstrip() for line in text.splitlines()]
        found = _in_pytest(lines) or _in_last_traceback(lines) or _in_run_module(lines)
        if found is not None:
            return found if not _other_tests_failed(stdout.splitlines()) else None
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


def _in_last_traceback(lines: Sequence[str]) -> ImportFailure | None:
    """An import error that ends the last traceback, with nothing behind it that could be the exit's reason."""
    starts = [number for number, line in enumerate(lines) if _starts_traceback(line)]
    if not starts:
        return None
    path, line = "", 0
    for number in range(starts[-1] + 1, len(lines)):
        text = lines[number]
        if match := FRAME.match(text):
            if not match["path"].startswith("<frozen importlib"):
                path, line = match["path"], int(match["line"])
        elif match := IMPORT_ERROR.match(text):
            rest = lines[number + 1 :]
            failure = _failure(match["message"], path, line)
            unittest = all(UNITTEST_TAIL.match(after) for after in rest)
            return failure if unittest or not _has_error(rest, failure) else None
        elif text and CHILD_FAILED.match(text) and len(starts) > 1 and not _has_error(lines[number + 1 :]):
            return _in_last_traceback(lines[: starts[-1]])  # the child's own words come before its parent's
        elif text and not text.startswith((" ", "\t")):
            return None
    return None


def _in_pytest(lines: Sequence[str]) -> ImportFailure | None:
    """An import error of collection, of a conftest, or behind every failure in pytest's summary."""
    collection = any(PYTEST_IMPORT.match(line) for line in lines)
    if not collection and not _summary_is_imports(lines):
        return None
    path, line = "", 0
    for text, after in _pairs(lines):
        if match := PYTEST_FRAME.match(text):
            path, line = match["path"], int(match["line"])
        elif text.startswith("E ") and (match := IMPORT_ERROR.match(text)):
            if following := PYTEST_FRAME.match(after):
                path, line = following["path"], int(following["line"])
            return _failure(match["message"], path, line)
    return None


def _in_run_module(lines: Sequence[str]) -> ImportFailure | None:
    last = next((line for line in reversed(lines) if line), "")
    match = NO_MODULE_TO_RUN.match(last)
    return ImportFailure(module=match["module"], message=last, path="", line=0) if match else None


def _summary_is_imports(lines: Sequence[str]) -> bool:
    reasons = [match["where"] for line in lines if (match := PYTEST_SUMMARY.match(line))]
    return bool(reasons) and all(re.search(r" - (?:ModuleNotFoundError|ImportError)\b", reason) for reason in reasons)


def _other_tests_failed(lines: Sequence[str]) -> bool:
    """Whether pytest's summary names a test that failed by something other than an import."""
    failed = [line for line in lines if line.startswith("FAILED ") and "::" in line]
    return any(not re.search(r" - (?:ModuleNotFoundError|ImportError)\b", line) for line in failed)


def _starts_traceback(line: str) -> bool:
    """A traceback's first line, also behind a few words of the script (`echo "import failed: $output"`)."""
    return line.strip() == TRACEBACK or (line.endswith(f" {TRACEBACK}") and ERROR_LINE.match(line) is None)


def _has_error(lines: Sequence[str], told: ImportFailure | None = None) -> bool:
    """Whether lines tell of an error, other than in the script's own words about the one already told."""
    return any(
        ERROR_LINE.match(line)
        or UNITTEST_FAILED.match(line)
        or (OWN_WORDS.match(line) and not (told and _is_about(line, told)))
        for line in lines
    )


def _is_about(line: str, failure: ImportFailure) -> bool:
    return "import" in line.lower() or bool(failure.module and failure.module in line)


def _failure(message: str, path: str, line: int) -> ImportFailure:
    match = MODULE.search(message)
    module = (match["missing"] or match["module"]) if match else ""
    return ImportFailure(module=module, message=message.strip(), path=path, line=line)


def _pairs(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each line with the next one that is not empty."""
    filled = [line for line in lines if line]
    return zip(filled, [*filled[1:], ""], strict=True)


def _normal(name: str) -> str:
    """A distribution's name as names are compared (PEP 503, https://peps.python.org/pep-0503/, 2026-11)."""
    return re.sub(r"[-_.]+", "-", name).lower()
