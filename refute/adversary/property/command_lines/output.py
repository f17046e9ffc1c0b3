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


def copied_workspace() -> tempfile.TemporaryDirectory[str]:
    """The workspace in a folder of the test's own: what a run writes, no other one finds, and yours stays."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    left = shutil.ignore_patterns(".git", ".venv", "venv", "node_modules", "__pycache__")
    shutil.copytree(os.curdir, folder.name, symlinks=True, ignore=left, dirs_exist_ok=True)
    return folder


def run_in(folder: str, words: list[str], stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """A program's run in the folder, which is its home as well; its output kept as text."""
    return subprocess.run(  # noqa: S603  # one of the ticket's programs, in a container
        words,
        input=stdin,
        cwd=folder,
        env={**os.environ, "HOME": folder, **environment},
        encoding="utf-8",
        errors="replace",
        timeout=10,
        capture_output=True,
        check=False,
    )


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


def means(got: str, *expected: str) -> bool:
    """Whether a text is one of those that were written down, where `...` stands for anything, and JSON is a value."""
    shown = "\n".join(lines_of(got))
    for want in ("\n".join(lines_of(one)) for one in expected):
        if re.fullmatch(".*".join(map(re.escape, want.split("..."))), shown, re.DOTALL):
            return True
        try:
            value = json.loads(want)
            if isinstance(value, dict | list) and value == json.loads(shown):
                return True
        except ValueError:
            continue
    return False


def on_terminal(done: subprocess.CompletedProcess[str], expected: str) -> bool:
    """Whether a terminal shows a text: standard output alone, or with standard error before it, behind it, among it."""
    out, err = lines_of(done.stdout), lines_of(done.stderr)
    mixed = bool(out and err) and sorted(out + err) == sorted(lines_of(expected))
    return mixed or any(means("\n".join(view), expected) for view in (out, out + err, err + out))
