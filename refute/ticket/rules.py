"""What is wrong with how an author verified: breaches of the script's rules, and integration tests that mock."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from refute.ticket.integration import Reach, claims_tested_integration
from refute.ticket.mocks import imported_names
from refute.ticket.modules import implementation_modules
from refute.ticket.record import ClaimId, Ticket
from refute.ticket.script import Command, ScriptRun, read_commands, what_runs
from refute.ticket.suite import Unit, read_python, read_units

_OUTSIDE: Final = re.compile(r"(?<![\w.])(/home/|/Users/|/root/|~/|\$HOME\b|\$\{HOME\}|C:\\)")
_IMPORT_ERRORS: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_MAX_EVIDENCE: Final = 10
_MAX_NOTES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MockEvidence:
    """A place where a test replaces what a claim says was tested for real."""

    path: str
    line: int
    what: str
    """The call as written."""
    claim_id: ClaimId


def find_mocked_integration(ticket: Ticket, files: Mapping[str, bytes]) -> tuple[MockEvidence, ...]:
    """Claims of tested integration that the author's own tests give the lie to.

    A claim is exposed only where tests that the verification script runs reach the integration, all of them with
    mocks, none of them gets past its mocks to anything outside, and nothing else that the script starts does.

    Args:
        ticket: with its claims.
        files: content of the snapshot.

    Returns:
        Evidence for each exposed claim, at most ten places each; empty where there is any doubt.
    """
    claims = [claim for claim in ticket.claims if claims_tested_integration(claim.text)]
    run = what_runs(ticket.verification_script, files) if claims else ScriptRun()
    if not claims or run.opaque:
        return ()
    units = _units(run, files)
    reach = Reach(ticket=ticket, files=files, mocks=tuple(mock for unit in units for mock in unit.mocks))
    running = [unit for unit in units if unit.runs]
    touching = [unit for unit in running if reach.touched_by(unit)]
    if not touching or not all(unit.mocks for unit in touching) or _started_for_real(ticket, run):
        return ()
    if any(reach.integrated_by(unit) for unit in running):
        return ()
    mocks = {(unit.path, mock.line, mock.what): mock for unit in touching for mock in unit.mocks}
    # What names its target shows best what was replaced; bare mock objects stand for it only where nothing else does.
    targeted = {place for place, mock in mocks.items() if mock.target}
    places = sorted(targeted or mocks)[:_MAX_EVIDENCE]
    return tuple(
        MockEvidence(path=path, line=line, what=what, claim_id=claim.id)
        for claim in claims
        for path, line, what in places
    )


def _units(run: ScriptRun, files: Mapping[str, bytes]) -> list[Unit]:
    started = {path for path, _ in run.programs}
    inline = {f"<line {line}>": code.encode("utf-8", "replace") for line, code in run.code}
    units = [
        unit
        for path in sorted(run.tests)
        for unit in read_units(path, files, deselected=run.deselected, as_program=path in started)
    ]
    return units + [unit for path in inline for unit in read_units(path, {**files, **inline}, as_program=True)]


def _started_for_real(ticket: Ticket, run: ScriptRun) -> bool:
    """Whether the script starts the implementation itself, for more than its help."""
    names = {*ticket.implementation_files, *(module.name for module in implementation_modules(ticket))}
    packages = {name.removesuffix(".__main__").rpartition(".")[0] for name in names if name.endswith(".__main__")}
    packages |= {module.name.partition(".")[0] for module in implementation_modules(ticket)}
    return any(not only_help and program in names | packages for program, only_help in run.programs)


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
