"""Interpreters of languages that are not read: judged by what their code says."""

import re
from collections.abc import Callable
from typing import Final

from refute.scan.sensitive import is_persistence
from refute.scan.shell.call import Call
from refute.scan.shell.commands.interpreters import from_stdin, given_text, note_run
from refute.scan.shell.commands.scripted import run_editors_commands
from refute.scan.shell.options import split_options
from refute.scan.symbols import DERIVED, DOWNLOAD, HOME, UNKNOWN, is_open

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


_JAVASCRIPT: Final = frozenset({"node", "nodejs"})


def _foreign(flags: str) -> Callable[[Call], str]:
    def judge(call: Call) -> str:
        options, operands = split_options(call.argv[1:], flags + "I", frozenset({"eval", "print"}))
        code = [value for flag in (*flags, "eval", "print") for value in options.get(flag, []) if value]
        if not code and not operands and call.stdin and not is_open(call.stdin):
            code = [call.stdin]
        elif not code and not operands and call.stdin:
            from_stdin(call)
        for text in code:
            foreign_code(call, text)
        if code and call.argv[0] in {"perl", "ruby"}:
            in_place = any(re.match(r"-[a-zA-Z0-9]*i", word) for word in call.argv[1:])
            for path in operands:
                (call.act.write if in_place else call.act.read)(path)
        if not code and operands:
            note_run(call, operands[0], call.argv[0])
        return UNKNOWN

    return judge


def foreign_code(call: Call, text: str) -> None:
    """Judge code of a language that is not read: what it can do, and the shell commands in its strings."""
    if DOWNLOAD in text or DERIVED in text:
        call.act.add("pipe-to-shell" if DOWNLOAD in text else "decoded-execution")
    dangerous = _SCRIPT if call.argv[0] in _JAVASCRIPT else _FOREIGN
    if dangerous.search(re.sub(r"(?m)^\s*(?:#|//).*$", "", text)):
        call.act.add("foreign-code")
    if re.search(r"(?i)socket", text) and re.search(r"/bin/(?:ba|da|z)?sh|cmd\.exe|exec", text):
        call.act.add("reverse-shell")
    for match in _LITERAL.finditer(text):
        literal = match[1] or match[2] or match[3] or ""
        if literal.startswith(("/", "~")) and " " not in literal:
            call.act.read(literal)
            if literal.startswith("/.") and is_persistence(HOME + literal):
                call.act.add("persistence", detail="A start-up file of the user.")


def _vim(call: Call) -> str:
    for word in call.argv[1:]:
        match = re.match(r"(?:\+|-c\s*)?:?(?:sil\w*\s+|exec\w*\s+[\"'])?!(.+)", word)
        if match:
            call.act.add("foreign-code", detail="An editor that runs a command.")
            call.walker.embedded(match[1], call.node)
        elif not word.startswith(("-", "+")):
            call.act.read(word)
    scripts = split_options(call.argv[1:], "cSusT", mixed=True)[0].get("S", [])
    for text in [call.stdin, *(given_text(call, path) or "" for path in scripts)]:
        run_editors_commands(call, text)
    return UNKNOWN


def _emacs(call: Call) -> str:
    for word in call.argv[1:]:
        if re.match(
            r"--(?:eval|execute|funcall|script|load|batch)|-[flx]\b|-(?:eval|execute|funcall|batch|script|load)\b", word
        ):
            call.act.add("foreign-code", detail="An editor that runs code of its own language.")
        elif not word.startswith(("-", "+", "(")):
            call.act.read(word)
    return UNKNOWN


def _gdb(call: Call) -> str:
    for word in call.argv[1:]:
        if escape := re.match(r"\s*(?:!|(?:platform )?shell |pipe )", word):
            call.act.add("foreign-code", detail="A debugger that runs a command.")
            call.walker.embedded(word[escape.end() :], call.node)
        elif re.search(r"\b(call|system|python)\b", word) and " " in word:
            call.act.add("foreign-code")
    if "-p" in call.argv or "--pid" in call.argv:
        call.act.add("kill-process", detail="Attaches to another process.")
    return UNKNOWN


COMMANDS: Final = {
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
    "osascript": _foreign("e"),
    "groovy": _foreign("e"),
    **dict.fromkeys(("emacs", "emacsclient"), _emacs),
    "gdb": _gdb,
    "lldb": _gdb,
    **dict.fromkeys(("ex", "vim", "nvim"), _vim),
}
