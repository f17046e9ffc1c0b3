"""Commands that name places and facts: directories, temporary files, the machine."""

import re
from typing import Final

from refute.scan import paths
from refute.scan.shell.call import Call
from refute.scan.symbols import HERE, NAME, TEMP, UNKNOWN, is_open

_FILLED_IN: Final = 3 * "X"
"""What `mktemp` writes over in a template."""


def _dirname(call: Call) -> str:
    path = next((word for word in call.argv[1:] if not word.startswith("-")), "")
    if path in {HERE, TEMP} or not path:
        return path or "."
    head, slash, _ = path.rstrip("/").rpartition("/")
    if not slash:
        return "." if not is_open(path) else UNKNOWN
    return head or "/"


def _basename(call: Call) -> str:
    path = next((word for word in call.argv[1:] if not word.startswith("-")), "")
    tail = path.rstrip("/").rpartition("/")[2]
    return tail if tail and not is_open(tail) and tail.isascii() else NAME


def _pwd(call: Call) -> str:
    return call.walker.scope.cwd + "\n"


def _realpath(call: Call) -> str:
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    return paths.normalise(words[-1], call.walker.scope.cwd) if words else UNKNOWN


def _mktemp(call: Call) -> str:
    template = next((word for word in call.argv[1:] if _FILLED_IN in word), "")
    return paths.normalise(template, call.walker.scope.cwd) if template.startswith("/") else TEMP + "/mktemp"


def _which(call: Call) -> str:
    found = next((word for word in call.argv[1:] if not word.startswith("-")), UNKNOWN)
    return found + "\n"


def _identity(_call: Call) -> str:
    return NAME


COMMANDS: Final = {
    "dirname": _dirname,
    "basename": _basename,
    "pwd": _pwd,
    "realpath": _realpath,
    "readlink": _realpath,
    "mktemp": _mktemp,
    "tempfile": _mktemp,
    **dict.fromkeys(("which", "command", "whence"), _which),
    "type": lambda call: _which(call) if re.match(r"-[pP]", "".join(call.argv[1:2])) else UNKNOWN,
    "hostname": _identity,
    "whoami": _identity,
    "id": _identity,
    "uname": _identity,
    "date": _identity,
    "nproc": _identity,
    "seq": _identity,
    "getconf": _identity,
    "arch": _identity,
    "dpkg-architecture": _identity,
}
