"""`refute ticket new`: a commented ticket and verification script to fill in, also from what changed since a commit."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath
from textwrap import shorten
from typing import Final

from refute.errors import UsageError
from refute.ticket.changes import NO_IMPLEMENTATION, Change, change_since, is_test_file, slug
from refute.ticket.fields import PLACEHOLDER
from refute.ticket.modules import detect_import_roots, module_name
from refute.ticket.suggestions import Suggestion, imported, is_program, names_of, reached, suggest, suggest_for_program

_MAX_CLAIMS: Final = 8
_MAX_FILES: Final = 20
_SKIPPED_NAMES: Final = NO_IMPLEMENTATION | {"__init__.py", "__main__.py"}
_PYTEST_SETTINGS: Final = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """What is known about the change before its author writes the ticket."""

    workspace: Path
    directory: Path
    change: Change
    claims: tuple[str, ...]
    sources: Mapping[str, bytes]
    """The implementation files' contents; empty for one that cannot be read."""

    @property
    def roots(self) -> tuple[str, ...]:
        return detect_import_roots(self.workspace, self.change.implementation_files)

    @property
    def modules(self) -> tuple[str, ...]:
        named = (module_name(path, self.roots) for path in self.change.implementation_files)
        return tuple(name for name in named if name is not None)

    @property
    def kind(self) -> str:
        programs = self.sources and all(map(is_program, self.sources.values()))
        return "cli" if programs and not self._has_tested_functions() else "python"

    @property
    def tests(self) -> tuple[str, ...]:
        """Tests that exist: those that changed, else the project's."""
        there = [name for name in ("tests", "test") if (self.workspace / name).is_dir()]
        beside = sorted(path.name for path in self.workspace.glob("test_*.py"))
        return self.change.test_files or tuple(there or beside)

    def _has_tested_functions(self) -> bool:
        """Whether tests call more of the files than their `main`: such a file is a library, whatever else it is."""
        places = [self.workspace / name for name in self.tests]
        files = (file for place in places for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place]))
        used = set().union(*(reached(_content(file)) for file in files))
        ends = {(name.partition(".")[0], name.rpartition(".")[2]) for name in used}  # as a package may pass names on
        return any(
            ((module_name(path, self.roots) or "").partition(".")[0], name) in ends
            for path, source in self.sources.items()
            for name in names_of(source) - {"main"}
        )

    @property
    def needs(self) -> tuple[str, ...]:
        """Modules that neither Python nor the workspace has: whoever runs the code must install them."""
        places = [self.workspace / root for root in self.roots]
        wanted = set().union(*map(imported, self.sources.values())) - sys.stdlib_module_names
        there = {
            name for name in wanted for place in places if (place / name).is_dir() or (place / f"{name}.py").is_file()
        }
        return tuple(sorted(wanted - there))

    @property
    def suggestions(self) -> Iterator[Suggestion]:
        if self.kind == "cli":
            yield from map(suggest_for_program, self.sources)
            return
        before = self.change.before
        public_first = sorted(self.sources.items(), key=lambda item: re.search(r"(?:\A|/)_(?!_)", item[0]) is not None)
        known = Counter(name for source in self.sources.values() for name in names_of(source))
        several = {name for name, files in known.items() if files > 1}
        for path, source in public_first:
            module = (module_name(path, self.roots) or "").rpartition(".")[2]
            yield from suggest(source, before.get(path, b""), module=module, ambiguous=several)


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
    workspace, change = _from_git(directory, from_git) if from_git is not None else _from_directory(directory)
    sources = {path: _content(workspace / path) for path in change.implementation_files}
    start = _Start(workspace=workspace, directory=directory, change=change, claims=claims, sources=sources)
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


def _from_git(directory: Path, base: str) -> tuple[Path, Change]:
    there = next(parent for parent in (directory, *directory.parents) if parent.is_dir())
    return change_since(there, base)


