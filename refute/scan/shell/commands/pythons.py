"""Python as a command: its own options, modules, and the tools that run tests."""

import re
from typing import Final

from refute.scan import hosts, paths
from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.shell.call import Call
from refute.scan.shell.commands.interpreters import from_stdin, note_run, run_file, run_text
from refute.scan.shell.options import split_options
from refute.scan.symbols import UNKNOWN

_PYTHONS: Final = ("python", "pypy", "ipython")


_MODULES: Final = {"pip": "pip", "pipx": "pipx", "uv": "uv", "ensurepip": "pip"}


def _python(call: Call) -> str:
    _note_customisation(call)
    words = call.argv[1:]
    index = 0
    while index < len(words):
        word = words[index]
        if word in {"-W", "-X", "--check-hash-based-pycs"}:
            index += 2
        elif re.fullmatch(r"-[a-zA-Z]*c", word) and index + 1 < len(words):
            run_text(call, words[index + 1], Language.PYTHON)
            return UNKNOWN
        elif re.fullmatch(r"-[a-zA-Z]*c.+", word) and word[1] in "cBEIOSsuqx":
            run_text(call, word.partition("c")[2], Language.PYTHON)
            return UNKNOWN
        elif re.fullmatch(r"-[a-zA-Z]*m", word) and index + 1 < len(words):
            return _module(call, words[index + 1], words[index + 2 :])
        elif word == "-":
            break
        elif word.startswith("-"):
            index += 1
        else:
            return run_file(call, word, Language.PYTHON, words[index + 1 :])
    return from_stdin(call, Language.PYTHON)


def _note_customisation(call: Call) -> None:
    """Note what Python runs by itself from the directories that the script puts on its path."""
    for directories in call.walker.scope.variables.get("PYTHONPATH", ()):
        for directory in directories.split(":"):
            for name in ("sitecustomize.py", "usercustomize.py"):
                note_run(call, f"{directory}/{name}", Language.PYTHON)


def _module(call: Call, module: str, arguments: list[str]) -> str:
    from refute.scan.shell.dispatch import dispatch  # noqa: PLC0415 - the two need each other

    if module in _MODULES:
        return dispatch(Call(call.walker, [_MODULES[module], *arguments], call.node, call.stdin))
    if module == "http.server":
        options = split_options(arguments, "bdp", frozenset({"bind", "directory", "protocol"}), mixed=True)[0]
        directory = (options.get("directory") or options.get("d") or ["."])[0]
        address = (options.get("bind") or options.get("b") or [""])[0]
        # Serving the workspace to whoever shares the sandbox's empty network is how authors test a client.
        own = paths.inside_or_temporary(paths.locate(directory, call.walker.scope.cwd))
        if not (own and hosts.binds_locally(address)):
            call.act.add("network-listen", severity=Severity.MEDIUM if own else Severity.HIGH)
    elif module in {"pytest", "py.test"}:
        return _pytest(Call(call.walker, ["pytest", *arguments], call.node, call.stdin))
    elif module in {"unittest", "coverage", "doctest", "pdb", "cProfile", "trace", "timeit", "runpy"}:
        return _python_tool(Call(call.walker, [module, *arguments], call.node, call.stdin))
    else:
        path = module.replace(".", "/")
        for candidate in (f"{path}.py", f"{path}/__main__.py"):
            note_run(call, candidate, Language.PYTHON)
    return UNKNOWN


def _pytest(call: Call) -> str:
    options, words = split_options(call.argv[1:], "kmpcoWnrd", mixed=True)
    operands = [word.partition("::")[0] for word in words]
    for plugin in options.get("p", []):
        note_run(call, plugin.replace(".", "/") + ".py", Language.PYTHON)
    for path in operands or ["."]:
        note_run(call, path, "tests")
    return UNKNOWN


def _python_tool(call: Call) -> str:
    name, *words = call.argv
    if name == "timeit":
        for word in split_options(words, "nrsu")[1]:
            run_text(call, word, Language.PYTHON)
        return UNKNOWN
    if name == "coverage" and words[:1] == ["run"]:
        return (
            _python(
                Call(
                    call.walker,
                    ["python", *split_options(words[1:], "", frozenset({"source", "omit", "include", "rcfile"}))[1]],
                    call.node,
                    "",
                )
            )
            if "-m" not in words
            else _module(call, words[words.index("-m") + 1], words[words.index("-m") + 2 :])
        )
    for path in words:
        if path.endswith(".py") or (name == "unittest" and re.fullmatch(r"[\w.]+", path) and path != "discover"):
            file = path if path.endswith(".py") else path.replace(".", "/") + ".py"
            note_run(call, file, Language.PYTHON)
    if name == "unittest" and (not words or "discover" in words):
        options = split_options(words, "spt", mixed=True)[0]
        start = (options.get("s") or ["."])[0]
        note_run(call, start, "tests")
        for pattern in options.get("p", []):
            note_run(call, f"{start}/{pattern}", Language.PYTHON)
    return UNKNOWN


COMMANDS: Final = {
    **dict.fromkeys(_PYTHONS, _python),
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    **dict.fromkeys(("coverage", "unittest", "doctest"), _python_tool),
}
