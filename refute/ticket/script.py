"""What a verification script starts: its commands, and the Python files and code that they run."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Final

from tree_sitter import Node

from refute.scan.shell.syntax import parse, text_of
from refute.ticket.changes import is_test_file

_WRAPPERS: Final = frozenset(
    {"env", "exec", "nice", "time", "command", "timeout", "xvfb-run", "stdbuf"}
    | {"uv", "poetry", "pipenv", "hatch", "pdm", "rye"}
)
_TESTERS: Final = frozenset({"pytest", "py.test", "unittest"})
_SHELLS: Final = frozenset({"bash", "sh", "dash", "source", "."})
_BUILD_TOOLS: Final = frozenset({"make", "tox", "nox", "just", "task", "invoke", "npm"})
_PYTHON: Final = re.compile(r"(.*/)?(python|pypy)[\d.]*|\$\{?(PYTHON|PY)\b.*", re.IGNORECASE)
_HELP: Final = frozenset({"--help", "-h", "--version", "-V", "help", "version"})
_QUIET: Final = re.compile(r"(true|:|echo|exit 0|printf)(?!\w)")
_NO_WORD: Final = frozenset({"variable_assignment", "file_redirect", "herestring_redirect"})
_PASSING: Final = frozenset({"pipeline", "redirected_statement", "list", "negated_command"})
"""What passes on whether a failure inside is ignored."""
_MAX_SCRIPTS: Final = 20
_MAX_SCRIPT_BYTES: Final = 200_000
_MAX_COMMANDS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a shell script, unquoted; expansions stay as written."""

    line: int
    words: tuple[str, ...]
    standard_input: str = ""
    """Its here-document or here-string."""
    failure_ignored: bool = False
    """Negated, or followed by `|| true` and the like."""


@dataclass(slots=True, kw_only=True)
class ScriptRun:
    """What a verification script runs, as far as it can be read."""

    tests: set[str] = field(default_factory=set)
    """Paths of test files; too many rather than too few."""
    code: list[tuple[int, str]] = field(default_factory=list)
    """Python text with the line of the script where it stands."""
    programs: list[tuple[str, bool]] = field(default_factory=list)
    """Other files or modules that are started, and whether only for their help or version."""
    deselected: set[str] = field(default_factory=set)
    """Marks that `-m "not mark"` leaves out."""
    opaque: bool = False
    """It starts something (make, tox, …) that may run anything."""


def read_commands(script: str) -> tuple[Command, ...]:
    """All commands of a shell script in order, also those of functions, subshells and substitutions."""
    root = parse(script.encode("utf-8", "replace")[:_MAX_SCRIPT_BYTES])
    found: list[Command] = []
    pending = [(root, root, False)]
    while pending:
        node, parent, ignored = pending.pop()
        if node.type == "command":
            words = tuple(_unquoted(child) for child in node.named_children if child.type not in _NO_WORD)
            fed = _fed(node) or _fed(parent)
            found.append(
                Command(line=node.start_point[0] + 1, words=words, standard_input=fed, failure_ignored=ignored)
            )
        kept = node.type == "negated_command" or (ignored and node.type in _PASSING)
        first = node.children[0] if _is_quiet(node) else None
        pending += [(child, node, kept or child == first) for child in reversed(node.children)]
    return tuple(found)


def _is_quiet(node: Node) -> bool:
    """`… || true` and the like."""
    return node.type == "list" and node.children[1].type == "||" and bool(_QUIET.match(text_of(node.children[2])))


def _unquoted(node: Node) -> str:
    try:
        return " ".join(shlex.split(text_of(node)))
    except ValueError:  # a quote inside an expansion
        return text_of(node)


def _fed(node: Node) -> str:
    """What the here-document or here-string at a command, or at the statement around it, holds."""
    bodies = [body for one in node.children if one.type == "heredoc_redirect" for body in one.named_children]
    texts = [text_of(body) for body in bodies if body.type == "heredoc_body"]
    texts += [_unquoted(one.named_children[0]) for one in node.children if one.type == "herestring_redirect"]
    return "\n".join(texts)


