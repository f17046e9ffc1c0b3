"""What tests of command lines carry along: a workspace of their own, how a program is run, how its output is compared.

Every function here is copied into generated files as it stands, so that they need nothing of refute's.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import Any


def copied_workspace() -> tempfile.TemporaryDirectory[str]:
    """The workspace in a folder of the test's own: what a run writes, no other one finds, and yours stays."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    left = shutil.ignore_patterns(".git", ".venv", "venv", "node_modules", "__pycache__")
    shutil.copytree(os.curdir, folder.name, symlinks=True, ignore=left, dirs_exist_ok=True)
    return folder


def settings_in(folder: str, **environment: str) -> dict[str, Any]:
    """How a program is run: in the folder, which is its home as well, its output kept as text."""
    variables = {**os.environ, "HOME": folder, **environment}
    return {
        "cwd": folder,
        "env": variables,
        "encoding": "utf-8",
        "errors": "replace",
        "timeout": 10,
        "capture_output": True,
    }


def put_file(folder: str, path: str, text: str) -> None:
    """Write a file before a run."""
    file = pathlib.Path(folder, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")


def file_in(folder: str, path: str) -> str:
    """What a file holds."""
    return pathlib.Path(folder, path).read_text(encoding="utf-8", errors="replace")


def what_it_did(done: subprocess.CompletedProcess[str], folder: str, expected: str) -> str:
    """What was expected of a run and what it showed, for the message of a failure."""
    streams = f"stdout {done.stdout[-1500:]!r}\nstderr {done.stderr[-300:]!r}".replace(folder, ".")
    return f"expected {expected}, got exit code {done.returncode}\n{streams}"


def lines_of(text: str) -> list[str]:
    """Lines without blanks at their ends, and without empty lines at the end."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def meant_by(lines: list[str], expected: list[str]) -> list[str]:
    """The expected lines where these are what they mean, else these; `...` stands for anything, JSON is a value."""
    want, got = "\n".join(expected), "\n".join(lines)
    if "..." in want and re.fullmatch(".*".join(re.escape(part) for part in want.split("...")), got, re.DOTALL):
        return expected
    try:
        value = json.loads(want)
        return expected if isinstance(value, dict | list) and value == json.loads(got) else lines
    except ValueError:
        return lines


def terminal_lines(out: str, err: str, expected: list[str]) -> list[str]:
    """What a terminal shows: standard output alone, or with standard error before or behind it, as is expected."""
    shown, told = lines_of(out), lines_of(err)
    if shown and told and sorted(shown + told) == sorted(expected):
        return expected
    views = [meant_by(view, expected) for view in (shown, shown + told, told + shown)]
    return expected if expected in views else shown + told
