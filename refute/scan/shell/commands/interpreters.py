"""Commands that run code: shells, Python, other languages, files of the workspace."""

import re
from collections.abc import Callable
from typing import Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.makefile import recipes_as_shell
from refute.scan.paths import Place
from refute.scan.rules import Language
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.symbols import DECODED, DERIVED, DOWNLOAD, HERE, NAME, OUTPUT, UNKNOWN, is_open

_SHELLS: Final = ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "posh", "yash")
_PYTHONS: Final = ("python", "pypy", "ipython")
_MODULES: Final = {"pip": "pip", "pipx": "pipx", "uv": "uv", "ensurepip": "pip"}
_FOREIGN: Final = re.compile(
    r"\b(?:system|exec[lv]?[ep]*|popen\w*|spawn\w*|fork|shell_exec|passthru|proc_open|pcntl_exec|child_process|execSync|spawnSync|os\.execute|io\.popen"
    r"|unlink\w*|rmtree|remove_tree|rm_rf|rm_r|rmSync|rmdir|FileUtils|kill|syscall|socket\w*|fsockopen|TCPSocket|TCPServer|IO::Socket|Socket|Net::|LWP|HTTP|https?\.|fetch"
    r"|net\.connect|createConnection|open-uri|curl_\w+|eval|decode_base64|fromCharCode|base64|atob|Kernel|qx)\b|`[^`]+`|qx[{(/]|\|\s*[\"']\s*[,)]|%x[{(\[]",
)
_LITERAL: Final = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`")


def run_text(call: Call, text: str, language: Language = Language.SHELL) -> str:
    """Judge code that is handed to an interpreter as text."""
    if DECODED in text:
        call.act.add("decoded-execution")
        text = text.replace(DECODED, "")
    if DOWNLOAD in text:
        call.whole.add("pipe-to-shell", detail="What it runs comes over the network.")
    elif DERIVED in text:
        call.act.add("decoded-execution")
    elif language == Language.PYTHON:
        _python_text(call, text)
    elif text.strip() and not text.strip(UNKNOWN + OUTPUT + NAME + " \n;"):
        severity = Severity.MEDIUM if UNKNOWN not in text and NAME not in text else None
        detail = "The whole command is not known before the run."
        call.act.add("unresolved-command", severity=severity, detail=detail)
    else:
        return call.walker.embedded(text, call.node)
    return UNKNOWN


def _python_text(call: Call, text: str) -> None:
    from refute.scan.python import scan_embedded  # noqa: PLC0415 - the two languages need each other

    walker = call.walker
    scan_embedded(walker.shared.report, text, walker.place_of(text, call.node), depth=walker.depth + 1)


def _shell(call: Call) -> str:
    words = call.argv[1:]
    index = 0
    while index < len(words):
        word = words[index]
        if word in {"--rcfile", "--init-file", "-o", "+o", "-O", "+O"}:
            index += 2
        elif re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", word) and index + 1 < len(words):
            return _command_text(call, words[index + 1], words[index + 2 :])
        elif re.fullmatch(r"-[a-zA-Z]*s[a-zA-Z]*", word):
            return _from_stdin(call)
        elif word.startswith(("-", "+")):
            index += 1
        else:
            return run_file(call, word, Language.SHELL, words[index + 1 :])
    return _from_stdin(call)


def _command_text(call: Call, text: str, arguments: list[str]) -> str:
    scope = call.walker.scope
    outer, scope.arguments = scope.arguments, arguments[1:]
    try:
        return run_text(call, text)
    finally:
        scope.arguments = outer


def _from_stdin(call: Call, language: Language = Language.SHELL) -> str:
    text = call.stdin
    if not text:
        return ""
    files = call.walker.files_fed(call.node)
    if files and not text.strip(UNKNOWN):
        for path in files:
            run_file(call, path, language)
        return UNKNOWN
    if DOWNLOAD not in text and DERIVED not in text and UNKNOWN in text and len(text.strip(UNKNOWN + " \n")) < 3:  # noqa: PLR2004
        call.whole.add("pipe-to-shell")
        return UNKNOWN
    return run_text(call, text, language)


def run_file(call: Call, path: str, language: Language | None = None, arguments: list[str] | None = None) -> str:
    """Judge running a file: text that the script wrote is walked, files of the workspace are noted as reached."""
    target = paths.locate(path, call.walker.scope.cwd)
    text = call.walker.shared.written.get(target.text)
    if path.startswith("/dev/fd/") or path in {"/dev/stdin", "-"}:
        return _from_stdin(call, language or Language.SHELL) if call.stdin else _from_substitution(call)
    if text is not None:
        python = (
            language == Language.PYTHON or (language is None and re.match(r"#!.*python", text)) or path.endswith(".py")
        )
        if text == UNKNOWN:
            return UNKNOWN
        outer, call.walker.scope.arguments = call.walker.scope.arguments, arguments or []
        try:
            return run_text(call, text, Language.PYTHON if python else Language.SHELL)
        finally:
            call.walker.scope.arguments = outer
    if target.place == Place.WORKSPACE and not is_open(target.text):
        call.walker.shared.report.reached.append((target.text[2:], language or ""))
    elif target.place == Place.TEMP and path.startswith("/"):
        call.act.add(
            "unresolved-command",
            severity=Severity.MEDIUM,
            detail="Runs a temporary file that this script did not write.",
        )
    return UNKNOWN


def _from_substitution(call: Call) -> str:
    from refute.scan.shell.syntax import text_of  # noqa: PLC0415 - only here

    inside = text_of(call.node)
    network = re.search(r"<\(\s*(?:curl|wget|nc|fetch)\b", inside)
    call.act.add("pipe-to-shell", severity=None if network else Severity.HIGH)
    return UNKNOWN


def _eval(call: Call) -> str:
    text = " ".join(word for word in call.argv[1:] if word != "--")
    if not text:
        return ""
    if not text.strip(UNKNOWN + OUTPUT + NAME + " \n;"):
        # What a program of this machine prints is how tools set variables; what a caller hands in is a command.
        call.act.add("unresolved-command", severity=None if UNKNOWN in text else Severity.MEDIUM)
        return UNKNOWN
    return run_text(call, text)


def _dot(call: Call) -> str:
    words = [word for word in call.argv[1:] if word != "--"]
    if not words:
        return ""
    if words[0] in {"/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "-"} and call.stdin:
        return _from_stdin(call)
    if words[0].startswith("/dev/fd/"):
        return _from_substitution(call)
    target = paths.locate(words[0], call.walker.scope.cwd)
    text = call.walker.shared.written.get(target.text)
    if text is not None and not text.strip(UNKNOWN):
        # The script made it with a program of its own; what is in it is like the output of a program.
        call.act.add("unresolved-command", severity=Severity.MEDIUM, detail="It reads a file that a program made.")
    elif text is not None:
        run_text(call, text)
    elif target.place == Place.WORKSPACE and not is_open(target.text):
        call.walker.shared.report.reached.append((target.text[2:], Language.SHELL))
    return ""


def _python(call: Call) -> str:
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
    return _from_stdin(call, Language.PYTHON)


def _module(call: Call, module: str, arguments: list[str]) -> str:
    from refute.scan.shell.dispatch import dispatch  # noqa: PLC0415 - the two need each other

    if module in _MODULES:
        return dispatch(Call(call.walker, [_MODULES[module], *arguments], call.node, call.stdin))
    if module == "http.server":
        options = split_options(arguments, "bdp", frozenset({"bind", "directory", "protocol"}), mixed=True)[0]
        directory = (options.get("directory") or options.get("d") or ["."])[0]
        # Serving the workspace to whoever shares the sandbox's empty network is how authors test a client.
        own = paths.inside_or_temporary(paths.locate(directory, call.walker.scope.cwd))
        call.act.add("network-listen", severity=Severity.MEDIUM if own else Severity.HIGH)
    elif module in {"pytest", "py.test"}:
        return _pytest(Call(call.walker, ["pytest", *arguments], call.node, call.stdin))
    elif module in {"unittest", "coverage", "doctest", "pdb", "cProfile", "trace", "timeit", "runpy"}:
        return _python_tool(Call(call.walker, [module, *arguments], call.node, call.stdin))
    else:
        path = module.replace(".", "/")
        for candidate in (f"{path}.py", f"{path}/__main__.py"):
            call.walker.shared.report.reached.append((in_workspace(call, candidate), Language.PYTHON))
    return UNKNOWN


def in_workspace(call: Call, path: str) -> str:
    """A path as the scan names files: relative to the workspace."""
    return paths.normalise(path, call.walker.scope.cwd).lstrip("\ue000\ue001\ue002\ue003").lstrip("/")


def _pytest(call: Call) -> str:
    operands = [word.partition("::")[0] for word in split_options(call.argv[1:], "kmpcoWnrd", mixed=True)[1]]
    for path in operands or ["."]:
        call.walker.shared.report.reached.append((in_workspace(call, path), "tests"))
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
            call.walker.shared.report.reached.append((in_workspace(call, file), Language.PYTHON))
    if name == "unittest" and (not words or "discover" in words):
        start = words[words.index("-s") + 1] if "-s" in words[:-1] else "."
        call.walker.shared.report.reached.append((in_workspace(call, start), "tests"))
    return UNKNOWN


def _foreign(flags: str) -> Callable[[Call], str]:
    def judge(call: Call) -> str:
        options, operands = split_options(call.argv[1:], flags + "I", frozenset({"eval", "print"}))
        code = [value for flag in (*flags, "eval", "print") for value in options.get(flag, []) if value]
        if not code and not operands and call.stdin and not is_open(call.stdin):
            code = [call.stdin]
        elif not code and not operands and call.stdin:
            _from_stdin(call)
        for text in code:
            foreign_code(call, text)
        if not code and operands:
            call.walker.shared.report.reached.append((in_workspace(call, operands[0]), call.argv[0]))
        return UNKNOWN

    return judge


def foreign_code(call: Call, text: str) -> None:
    """Judge code of a language that is not read: what it can do, and the shell commands in its strings."""
    if DOWNLOAD in text or DERIVED in text:
        call.act.add("pipe-to-shell" if DOWNLOAD in text else "decoded-execution")
    if _FOREIGN.search(re.sub(r"(?m)^\s*(?:#|//).*$", "", text)):
        call.act.add("foreign-code")
    if re.search(r"(?i)socket", text) and re.search(r"/bin/(?:ba|da|z)?sh|cmd\.exe|exec", text):
        call.act.add("reverse-shell")
    for match in _LITERAL.finditer(text):
        literal = match[1] or match[2] or match[3] or ""
        if literal.startswith(("/", "~")) and " " not in literal:
            call.act.read(literal)


def _vim(call: Call) -> str:
    for word in call.argv[1:]:
        match = re.match(r"(?:\+|-c\s*)?:?(?:sil\w*\s+|exec\w*\s+[\"'])?!(.+)", word)
        if match:
            call.act.add("foreign-code", detail="An editor that runs a command.")
            call.walker.embedded(match[1], call.node)
        elif not word.startswith(("-", "+")):
            call.act.read(word)
    return UNKNOWN


def _trap(call: Call) -> str:
    words = [word for word in call.argv[1:] if word != "--"]
    if len(words) > 1 and words[0] not in {"-", "", "-l", "-p"}:
        action = words[0]
        if action in call.walker.scope.functions:
            call.walker.call_function(Call(call.walker, [action], call.node, ""))
        elif re.fullmatch(r"[\w-]+", action):
            call.walker.shared.called.discard(action)
        else:
            call.walker.embedded(action, call.node)
    return ""


def _alias(call: Call) -> str:
    for word in call.argv[1:]:
        name, equals, text = word.partition("=")
        if equals:
            call.walker.scope.aliases[name] = text
            call.walker.embedded(text, call.node)
    return ""


def _cd(call: Call) -> str:
    operands = [word for word in call.argv[1:] if word == "-" or not word.startswith("-")]
    scope = call.walker.scope
    home = scope.lookup("HOME")[0]
    scope.cwd = HERE if operands == ["-"] else paths.locate(operands[0] if operands else home, scope.cwd).text
    scope.variables.pop("PWD", None)
    scope.assign("PWD", (scope.cwd,))
    return ""


def _read_variables(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "adinNptu")
    lines = call.stdin.split("\n") if call.stdin else []
    first = lines[0] if lines and not (len(lines) > 2) else UNKNOWN  # noqa: PLR2004 - one line and its end
    values = first.split(None, max(len(operands) - 1, 0)) if first and not is_open(first) else []
    for index, name in enumerate(operands or ["REPLY"]):
        call.walker.scope.assign(
            name, (values[index] if index < len(values) else (first or UNKNOWN) if is_open(first or UNKNOWN) else "",)
        )
    for name in options.get("a", []):
        call.walker.scope.arrays[name] = values or [UNKNOWN]
    return ""


def _read_lines(call: Call) -> str:
    """`mapfile` and `readarray`: one element a line."""
    operands = split_options(call.argv[1:], "dnOsuCc")[1]
    lines = call.stdin.rstrip("\n").split("\n") if call.stdin else [UNKNOWN]
    call.walker.scope.arrays[operands[0] if operands else "MAPFILE"] = lines
    return ""


def _shift(call: Call) -> str:
    arguments = call.walker.scope.arguments
    if arguments:
        count = int(call.argv[1]) if len(call.argv) > 1 and call.argv[1].isdigit() else 1
        call.walker.scope.arguments = arguments[count:]
    return ""


def _make(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "CfIoW", mixed=True)
    targets = [word for word in operands if "=" not in word and not word.isdigit()]
    directory = (options.get("C") or ["."])[0]
    # The grammar drops a `-` that stands before a here-document.
    makefile = (options.get("f") or options.get("file") or ["Makefile"])[0] or "-"
    located = paths.locate(f"{directory}/{makefile}", call.walker.scope.cwd).text
    written = call.stdin if makefile in {"-", "/dev/stdin"} else call.walker.shared.written.get(located)
    if written and not is_open(written):
        call.walker.embedded(recipes_as_shell(written, tuple(targets)), call.node)
    call.walker.shared.report.reached.append(
        (in_workspace(call, f"{directory}/{makefile}"), " ".join(["make", *targets]))
    )
    for word in call.argv[1:]:
        name, equals, value = word.partition("=")
        if equals and name == "SHELL":
            call.walker.embedded(value, call.node)
    return UNKNOWN


def _gdb(call: Call) -> str:
    for word in call.argv[1:]:
        if re.search(r"\b(shell|!|call|system|python)\b", word) and " " in word:
            call.act.add("foreign-code")
    if "-p" in call.argv or "--pid" in call.argv:
        call.act.add("kill-process", detail="Attaches to another process.")
    return UNKNOWN


def _tool(call: Call) -> str:
    name = call.argv[0]
    report = call.walker.shared.report
    if name == "nox":
        report.reached.append((in_workspace(call, "noxfile.py"), Language.PYTHON))
    else:
        report.reached.append((in_workspace(call, "tox.ini"), "tox"))
    return UNKNOWN


COMMANDS: Final = {
    **dict.fromkeys(_SHELLS, _shell),
    **dict.fromkeys(_PYTHONS, _python),
    "eval": _eval,
    "source": _dot,
    ".": _dot,
    "trap": _trap,
    "alias": _alias,
    **dict.fromkeys(("cd", "pushd", "chdir"), _cd),
    "read": _read_variables,
    "mapfile": _read_lines,
    "readarray": _read_lines,
    "shift": _shift,
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    **dict.fromkeys(("coverage", "unittest", "doctest"), _python_tool),
    "perl": _foreign("eE"),
    "ruby": _foreign("e"),
    "node": _foreign("ep"),
    "nodejs": _foreign("ep"),
    "php": _foreign("rB"),
    "lua": _foreign("e"),
    "luajit": _foreign("e"),
    "Rscript": _foreign("e"),
    "guile": _foreign("c"),
    "tclsh": _foreign(""),
    "expect": _foreign("c"),
    "osascript": _foreign("e"),
    "groovy": _foreign("e"),
    "gdb": _gdb,
    "lldb": _gdb,
    **dict.fromkeys(("ex", "vim", "nvim"), _vim),
    **dict.fromkeys(("make", "gmake"), _make),
    **dict.fromkeys(("tox", "nox"), _tool),
}
