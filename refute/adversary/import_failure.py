"""Whether a program ended on an uncaught ImportError, read from what it printed: which module, imported where.

Read wrongly, a verification that failed for another reason is called FAILED_IMPORT, or the other way round; it failed
in any case.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

IMPORT_ERROR: Final = re.compile(r"^(?P<start>E\s+|\s{4})?(?:ModuleNotFoundError|ImportError): (?P<message>.*)$")
UNFRAMED: Final = re.compile(
    r"^\S*python[\d.]*: (?:Error while finding module specification for .*?)?(?P<message>No module named .*)"
    r"|^(?:ERROR|ImportError): Error importing plugin \S+: (?P<plugin>.*)$"
)
"""What `python -m` and pytest say without a traceback."""
MODULE: Final = re.compile(
    r"No module named '?(?P<missing>[\w.]+)"
    r"|cannot import name '[^']*' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
)
FRAME: Final = re.compile(
    r'^\s*(?:File "(?P<path>[^"\n]+)", line (?P<line>\d+)|(?P<file>[^\s:][^:\n]*\.py):(?P<at>\d+):)'
)
"""Of a traceback, as Python or pytest writes it."""
SUMMARY: Final = re.compile(r"^(?:FAILED|ERROR) (?P<path>[^\s:]+)::\S+ - (?P<why>.*)$")
OTHERWISE: Final = re.compile(
    r"^(?:E\s+)?(?!(?:subprocess\.)?CalledProcessError)(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b(?::|$)"
    r"|^FAIL: \w+ \(|^FAILED \(.*failures|^Expected:$|^\S+: .*(?:command not found|No such file)"
)
"""A failure of another kind: an exception, a test of unittest or doctest, a command."""
OWN_WORDS: Final = re.compile(r"^(?:FAILED|FAIL|ERROR|fatal):")
REACH: Final = 4
"""Lines from the last frame to the error."""
SYNTAX_ERROR: Final = re.compile(
    r'^(?:E\s+)?\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)\n(?:(?!.*File ").*\n){0,3}?'
    r"(?:E\s+)?(?P<message>(?:SyntaxError|IndentationError|TabError): .*)",
    re.MULTILINE,
)
UNNOTICED: Final = 126
"""From this exit code on a shell tells that a command could not run, was not found or was killed by a signal."""
IMPORTED_AS: Final = {
    "attr": "attrs", "bs4": "beautifulsoup4", "crypto": "pycryptodome", "cv2": "opencv-python",
    "dateutil": "python-dateutil", "dotenv": "python-dotenv", "git": "gitpython", "jwt": "pyjwt",
    "openssl": "pyopenssl", "pil": "pillow", "pkg-resources": "setuptools", "serial": "pyserial",
    "skimage": "scikit-image", "sklearn": "scikit-learn", "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip
"""Distributions that are imported under another name than their own (their own metadata, 2026-11)."""


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
    def place(self) -> str:
        """`file:line`, as far as known."""
        return f"{self.path}:{self.line}" if self.path else "an unknown place"


def find_import_failure(  # noqa: C901  # one case for each kind of line
    stdout: str, stderr: str, *, exit_code: int = 1
) -> ImportFailure | None:
    """The uncaught import error for which a program exited; None where it exited for another reason.

    That is the last one with a frame of a traceback above it, or in pytest's summary, unless a failure of another kind
    is told behind it, or a test failed otherwise.

    Args:
        stdout: what the program printed.
        stderr: what it said.
        exit_code: 126 and above are a shell's word for something else.
    """
    if exit_code >= UNNOTICED:
        return None
    lines = [line.rstrip() for line in (*stdout.splitlines(), *stderr.splitlines()) if line.strip()]
    found: ImportFailure | None = None
    path, number, seen = "", 0, -REACH
    for at, line in enumerate(lines):
        if match := FRAME.match(line):
            if "<frozen" not in line:
                path, number, seen = match["path"] or match["file"], int(match["line"] or match["at"]), at
        elif match := SUMMARY.match(line):
            if not (told := IMPORT_ERROR.match(match["why"])):
                return None
            found = found or _failure(told["message"], match["path"], 0)
        elif match := IMPORT_ERROR.match(line):
            after = FRAME.match(lines[at + 1]) if match["start"] and at + 1 < len(lines) else None
            if after is not None and after["file"]:
                path, number = after["file"], int(after["at"])
            if at - seen < REACH or (match["start"] or "").startswith("E"):
                found = _failure(match["message"], path, number)
        elif match := UNFRAMED.match(line):
            found = _failure(match["message"] or match["plugin"], "", 0)
        elif OTHERWISE.match(line) or (OWN_WORDS.match(line) and found and not _is_about(line, found)):
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
    declared = {
        _normal(re.split(r"[\s=<>!~;\[@]", line.strip(), maxsplit=1)[0]) for line in requirements if line.strip()
    }
    parts = [_normal(part) for part in module.split(".")]
    candidates = {"-".join(parts[:count]) for count in range(1, len(parts) + 1)}
    candidates |= {f"python-{parts[0]}", f"py{parts[0]}", f"{parts[0]}-python", IMPORTED_AS.get(parts[0], parts[0])}
    return not declared.isdisjoint(candidates)


def _failure(message: str, path: str, line: int) -> ImportFailure:
    match = MODULE.search(message)
    module = (match["missing"] or match["module"]) if match else ""
    return ImportFailure(module=module, message=message.strip(), path=path, line=line)


def _is_about(line: str, failure: ImportFailure) -> bool:
    """Whether words of a script are about an import."""
    return "import" in line.lower() or bool(failure.module and failure.module in line)


def _normal(name: str) -> str:
    """A distribution's name as names are compared (PEP 503, https://peps.python.org/pep-0503/, 2026-11)."""
    return re.sub(r"[-_.]+", "-", name).lower()
