"""Commands that run code: shells, Python, other languages, build tools, files of the workspace."""

import re
from typing import Final

from refute.scan.core import hosts, paths, places
from refute.scan.core.effects import Effects, Eval, Flag, Reach, Read, Run, RunFile, Write
from refute.scan.core.makefile import recipes_as_shell
from refute.scan.core.symbols import DERIVED, DOWNLOAD, HOME, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.options import split_options
from refute.scan.shell.rows import flags_of, split
from refute.scan.shell.state import Call

_MODULES: Final = {"pip": "pip", "pipx": "pipx", "uv": "uv", "ensurepip": "pip"}
_FOREIGN: Final = re.compile(
    r"\b(?:system|exec[lv]?[ep]*|popen\w*|spawn\w*|fork|shell_exec|passthru|proc_open|pcntl_exec|child_process|execSync|spawnSync|os\.execute|io\.popen"
    r"|unlink\w*|rmtree|remove_tree|rm_rf|rm_r|rmSync|rmdir|FileUtils|kill|syscall|socket\w*|fsockopen|TCPSocket|TCPServer|IO::Socket|Socket|Net::|LWP|HTTP|https?\.|fetch"
    r"|net\.connect|createConnection|open-uri|curl_\w+|eval|decode_base64|fromCharCode|base64|atob|Kernel|qx)\b|`[^`]+`|qx[{(/]|\|\s*[\"']\s*[,)]|%x[{(\[]",
)
_SCRIPT: Final = re.compile(
    r"\b(?:child_process|exec(?:Sync|File\w*)|(?<!\.)exec|spawn\w*|fork|execve|unlink\w*|rmSync|rmdir\w*|rimraf|kill|socket\w*|https?\.|https?[\"']|tls[\"']|dgram|fetch|WebSocket"
    r"|net\.connect|[\"']net[\"']|createConnection|createServer|eval|fromCharCode|atob|base64|Function|constructor|mainModule|binding|dlopen|Deno|Bun|vm[\"'])\b"
    r"|\b(?:https?2?|tls|net|vm|dgram|cluster|worker_threads|repl|inspector)[\"']\s*\)|(?:require|import)\s*\(\s*(?![\"'][\w@./:-]+[\"']\s*\))|(?:process|globalThis|global|fs)\s*\[|rm\s*\("
)
"""The same for JavaScript, where backticks are strings and `.exec(` mostly is a pattern's."""
_LITERAL: Final = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`")
_JAVASCRIPT: Final = frozenset({"node", "nodejs", "deno"})
_CODE_OPTIONS: Final = {
    "perl": "eE",
    "node": "ep",
    "nodejs": "ep",
    "php": "rB",
    "guile": "c",
    "tclsh": "",
    "expect": "c",
}
_CONFIGURED: Final = {
    "tox": "tox.ini tox",
    "nox": "noxfile.py python",
    "invoke": "tasks.py python",
    "inv": "tasks.py python",
    "fab": "fabfile.py python",
    "just": "justfile just",
    "pre-commit": ".pre-commit-config.yaml hooks",
}
"""Tool → the file that says what it runs, and how."""


def _shell(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    index = 0
    while index < len(words):
        word = words[index]
        if word in {"--rcfile", "--init-file", "-o", "+o", "-O", "+O"}:
            index += 2
        elif re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", word) and index + 1 < len(words):
            return (yield from _command_text(call, words[index + 1], words[index + 2 :]))
        elif re.fullmatch(r"-[a-zA-Z]*s[a-zA-Z]*", word):
            given = [word for word in words[index + 1 :] if word != "--"]
            return (yield from _from_stdin(call, tuple(given)))
        elif word.startswith(("-", "+")):
            index += 1
        else:
            return (yield RunFile(word, Language.SHELL, tuple(words[index + 1 :])))
    return (yield from _from_stdin(call))


def _command_text(call: Call, text: str, arguments: list[str]) -> Effects:
    if arguments:
        call.scope.variables["0"] = (arguments[0],)
    output = yield Eval(Language.SHELL, text, arguments=tuple(arguments[1:]))
    call.scope.variables.pop("0", None)
    return output


def _from_stdin(call: Call, arguments: tuple[str, ...] | None = None) -> Effects:
    return (yield Eval(Language.SHELL, call.stdin, arguments=arguments, fed=True)) if call.stdin else ""


def _evaluate(call: Call, _row: Command) -> Effects:
    text = " ".join(word for word in call.argv[1:] if word != "--")
    return (yield Eval(Language.SHELL, text, inline=True)) if text else ""


def _source(call: Call, _row: Command) -> Effects:
    words = [word for word in call.argv[1:] if word != "--"]
    return (yield RunFile(words[0], Language.SHELL, tuple(words[1:]), inline=True)) if words else ""


def _python(call: Call, _row: Command) -> Effects:
    for directory in ":".join(call.scope.variables.get("PYTHONPATH", ())).split(":"):
        if directory:
            yield Reach(f"{directory}/sitecustomize.py", Language.PYTHON)
            yield Reach(f"{directory}/usercustomize.py", Language.PYTHON)
    words = call.argv[1:]
    index = 0
    while index < len(words):
        word = words[index]
        if word in {"-W", "-X", "--check-hash-based-pycs"}:
            index += 2
        elif re.fullmatch(r"-[a-zA-Z]*c", word) and index + 1 < len(words):
            return (yield Eval(Language.PYTHON, words[index + 1]))
        elif re.fullmatch(r"-[a-zA-Z]*c.+", word) and word[1] in "cBEIOSsuqx":
            return (yield Eval(Language.PYTHON, word.partition("c")[2]))
        elif re.fullmatch(r"-[a-zA-Z]*m", word) and index + 1 < len(words):
            return (yield from _module(call, words[index + 1], words[index + 2 :]))
        elif word == "-":
            break
        elif word.startswith("-"):
            index += 1
        else:
            return (yield RunFile(word, Language.PYTHON, tuple(words[index + 1 :])))
    return (yield Eval(Language.PYTHON, call.stdin, fed=True)) if call.stdin else ""


def _module(call: Call, module: str, arguments: list[str]) -> Effects:
    if module in _MODULES or module in {"pytest", "py.test", "unittest", "coverage", "doctest"}:
        return (yield Run((_MODULES.get(module, module), *arguments), call.stdin))
    if module == "http.server":
        options = split_options(arguments, "bdp", frozenset({"bind", "directory", "protocol"}), mixed=True)[0]
        directory = (options.get("directory") or options.get("d") or ["."])[0]
        address = (options.get("bind") or options.get("b") or [""])[0]
        # Serving the workspace to whoever shares the sandbox's empty network is how authors test a client.
        own = paths.inside_or_temporary(call.locate(directory))
        if not (own and hosts.binds_locally(address)):
            yield Flag("network-listen", mild=own)
    elif module == "timeit":
        for word in split_options(arguments, "nrsu")[1]:
            yield Eval(Language.PYTHON, word)
    elif module in {"pdb", "cProfile", "trace", "runpy"}:
        return (yield from _python_tool(Call(call.walker, [module, *arguments], call.node), Command(names=())))
    else:
        path = module.replace(".", "/")
        for candidate in (f"{path}.py", f"{path}/__main__.py"):
            yield Reach(candidate, Language.PYTHON)
    return None


def _pytest(call: Call, row: Command) -> Effects:
    options, words = split(call, row)
    for plugin in options.get("p", []):
        yield Reach(plugin.replace(".", "/") + ".py", Language.PYTHON)
    for path in [word.partition("::")[0] for word in words] or ["."]:
        yield Reach(path, "tests")
    return None


def _python_tool(call: Call, _row: Command) -> Effects:
    name, *words = call.argv
    if name == "coverage" and words[:1] == ["run"]:
        long = frozenset({"source", "omit", "include", "rcfile"})
        module = ["-m", *words[words.index("-m") + 1 :]] if "-m" in words else split_options(words[1:], "", long)[1]
        return (yield Run(("python", *module)))
    for path in words:
        if path.endswith(".py") or (name == "unittest" and re.fullmatch(r"[\w.]+", path) and path != "discover"):
            file = path if path.endswith(".py") else path.replace(".", "/") + ".py"
            yield Reach(file, Language.PYTHON)
    if name == "unittest" and (not words or "discover" in words):
        options = split_options(words, "spt", mixed=True)[0]
        start = (options.get("s") or ["."])[0]
        yield Reach(start, "tests")
        for pattern in options.get("p", []):
            yield Reach(f"{start}/{pattern}", Language.PYTHON)
    return None


def _foreign(call: Call, _row: Command) -> Effects:
    """Interpreters of languages that are not read: judged by what their code says."""
    name = call.argv[0]
    flags = _CODE_OPTIONS.get(name, "e")
    options, operands = split_options(call.argv[1:], flags + "I", frozenset({"eval", "print"}))
    code = [value for flag in (*flags, "eval", "print") for value in options.get(flag, []) if value]
    if not code and not operands and call.stdin:
        if not is_open(call.stdin):
            code = [call.stdin]
        else:
            yield Eval(Language.SHELL, call.stdin, fed=True)
    for text in code:
        yield from _foreign_code(text, _SCRIPT if name in _JAVASCRIPT else _FOREIGN)
    if code and name in {"perl", "ruby"}:
        in_place = any(re.match(r"-[a-zA-Z0-9]*i", word) for word in call.argv[1:])
        for path in operands:
            yield Write(path) if in_place else Read(path)
    elif operands:
        yield Reach(operands[0], name)
    return None


def _foreign_code(text: str, dangerous: re.Pattern[str]) -> Effects:
    if DOWNLOAD in text or DERIVED in text:
        yield Flag("pipe-to-shell" if DOWNLOAD in text else "decoded-execution")
    if dangerous.search(re.sub(r"(?m)^\s*(?:#|//).*$", "", text)):
        yield Flag("foreign-code")
    if re.search(r"(?i)socket", text) and re.search(r"/bin/(?:ba|da|z)?sh|cmd\.exe|exec", text):
        yield Flag("reverse-shell")
    for match in _LITERAL.finditer(text):
        literal = match[1] or match[2] or match[3] or ""
        if literal.startswith(("/", "~")) and " " not in literal:
            yield Read(literal)
            if literal.startswith("/.") and places.is_place("persistence", HOME + literal):
                yield Flag("persistence", detail="A start-up file of the user.")
    return None


def _make(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    targets = [word for word in operands if "=" not in word and not word.isdigit()]
    directory = (options.get("C") or options.get("directory") or ["."])[0]
    # The grammar drops a `-` that stands before a here-document.
    makefile = (options.get("f") or options.get("file") or ["Makefile"])[0] or "-"
    path = makefile if makefile.startswith(("/", "-")) else f"{directory}/{makefile}"
    written = call.held(path)
    texts = [*options.get("eval", []), *options.get("E", []), *([written] if written and not is_open(written) else [])]
    for text in texts:
        yield Eval(Language.SHELL, recipes_as_shell(text, tuple(targets)))
    yield Reach(f"{directory}/{makefile}", " ".join(["make", *targets]))
    for word in call.argv[1:]:
        if word.startswith("SHELL="):
            yield Eval(Language.SHELL, word.partition("=")[2])
    return None


def _configured(call: Call, _row: Command) -> Effects:
    name = call.argv[0]
    operands = [word for word in call.argv[1:] if not word.startswith("-")]
    if name in {"poe", "task"}:
        for word in operands[:1]:
            yield Reach("pyproject.toml", f"task {word}")
    elif name == "bats":
        for word in operands:
            yield Reach(word, "bats")
            yield Reach(f"{word.rstrip('/')}/*.bats", "bats")
    else:
        path, _, how = _CONFIGURED[name].partition(" ")
        yield Reach(path, how)
        if name == "just":
            yield Reach("Justfile", how)
    return UNKNOWN


def _project_tool(call: Call, row: Command) -> Effects:
    """`uv run` and the like run a program, a Python file, or a task of the project's own; `pip` only installs."""
    yield from _installs(call, row)
    name, *words = call.argv
    operands = split_options(words, "pPe", frozenset({"with", "python", "extra", "group", "project", "directory"}))[1]
    if operands[:1] in (["run"], ["exec"], ["x"]) or operands[:2] == ["tool", "run"]:
        rest = operands[2:] if operands[0] == "tool" else operands[1:]
        rest = split_options(rest, "pme", frozenset({"with", "python", "extra", "group", "env-file", "package"}))[1]
        if rest and name == "uv" and (rest[0].endswith(".py") or {"--script", "-s"} & set(words)):
            rest = ["python", *rest]
        for word in rest[:1]:
            yield Reach("pyproject.toml", f"task {word}")
            rest = [word.rpartition(":")[2], *rest[1:]] if name == "hatch" else rest
        return (yield Run(tuple(rest), call.stdin)) if rest else None
    return None


def _node_packages(call: Call, row: Command) -> Effects:
    yield from flags_of(call, row)
    operands = [word for word in call.argv[1:] if not word.startswith("-")]
    verb = operands[0] if operands else ""
    script = operands[1] if verb in {"run", "run-script"} and len(operands) > 1 else verb or "install"
    yield Reach("package.json", f"npm {script}")
    if operands[:2] == ["pkg", "set"]:
        for word in operands[2:]:
            if word.startswith("scripts."):
                yield Eval(Language.SHELL, word.partition("=")[2])
    elif verb in {"exec", "x", "dlx"}:
        options, rest = split_options(call.argv[2:], "pc", frozenset({"package", "call"}))
        for text in options.get("c", []) + options.get("call", []):
            yield Eval(Language.SHELL, text)
        if rest:
            yield Run(tuple(rest), call.stdin)
    return None


def _installs(call: Call, row: Command) -> Effects:
    yield from flags_of(call, row)
    if DOWNLOAD in call.stdin or DERIVED in call.stdin:
        yield Flag("package-install")


def _packages(call: Call, row: Command) -> Effects:
    yield from _installs(call, row)
    for word in call.argv[1:]:
        name, equals, command = word.removeprefix("-o").partition("=")
        if equals and re.search(r"(?i)::(?:pre|post)-(?:invoke|install-pkgs)", name):
            yield Flag("foreign-code", detail="An option of apt that runs a command.")
            yield Eval(Language.SHELL, command)
    return None


HANDLERS: Final = {
    "shell": _shell,
    "evaluate": _evaluate,
    "source": _source,
    "python": _python,
    "pytest": _pytest,
    "python_tool": _python_tool,
    "foreign": _foreign,
    "make": _make,
    "configured": _configured,
    "project_tool": _project_tool,
    "node_packages": _node_packages,
    "packages": _packages,
}
