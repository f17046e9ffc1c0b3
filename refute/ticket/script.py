"""What a verification script starts: its commands, and the Python files and code that they run."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

import tree_sitter
import tree_sitter_bash

from refute.ticket.changes import is_test_file

_WRAPPERS: Final = frozenset({"env", "exec", "nice", "time", "command", "timeout", "xvfb-run", "stdbuf"})
_RUNNERS: Final = frozenset({"uv", "poetry", "pipenv", "hatch", "pdm", "rye"})
_SHELLS: Final = frozenset({"bash", "sh", "dash", "source", "."})
_BUILD_TOOLS: Final = frozenset({"make", "tox", "nox", "just", "task", "invoke", "npm"})
_PYTHON: Final = re.compile(r"(.*/)?(python|pypy)[\d.]*$|\$\{?(PYTHON|PY)\b.*", re.IGNORECASE)
_PYTEST_VALUE_OPTIONS: Final = frozenset(
    {"-k", "-m", "-p", "-o", "-c", "-n", "-W", "--ignore", "--deselect", "--rootdir"}
)
_HELP: Final = frozenset({"--help", "-h", "--version", "-V", "help", "version"})
_MAX_SCRIPTS: Final = 20
_MAX_SCRIPT_BYTES: Final = 200_000
_MAX_COMMANDS: Final = 1_000
_MAX_LEVELS: Final = 20
"""How far up a command's pipeline and list are followed."""


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
    source = script.encode("utf-8", "replace")[:_MAX_SCRIPT_BYTES]
    language = tree_sitter.Language(tree_sitter_bash.language())
    tree = tree_sitter.Parser(language).parse(source)
    found: list[Command] = []
    # Ancestors are carried along: asking a node for its parent searches from the root every time.
    pending: list[tuple[tree_sitter.Node, tuple[tree_sitter.Node, ...]]] = [(tree.root_node, ())]
    while pending:
        node, above = pending.pop()
        if node.type == "command":
            found.append(_command(node, above, source))
        here = (*above[1 - _MAX_LEVELS :], node)
        pending.extend((child, here) for child in reversed(node.children))
    return tuple(found)


def _command(node: tree_sitter.Node, above: tuple[tree_sitter.Node, ...], source: bytes) -> Command:
    parts = [child for child in node.named_children if child.type not in {"variable_assignment", "file_redirect"}]
    fed = [child for child in parts if child.type == "herestring_redirect"]
    if above and above[-1].type == "redirected_statement":
        fed += [child for child in above[-1].named_children if child.type == "heredoc_redirect"]
    return Command(
        line=node.start_point[0] + 1,
        words=tuple(_word(part) for part in parts if part.type != "herestring_redirect"),
        standard_input="\n".join(_fed(child) for child in fed),
        failure_ignored=_failure_ignored(node, above, source),
    )


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _word(node: tree_sitter.Node) -> str:
    """The word after quote removal."""
    match node.type:
        case "raw_string":
            return _text(node)[1:-1]
        case "string":
            return re.sub(r'\\(["\\$`])', r"\1", _text(node)[1:-1])
        case "concatenation" | "command_name":
            return "".join(_word(child) for child in node.children) if node.children else _text(node)
        case "word":
            return re.sub(r"\\(.)", r"\1", _text(node))
        case _:
            return _text(node)


def _fed(node: tree_sitter.Node) -> str:
    if node.type == "herestring_redirect":
        return "".join(_word(child) for child in node.named_children)
    return "".join(_text(child) for child in node.named_children if child.type == "heredoc_body")


