"""`refute ticket new`: a commented ticket and verification script to fill in, also from what changed since a commit."""

import ast
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Final

from refute.errors import UsageError
from refute.python_syntax import UNPARSABLE, parse_python
from refute.ticket.changes import Change, change_since, is_test_file
from refute.ticket.fields import PLACEHOLDER
from refute.ticket.modules import detect_import_roots, module_name

_MAX_CLAIMS: Final = 8
_MAX_FILES: Final = 20
_MAX_HINT_CHARS: Final = 100
_SKIPPED_NAMES: Final = frozenset({"setup.py", "conftest.py", "noxfile.py", "__init__.py", "__main__.py"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """What is known about the change before its author writes the ticket."""

    workspace: Path
    directory: Path
    change: Change
    claims: tuple[str, ...] = ()

    @property
    def roots(self) -> tuple[str, ...]:
        return detect_import_roots(self.workspace, self.change.implementation_files)

    @property
    def modules(self) -> tuple[str, ...]:
        named = (module_name(path, self.roots) for path in self.change.implementation_files)
        return tuple(name for name in named if name is not None)


def scaffold_ticket(directory: Path, *, from_git: str | None, claims: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """Write `ticket.yaml` and `verify.sh` into a directory, which is made where it is missing.

    Args:
        directory: where the ticket will stand; with `from_git` it lies in the checkout, whose top is the workspace.
        from_git: a commit; the ticket is about what changed since the branch left it, committed or not.
        claims: what is claimed already; empty: a placeholder for each public function.

    Returns:
        The files written.

    Raises:
        UsageError: one of the files exists, or git knows no such commit.
    """
    directory = directory.resolve()
    files = (directory / "ticket.yaml", directory / "verify.sh")
    if there := [str(file) for file in files if os.path.lexists(file)]:
        raise UsageError(
            f"{' and '.join(there)}: exists, expected a directory without a ticket",
            hint="Nothing was written. Name another directory.",
        )
    start = _from_git(directory, from_git) if from_git is not None else _from_directory(directory)
    start = replace(start, claims=claims)
    texts = (_ticket_text(start), _script_text(start))
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for file, text, mode in zip(files, texts, (0o666, 0o777), strict=True):
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be written: {error.strerror}") from error
    return files


def _from_git(directory: Path, base: str) -> _Start:
    there = next(parent for parent in (directory, *directory.parents) if parent.is_dir())
    workspace, change = change_since(there, base)
    return _Start(workspace=workspace, directory=directory, change=change)


def _from_directory(directory: Path) -> _Start:
    found = sorted(path.name for path in directory.glob("*.py")) if directory.is_dir() else []
    code = [name for name in found if not is_test_file(name) and name not in _SKIPPED_NAMES]
    tests = [name for name in found if is_test_file(name)]
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", directory.name).strip("-._")[:64]
    change = Change(
        ticket_id=slug or "TCK-1",
        title=f"{PLACEHOLDER}: one line that names the change",
        implementation_files=tuple(code[:_MAX_FILES]),
        test_files=tuple(tests),
    )
    return _Start(workspace=directory, directory=directory, change=change)


def _ticket_text(start: _Start) -> str:
    here = PurePosixPath(os.path.relpath(start.directory, start.workspace))
    files = start.change.implementation_files
    before = "the tree before the change: a commit, or a directory of the workspace"
    values = {
        "here": _hint(str(start.directory)),
        "id": _quoted(start.change.ticket_id),
        "title": _quoted(start.change.title),
        "workspace": _quoted(os.path.relpath(start.workspace, start.directory)),
        "implementation_files": "".join(f"\n  - {_quoted(path)}" for path in files)
        or " []  # REPLACE ME: at least one",
        "verification_script": _quoted(str(here / "verify.sh")),
        "claims": "\n".join(_claim_lines(start)),
        "base": f"base: {_quoted(start.change.base)}  # {before}" if start.change.base else f"# base: main  # {before}",
    }
    return _filled("ticket.yaml", values)


def _claim_lines(start: _Start) -> Iterable[str]:
    """The claims, else a placeholder for each public function, with what its docstring promises as a hint."""
    if start.claims:
        yield from (f"  - {_quoted(claim)}" for claim in start.claims)
        return
    names = [name for path in start.change.implementation_files for name in _public_names(start.workspace / path)]
    for signature, promise in names[:_MAX_CLAIMS]:
        name = signature.partition("(")[0]
        yield f"  # {signature}: {promise}" if promise else f"  # {signature}"
        yield "  - " + _quoted(f"{PLACEHOLDER}: what {name} gives for which input, and what never happens")
    if not names:
        yield "  - " + _quoted(f"{PLACEHOLDER}: what the change gives for which input")


def _public_names(file: Path) -> Iterable[tuple[str, str]]:
    """Signature and first docstring line of what a module offers; nothing where it cannot be parsed."""
    try:
        tree = parse_python(file.read_bytes())
    except (OSError, *UNPARSABLE):
        return
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        arguments = "" if isinstance(node, ast.ClassDef) else f"({ast.unparse(node.args)})"
        lines = (ast.get_docstring(node) or "").splitlines()
        yield _hint(node.name + arguments), _hint(lines[0] if lines else "")


def _hint(text: str) -> str:
    """Fit for a YAML comment: one printable line."""
    return "".join(char for char in text if char.isprintable())[:_MAX_HINT_CHARS]


def _script_text(start: _Start) -> str:
    up = os.path.relpath(start.workspace, start.directory)
    roots = [root for root in start.roots if root != "."]
    modules = start.modules or (f"{PLACEHOLDER.replace(' ', '_')}",)
    tests = " ".join(_shell(path) for path in start.change.test_files) or "tests"
    values = {
        "title": _hint(start.change.title),
        "to_workspace": "" if up == "." else f"/{up}",
        "path_setting": f"export PYTHONPATH={_shell(':'.join(roots))}\n" if roots else "",
        "imports": "\n".join(f"python -c 'import {name}'" for name in modules),
        "smoke": f"python -c 'import {modules[0]}; help({modules[0]})' > /dev/null",
        "tests": f"python -m pytest -q -p no:cacheprovider {tests}",
    }
    return _filled("verify.sh", values)


def _filled(name: str, values: Mapping[str, str]) -> str:
    template = resources.files("refute.ticket").joinpath("template", name).read_text(encoding="utf-8")
    return re.sub(r"@([a-z_]+)@", lambda match: values[match[1]], template)


def _quoted(text: str) -> str:
    """A YAML scalar that reads back as the text (JSON strings are YAML)."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _shell(path: str) -> str:
    return path if re.fullmatch(r"[\w./:-]+", path, re.ASCII) else "'" + path.replace("'", "'\\''") + "'"
