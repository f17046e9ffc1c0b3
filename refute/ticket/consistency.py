"""Whether a ticket document and its workspace agree, checked as far as the document can be read at all."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from refute.ticket.document import Fault, FieldPath
from refute.ticket.fields import shown
from refute.ticket.schema import TicketModel

_MAX_TEXT_FILES: Final = 200
_MAX_TEXT_BYTES: Final = 200_000
_INTERPRETERS: Final = re.compile(r"(?:ba|da|a)?sh|python[\d.]*")
"""What the sandbox runs a verification script with, by the name in its first line."""


def workspace_faults(value: Any, *, base: Path) -> Iterator[Fault]:
    """The workspace or the files of a document's value that do not exist.

    Args:
        value: what the document holds, valid or not.
        base: the directory that `workspace` is relative to.
    """
    if not isinstance(value, dict):
        return
    name = value.get("workspace")
    workspace = base / (name if isinstance(name, str) and "\0" not in name else ".")
    if not os.path.isdir(workspace):  # noqa: PTH112  # Path.is_dir raises for names that no file system can take
        expected = f"a directory relative to {base.resolve()}"
        what = "is no directory" if os.path.lexists(workspace) else "does not exist"
        yield Fault(path=("workspace",), message=f"got {shown(name)}, which {what}, expected {expected}")
        return
    for path, file in _paths(value):
        yield from _path_faults(workspace, path, file)


def _paths(value: dict[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    for name in ("verification_script", "previous"):
        if isinstance(value.get(name), str):
            yield (name,), value[name]
    for name in ("implementation_files", "import_roots"):
        entries = value.get(name)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, str):
                yield (name, index), entry


def _path_faults(workspace: Path, path: FieldPath, name: str) -> Iterator[Fault]:
    if not name.strip() or name.startswith("/") or "\0" in name or ".." in name.split("/") or "\\" in name:
        return  # said by the field's own check
    try:
        there = workspace / name
        directory, file = there.is_dir(), there.is_file() or os.path.lexists(there)
    except (OSError, ValueError):
        directory = file = False
    if path[0] == "import_roots":
        if not directory:
            yield Fault(path=path, message=f"got {shown(name)}, expected a directory in {workspace.resolve()}")
    elif directory:
        yield Fault(path=path, message=f"got {shown(name)}, a directory, expected a file")
    elif not file:
        yield Fault(path=path, message=f"got {shown(name)}, expected an existing file in {workspace.resolve()}")
    elif path == ("verification_script",):
        yield from _interpreter_faults(there, path, name)


def _interpreter_faults(script: Path, path: FieldPath, name: str) -> Iterator[Fault]:
    """Only shell and Python are scanned and run: a script for anything else must not be run as one of these."""
    interpreter = _interpreter(_head(script).lstrip("\ufeff").partition("\n")[0])
    if interpreter and not _INTERPRETERS.fullmatch(interpreter):
        message = f"got {shown(name)}, a script for {shown(interpreter)} by its first line, expected bash, sh or python"
        yield Fault(path=path, message=f"{message}: start the rest from a shell script")


def _interpreter(first_line: str) -> str:
    """The program that `#!/path/to/program` or `#!/usr/bin/env program` names; empty without such a line."""
    words = first_line.removeprefix("#!").split() if first_line.startswith("#!") else []
    names = [word.rpartition("/")[2] for word in words]
    if names[:1] == ["env"]:
        return next((name for name in names[1:] if not name.startswith("-") and "=" not in name), "")
    return names[0] if names else ""


def author_text(model: TicketModel, workspace: Path) -> str:
    """What the author wrote that may show how they import their modules: claims, script, tests, implementation."""
    parts = [claim.text for claim in model.claims] + [line for claim in model.claims for line in claim.examples]
    files = [workspace / name for name in (model.verification_script, *model.implementation_files)]
    for pattern in ("test*.py", "*_test.py", "tests/**/*.py", "test/**/*.py"):
        files += sorted(workspace.glob(pattern))
    return "\n".join([*parts, *(_head(file) for file in files[:_MAX_TEXT_FILES])])


def _head(file: Path) -> str:
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as stream:
            return stream.read(_MAX_TEXT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