def what_runs(script_path: str, files: Mapping[str, bytes]) -> ScriptRun:
    """Follow a script, and the scripts that it starts, to the Python that runs.

    Args:
        script_path: path of the script among `files`.
        files: content of the workspace.
    """
    run = ScriptRun()
    pending, seen = [script_path], set[str]()
    while pending and len(seen) < _MAX_SCRIPTS:
        path = pending.pop()
        if path in seen or path not in files:
            continue
        seen.add(path)
        commands = read_commands(files[path].decode("utf-8", "replace"))
        run.opaque = run.opaque or len(commands) > _MAX_COMMANDS
        for command in commands[:_MAX_COMMANDS]:
            pending += _follow(run, command, files)
    return run


def _follow(run: ScriptRun, command: Command, files: Mapping[str, bytes]) -> list[str]:
    """Note what one command runs; returns the scripts that it starts."""
    wrapped = command.words[:1] and command.words[0].rpartition("/")[2] in _WRAPPERS
    for index, word in enumerate(command.words if wrapped else command.words[:1]):
        base, rest = word.rpartition("/")[2], list(command.words[index + 1 :])
        if _PYTHON.fullmatch(word):
            _python(run, command, rest, files)
        elif base in _TESTERS:
            _tests(run, rest, files)
        elif base == "coverage" and rest[:1] == ["run"]:
            _python(run, command, [one for one in rest[1:] if one == "-m" or not one.startswith("-")], files)
        elif base in _BUILD_TOOLS:
            run.opaque = True
        elif base in _SHELLS:
            return _matching(next((one for one in rest if not one.startswith("-")), ""), files)
        elif "/" in word and (scripts := _matching(word, files)):
            run.programs.extend((path, _only_help(rest)) for path in scripts)
            return scripts
        else:
            continue
        break
    return []


def _only_help(arguments: list[str]) -> bool:
    return bool(arguments) and all(word in _HELP for word in arguments)


def _python(run: ScriptRun, command: Command, arguments: list[str], files: Mapping[str, bytes]) -> None:
    while arguments and re.fullmatch(r"-[bBdEhiIOPqsSuvx]+|-[WX].*", arguments[0]):
        arguments = arguments[2 if arguments[0] in {"-W", "-X"} else 1 :]
    match arguments:
        case ["-c", code, *_]:
            run.code.append((command.line, code))
        case ["-m", tester, *rest] if tester in _TESTERS:
            _tests(run, rest, files)
        case ["-m", "coverage", "run", *rest]:
            _python(run, command, rest, files)
        case ["-m", module, *rest]:
            run.programs.append((module, _only_help(rest)))
        case [] | ["-", *_]:
            run.code.append((command.line, command.standard_input))
        case [path, *rest]:
            for found in _matching(path, files):
                run.programs.append((found, _only_help(rest)))
                run.tests.add(found)


def _tests(run: ScriptRun, arguments: list[str], files: Mapping[str, bytes]) -> None:
    """Tests that pytest or unittest runs: those that its arguments name, all of them where they name none."""
    every = [path for path in files if path.endswith(".py") and is_test_file(path)]
    run.tests.update({path for word in arguments for path in every if _names(word, path)} or every)
    for option, value in pairwise(arguments):
        if option == "-m" and (left_out := re.fullmatch(r"not (\w+)", value)):
            run.deselected.add(left_out[1])


def _names(word: str, path: str) -> bool:
    """Whether an argument names a test file or a directory above it: by its path, or dotted."""
    name = _pattern(word.partition("::")[0].rstrip("/"))
    dotted = name.replace(".", "/")
    patterns = (f"*/{name}", f"*/{name}/*", f"*/{dotted}.py", f"*/{dotted}/*")
    return name == "." or (bool(name) and any(fnmatchcase(f"/{path}", pattern) for pattern in patterns))


def _pattern(path: str) -> str:
    """A path of a script as a glob, whatever its expansions give; empty where it is an option."""
    return "" if path.startswith("-") else re.sub(r"\$\{?\w+\}?|\$\([^)]*\)", "*", path.removeprefix("./"))


def _matching(path: str, files: Mapping[str, bytes]) -> list[str]:
    """Files that a path in a script may mean, whatever directory it has changed to."""
    pattern = _pattern(path)
    return [one for one in files if pattern and fnmatchcase(f"/{one}", f"*/{pattern}")]
