"""Breaches of the rules of a verification script: notes for its author, never refutations."""

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from refute.ticket.mocks import imported_names
from refute.ticket.modules import implementation_modules
from refute.ticket.record import Ticket
from refute.ticket.script import Command, ScriptRun, read_commands, what_runs
from refute.ticket.suite import read_python

_OUTSIDE: Final = re.compile(r"(?<![\w.])(/home/|/Users/|/root/|~/|\$HOME\b|\$\{HOME\}|C:\\)")
_IMPORT_ERRORS: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_MAX_NOTES: Final = 20


def check_verification_script(ticket: Ticket, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Breaches of the rules that the template of `refute ticket new` prints; notes, never refutations.

    Args:
        ticket: names the script.
        files: content of the snapshot.
    """
    path = ticket.verification_script
    text = files.get(path, b"").decode("utf-8", "replace")
    run = what_runs(path, files)
    commands = read_commands(text)
    notes = [*_guarded_imports(path, run, files), *_swallowed(path, text, commands)]
    if not _smoke_tested(ticket, run, commands):
        notes.append(f"{path}: starts nothing as a smoke test, expected `--help` or the like")
    if not run.tests - {*ticket.implementation_files} and not run.opaque and not any(map(_runs_doctests, commands)):
        notes.append(f"{path}: runs no unit or integration test, expected e.g. `python -m pytest`")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.lstrip().startswith("#") and (match := _OUTSIDE.search(line)):
            notes.append(f"{path}:{number}: names {match[1]}, expected nothing but the workspace")
    if "\r\n" in text:
        notes.append(f"{path}: has Windows line ends, which bash takes for a part of each command")
    return tuple(dict.fromkeys(notes))[:_MAX_NOTES]


def _runs_doctests(command: Command) -> bool:
    words = command.words
    return "--doctest-modules" in words or ("-m", "doctest") in pairwise(words)


def _smoke_tested(ticket: Ticket, run: ScriptRun, commands: tuple[Command, ...]) -> bool:
    """Something of the implementation is started: its help, a line of Python that calls it, or the program itself."""
    if any(word in {"--help", "-h", "--version"} for command in commands for word in command.words) or run.programs:
        return True
    names = {module.name.partition(".")[0] for module in implementation_modules(ticket)}
    trees = [tree for _, code in run.code if (tree := read_python(code.encode("utf-8", "replace")))]
    called = any(isinstance(node, ast.Call) for tree in trees for node in ast.walk(tree))
    return called and any(
        origin.partition(".")[0] in names for tree in trees for origin in imported_names(tree).values()
    )


def _guarded_imports(path: str, run: ScriptRun, files: Mapping[str, bytes]) -> Iterator[str]:
    sources = [(f"{path}:{line}", code.encode("utf-8", "replace")) for line, code in run.code]
    sources += [(name, files[name]) for name in sorted(run.tests)]
    for name, data in sources:
        tree = read_python(data)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Try) and _guards_import(node):
                place = name if name.startswith(f"{path}:") else f"{name}:{node.lineno}"
                yield f"{place}: an import stands in try/except, expected a plain one that fails loudly"


def _guards_import(node: ast.Try) -> bool:
    caught = {
        part.id
        for handler in node.handlers
        for part in (ast.walk(handler.type) if handler.type else [ast.Name(id="BaseException")])
        if isinstance(part, ast.Name)
    }
    return bool(caught & _IMPORT_ERRORS) and any(isinstance(part, ast.Import | ast.ImportFrom) for part in node.body)


def _swallowed(path: str, text: str, commands: tuple[Command, ...]) -> Iterator[str]:
    """Failures that change nothing, without a line that says why."""
    lines = text.splitlines()
    for command in commands:
        nearby = "\n".join(lines[max(0, command.line - 2) : command.line])
        if command.failure_ignored and not re.search(r"#\s*expect-fail:\s*\S", nearby):
            said = PurePosixPath(command.words[0]).name if command.words else "a command"
            yield f"{path}:{command.line}: a failure of {said} is ignored, expected `# expect-fail: reason` before it"
        if command.words[:2] == ("set", "+e"):
            yield f"{path}:{command.line}: `set +e` ignores all failures, expected `# expect-fail: reason` at each one"
