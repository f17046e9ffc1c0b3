"""Symbolic text: ordinary strings in which one private-use character stands for a part not known before the run.

Both languages are folded into such strings, so that joining, slicing and comparing stay plain string work. Source
text that holds one of these characters itself is cleaned by `strip_symbols` first.
"""

import re
from typing import Final

UNKNOWN: Final = "\ue000"
"""Any text: an environment variable, a program's output, a parameter."""
TEMP: Final = "\ue001"
"""Absolute path of a private temporary file or directory."""
HERE: Final = "\ue002"
"""Absolute path of the workspace."""
HOME: Final = "\ue003"
"""Absolute path of the user's home directory."""
DERIVED: Final = "\ue004"
"""Text made by decoding or by picking characters: hiding something is the usual reason."""
NAME: Final = "\ue005"
"""One path component or number: no slash, no space."""
OWN_PROCESS: Final = "\ue006"
"""Id of a process that the script itself started."""
DOWNLOAD: Final = "\ue007"
"""Text that came over the network."""
SECRET: Final = "\ue008"
"""Content of a credential file or the whole environment."""
FIELD: Final = "\ue009"
"""Boundary between two words that one expansion yields."""

OUTPUT: Final = "\ue00b"
"""What a program of this machine prints, not known before the run."""
HOST_DATA: Final = "\ue00c"
"""Content of a file of the machine."""

EMPTY: Final = "\ue00d"
"""Nothing, at least at first: the value that a script gives a variable before some branch gives it another."""

ABOVE: Final = "\ue00e"
"""Absolute path of a directory above the workspace, not known which."""

OTHER_PROCESS: Final = "\ue00f"
"""Id of a process that the script did not start."""
PROCESS_LIST: Final = OUTPUT + OTHER_PROCESS
"""What a listing of the machine's processes prints, or any part of it."""

ENVIRONMENT: Final = {
    name: value
    for value, names in {
        TEMP: "TMPDIR TMP TEMP AUTOPKGTEST_TMP ADTTMP BATS_TMPDIR BATS_TEST_TMPDIR RUNNER_TEMP TEST_TMPDIR",
        HERE: "PWD OLDPWD GITHUB_WORKSPACE CI_PROJECT_DIR",
        NAME: "USER LOGNAME HOSTNAME UID EUID RANDOM SECONDS LINENO EPOCHSECONDS ? #",
        OWN_PROCESS: "BASHPID $ !",
        HOME: "HOME",
        UNKNOWN: "PPID",
        " ": "IFS",
        "/bin/sh": "SHELL",
        "/bin/bash": "BASH",
        "python3": "PYTHON",
    }.items()
    for name in names.split()
}
"""What variables stand for that nobody has set."""

MAX_TEXT: Final = 100_000
"""Longest text that is worked out."""

_OPEN: Final = re.compile(f"[{UNKNOWN}{OUTPUT}{HOST_DATA}{DERIVED}{DOWNLOAD}{SECRET}{ABOVE}]")
_ALL: Final = re.compile("[\ue000-\ue0ff]")
_SHOWN: Final = {
    UNKNOWN: "‹?›",
    TEMP: "$TMPDIR",
    HERE: "$PWD",
    HOME: "~",
    DERIVED: "‹decoded›",
    NAME: "‹name›",
    OWN_PROCESS: "‹own pid›",
    DOWNLOAD: "‹download›",
    SECRET: "‹secret›",
    OUTPUT: "‹output›",
    HOST_DATA: "‹host file›",
    FIELD: " ",
    EMPTY: "",
    ABOVE: "..",
    OTHER_PROCESS: "‹pid of another›",
}


def strip_symbols(text: str) -> str:
    """Replace private-use characters of the source itself, so that it cannot forge a symbol."""
    return _ALL.sub("�", text) if not text.isascii() else text


def name_symbols(text: str) -> str:
    """Text with each symbol written as an identifier, so that Python can parse around it."""
    return text if text.isascii() else _ALL.sub("_unknown_", text)


def as_pattern(text: str) -> str:
    """The text as a pattern for file names: `**` stands for whatever is not known, slashes included."""
    return text if text.isascii() else _ALL.sub("**", text)


def is_known(text: str) -> bool:
    """Whether every part of the text is known (a symbol for a place counts as unknown)."""
    return text.isascii() or not _ALL.search(text)


def is_open(text: str) -> bool:
    """Whether some part could be anything at all."""
    return not text.isascii() and bool(_OPEN.search(text))


def capped(text: str) -> str:
    """Text of a bounded length: what a script doubles beyond it counts as hidden."""
    return text if len(text) <= MAX_TEXT else DERIVED


def show(text: str, limit: int = 200) -> str:
    """The text for a person, symbols written as what they stand for."""
    if not text.isascii():
        text = _ALL.sub(lambda match: _SHOWN.get(match.group(), "‹?›"), text)
    return text if len(text) <= limit else text[: limit - 1] + "…"