def _failure_ignored(node: tree_sitter.Node, above: tuple[tree_sitter.Node, ...], source: bytes) -> bool:
    for holder in reversed(above):
        if holder.type not in {"pipeline", "redirected_statement", "list", "negated_command"}:
            return False
        if holder.type == "negated_command":
            return True
        rest = source[node.end_byte : min(holder.end_byte, node.end_byte + 200)]
        if holder.type == "list" and re.match(rb"[^&;]*\|\|\s*(true|:|echo\b|exit 0|printf\b)", rest):
            return True
    return False


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
    name, *arguments = _unwrapped(command.words) or [""]
    base = name.rpartition("/")[2]
    if _PYTHON.match(name):
        _python(run, command, arguments, files)
    elif base in {"pytest", "py.test"}:
        _pytest(run, arguments, files)
    elif base == "coverage" and arguments[:1] == ["run"]:
        _python(run, command, [word for word in arguments[1:] if word == "-m" or not word.startswith("-")], files)
    elif base in _SHELLS and arguments:
        return _matching(next((word for word in arguments if not word.startswith("-")), ""), files)
    elif base in _BUILD_TOOLS:
        run.opaque = True
    elif scripts := [path for path in _matching(name, files) if "/" in name]:
        run.programs.extend((path, _only_help(arguments)) for path in scripts)
        return scripts
    return []


def _unwrapped(words: tuple[str, ...]) -> list[str]:
    rest = list(words)
    while rest:
        name = rest[0].rpartition("/")[2]
        if name in _RUNNERS and "run" in rest[1:3]:
            rest = rest[rest.index("run") + 1 :]
        elif name in _WRAPPERS:
            rest = rest[1:]
            while rest and (rest[0].startswith("-") or "=" in rest[0] or re.fullmatch(r"[\d.]+[smh]?", rest[0])):
                rest = rest[1:]
        else:
            break
    return rest


def _only_help(arguments: list[str]) -> bool:
    return bool(arguments) and all(word in _HELP for word in arguments)


def _python(run: ScriptRun, command: Command, arguments: list[str], files: Mapping[str, bytes]) -> None:
    while arguments and re.fullmatch(r"-[bBdEhiIOPqsSuvx]+|-[WX].*", arguments[0]):
        arguments = arguments[1:]
    match arguments:
        case ["-c", code, *_]:
            run.code.append((command.line, code))
        case ["-m", "pytest" | "py.test", *rest]:
            _pytest(run, rest, files)
        case ["-m", "unittest", *rest]:
            _unittest(run, rest, files)
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


def _pytest(run: ScriptRun, arguments: list[str], files: Mapping[str, bytes]) -> None:
    named: list[str] = []
    words = iter(arguments)
    for word in words:
        if word in _PYTEST_VALUE_OPTIONS:
            value = next(words, "")
            if word == "-m" and (deselected := re.fullmatch(r"not (\w+)", value)):
                run.deselected.add(deselected[1])
        elif not word.startswith("-"):
            named.append(word.partition("::")[0])
    if not named:
        run.tests.update(_all_tests(files))
    for name in named:
        run.tests.update(_named_tests(name, files))


def _named_tests(name: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Test files that an argument of pytest stands for; all of them where that cannot be known."""
    below = [path for path in _all_tests(files) if _below(path, name)]
    exact = [] if "$" in name else [path for path in _matching(name, files) if path.endswith(".py")]
    yield from exact or below or _all_tests(files)


def _below(path: str, directory: str) -> bool:
    folded = str(PurePosixPath(directory))
    return folded == "." or path.startswith(f"{folded}/") or f"/{folded}/" in f"/{path}"


def _all_tests(files: Mapping[str, bytes]) -> list[str]:
    return [path for path in files if path.endswith(".py") and is_test_file(path)]


def _unittest(run: ScriptRun, arguments: list[str], files: Mapping[str, bytes]) -> None:
    named = [word for word in arguments if not word.startswith("-") and word != "discover"]
    found = {
        path
        for word in named
        for path in _all_tests(files)
        if f".{word.removesuffix('.py').replace('/', '.')}.".find(
            "." + ".".join(PurePosixPath(path).with_suffix("").parts)
        )
        >= 0
    }
    run.tests.update(found or _all_tests(files))


def _matching(name: str, files: Mapping[str, bytes]) -> list[str]:
    """Files that a path in a script may mean, whatever directory it has changed to."""
    folded = name.removeprefix("./")
    if not folded or folded.startswith("-"):
        return []
    pattern = re.sub(r"\$\{?\w+\}?|\$\([^)]*\)", "*", folded)
    return [path for path in files if fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")]
