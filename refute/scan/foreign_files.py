"""Files of the workspace in languages that are not read: which they are, and the shell commands in them."""

import re
import shlex
from collections.abc import Iterator
from typing import Final

from refute.scan import decode

_JAVASCRIPT_SUFFIXES: Final = (".js", ".mjs", ".cjs", ".ts")
_SUFFIXES: Final = (
    *_JAVASCRIPT_SUFFIXES, ".pl", ".pm", ".t", ".rb", ".php", ".lua", ".r", ".R", ".tcl", ".exp", ".groovy",
    ".jar", ".class", ".go", ".rs", ".ps1", ".awk", ".sed", ".mk", ".bats",
)  # fmt: skip
_JAVASCRIPT: Final = frozenset({"node", "nodejs", "deno", "bun"})
INTERPRETERS: Final = _JAVASCRIPT | {
    "perl", "ruby", "php", "lua", "luajit", "Rscript", "guile", "tclsh", "expect", "osascript", "groovy", "java",
    "go", "awk", "sed", "bats",
}  # fmt: skip
_RUNS: Final = re.compile(
    r"(?:\b(?:system|exec\w*|popen\w*|spawn\w*|shell_exec|passthru|os\.execute|io\.popen|run)\s*\(?\s*(?P<quote>[\"'`])"
    r"(?P<text>(?:\\.|(?!(?P=quote)).)+)(?P=quote))|`(?P<ticks>[^`\n]+)`|(?:qx|%x)[{(\[](?P<bracket>[^\])}\n]+)"
)
"""A call that runs a text, or marks around one."""


def is_foreign(path: str, data: bytes, how: str = "") -> bool:
    """Whether running the file runs neither shell nor Python.

    Args:
        path: names it.
        data: its bytes.
        how: what runs it; empty where it runs by itself.
    """
    if how in INTERPRETERS:
        return True
    shebang = decode.shebang_of(data)
    return bool(shebang) or path.endswith(_SUFFIXES) or b"\0" in data[:1000]


def commands_in(path: str, data: bytes, how: str) -> bytes:
    """What a file of another language hands to a shell, as shell text, each on its own line; the rest is not read."""
    text = data.decode("utf-8", "replace")
    if how in {"awk", "sed"}:
        return f"{how} {shlex.quote(text)}\n".encode()
    quotes = path.endswith(_JAVASCRIPT_SUFFIXES) or how in _JAVASCRIPT
    return "\n".join("; ".join(_commands(line, ticks=not quotes)) for line in text.split("\n")).encode()


def _commands(line: str, *, ticks: bool) -> Iterator[str]:
    """What a line runs; `ticks`: whether backticks run what stands between them."""
    for match in _RUNS.finditer(line):
        found = match["text"] or (match["ticks"] if ticks else None) or match["bracket"] or ""
        # Only what a shell would read as a command: a program, then something else.
        if re.match(r"[\w./-]+\s", found):
            yield found.replace("\\n", " ").replace('\\"', '"')