def _from_directory(directory: Path) -> tuple[Path, Change]:
    found = sorted(path.name for path in directory.glob("*.py")) if directory.is_dir() else []
    code = [name for name in found if not is_test_file(name) and name not in _SKIPPED_NAMES]
    tests = [name for name in found if is_test_file(name)]
    change = Change(
        ticket_id=slug(directory.name) or "TCK-1",
        title=f"{PLACEHOLDER}: one line that names the change",
        implementation_files=tuple(code[:_MAX_FILES]),
        test_files=tuple(tests),
    )
    return directory, change


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
        "needs": f", as it imports {', '.join(start.needs)}" if start.needs else "",
        "kind": f"{start.kind:<6}",
        "claims": "\n".join(_claim_lines(start)),
        "base": f"base: {_quoted(start.change.base)}  # {before}" if start.change.base else f"# base: main  # {before}",
    }
    return _filled("ticket.yaml", values)


def _claim_lines(start: _Start) -> Iterable[str]:
    """The claims, else one to start from for each public function that changed; of many the new ones first."""
    if start.claims:
        yield from (f"  - {_quoted(claim)}" for claim in start.claims)
        return
    found = list(start.suggestions)
    if len(found) > _MAX_CLAIMS:
        found.sort(key=lambda one: not one.is_new)
    for one in found[:_MAX_CLAIMS]:
        yield f"  # {one.about}"
        yield f"  - {'text: ' if one.fields else ''}{_quoted(one.claim)}"
        yield from (f"    {line}" for line in one.fields)
    if more := [one.about.partition("(")[0] for one in found[_MAX_CLAIMS:]]:
        named = shorten(", ".join(more), 300, placeholder=" …")
        yield f"  # {len(more)} more changed, and no claim says anything of them yet: {named}"
    if not found:
        yield "  - " + _quoted(f"{PLACEHOLDER}: what the change gives for which input")


def _hint(text: str) -> str:
    """Fit for a YAML comment: one printable line."""
    return "".join(char for char in text if char.isprintable())[:100]


def _script_text(start: _Start) -> str:
    up = os.path.relpath(start.workspace, start.directory)
    roots = [root for root in start.roots if root != "."]
    modules = start.modules or (f"{PLACEHOLDER.replace(' ', '_')}",)
    values = {
        "title": _hint(start.change.title),
        "to_workspace": "" if up == "." else f"/{up}",
        "path_setting": f"export PYTHONPATH={_shell(':'.join(roots))}\n" if roots else "",
        "imports": "\n".join(f"python -c 'import {name}'" for name in modules),
        "smoke": _smoke(start, next((name for name in modules if not name.endswith("__")), modules[0])),
        "tests": _tests(start),
    }
    return _filled("verify.sh", values)


def _smoke(start: _Start, module: str) -> str:
    if start.kind == "cli":
        return "\n".join(f"python {_shell(path)} --help > /dev/null" for path in start.change.implementation_files)
    return f"python -c 'import {module}; help({module})' > /dev/null"


def _tests(start: _Start) -> str:
    """A command that runs the tests that exist."""
    tests = " ".join(map(_shell, start.tests))
    command = "python -m pytest -q -p no:cacheprovider"
    if any(b"addopts" in _content(start.workspace / name) for name in _PYTEST_SETTINGS):
        command += " -o addopts="  # the project's own may name plugins (--cov, -n) that the container has not
    return f"{command} {tests}" if tests else f"# No tests were found. Write some and run them here:  {command} tests"


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _filled(name: str, values: Mapping[str, str]) -> str:
    template = resources.files("refute.ticket").joinpath("template", name).read_text(encoding="utf-8")
    return re.sub(r"@([a-z_]+)@", lambda match: values[match[1]], template)


def _quoted(text: str) -> str:
    """A YAML scalar that reads back as the text (JSON strings are YAML)."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _shell(path: str) -> str:
    return path if re.fullmatch(r"[\w./:-]+", path, re.ASCII) else "'" + path.replace("'", "'\\''") + "'"
