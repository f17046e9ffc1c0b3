"""Commands that run code: shells, Python, other languages, files of the workspace."""

import re
from typing import Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.paths import Place
from refute.scan.rules import Language
from refute.scan.shell.call import Call
from refute.scan.shell.functions import borrow
from refute.scan.shell.handing_over import hands_over
from refute.scan.shell.printed_files import run_printed
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import DECODED, DERIVED, DOWNLOAD, NAME, OUTPUT, UNKNOWN, as_pattern, is_open

_NOT_KNOWN: Final = UNKNOWN + OUTPUT + NAME + " \n;"
_OWN_TEXT: Final = re.compile(r"(?:\$\(|`)\s*(?:sed|awk|grep|tail|head|cut|cat|tr)\b[^)`]*\$\{?(?:0|BASH_SOURCE)\b")
"""Picks lines of the script itself, as one does to hide commands in its comments."""
_SHELLS: Final = ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "posh", "yash")


def run_text(call: Call, text: str, language: Language = Language.SHELL, *, forked: bool = True) -> str:
    """Judge code that is handed to an interpreter as text; not `forked` where this very shell reads it."""
    if DECODED in text:
        call.act.add("decoded-execution")
        text = text.replace(DECODED, "")
    if DOWNLOAD in text:
        call.whole.add("pipe-to-shell", detail="What it runs comes over the network.")
    elif DERIVED in text:
        call.act.add("decoded-execution")
    elif language == Language.PYTHON:
        if not text.strip(_NOT_KNOWN):
            run_printed(call, Language.PYTHON)
        _python_text(call, text)
    elif text.strip() and not text.strip(_NOT_KNOWN):
        severity = Severity.MEDIUM if UNKNOWN not in text and NAME not in text else None
        detail = "The whole command is not known before the run."
        call.act.add("unresolved-command", severity=severity, detail=detail)
        run_printed(call)
    else:
        return call.walker.embedded(text, call.node, forked=forked)
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
            with call.walker.scope.given([word for word in words[index + 1 :] if word != "--"]):
                return from_stdin(call)
        elif word.startswith(("-", "+")):
            index += 1
        else:
            return run_file(call, word, Language.SHELL, words[index + 1 :])
    return from_stdin(call)


def _command_text(call: Call, text: str, arguments: list[str]) -> str:
    scope = call.walker.scope
    if arguments:
        scope.variables["0"] = (arguments[0],)
    try:
        with scope.given(arguments[1:]):
            return run_text(call, text)
    finally:
        scope.variables.pop("0", None)


def from_stdin(call: Call, language: Language = Language.SHELL, *, forked: bool = True) -> str:
    """Judge an interpreter that runs what it is fed."""
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
    return run_text(call, text, language, forked=forked)


def run_file(call: Call, path: str, language: Language | None = None, arguments: list[str] | None = None) -> str:
    """Judge running a file: text that the script wrote is walked, files of the workspace are noted as reached."""
    target = paths.locate(path, call.walker.scope.cwd)
    text = _text_written(call, target.text)
    if (original := call.walker.shared.copies.get(target.text)) is not None and text is None:
        target = paths.locate(original)
    if call.background and not arguments and target.text == paths.locate(call.walker.scope.script).text:
        call.act.add("fork-bomb", detail="The script starts itself again beside itself.")
    if path.startswith("/dev/fd/") or path in {"/dev/stdin", "-"}:
        return from_stdin(call, language or Language.SHELL) if call.stdin else _from_substitution(call)
    if text is not None:
        python = (
            language == Language.PYTHON or (language is None and re.match(r"#!.*python", text)) or path.endswith(".py")
        )
        if text == UNKNOWN:
            return UNKNOWN
        with call.walker.scope.given(arguments or []):
            return run_text(call, text, Language.PYTHON if python else Language.SHELL)
    if (pattern := _in_reach(target)) is not None:
        call.walker.shared.report.reached.append((pattern, language or ""))
        hands_over(call, pattern, arguments or [])
    elif target.place == Place.TEMP and path.startswith("/"):
        call.act.add(
            "unresolved-command",
            severity=Severity.MEDIUM,
            detail="Runs a temporary file that this script did not write.",
        )
    return UNKNOWN


def given_text(call: Call, path: str) -> str | None:
    """What a file that a program reads as its script holds, where this script itself feeds or writes it."""
    if path in {"-", "/dev/stdin"}:
        return call.stdin
    if path.startswith("/dev/fd/"):
        return call.walker.expander.fed
    return call.walker.shared.written.get(paths.locate(path, call.walker.scope.cwd).text)


def _text_written(call: Call, path: str) -> str | None:
    """What the script itself put there, or there with a whole directory that it downloaded."""
    written = call.walker.shared.written
    if path in written or not written:
        return written.get(path)
    parts = path.split("/")
    parents = ("/".join(parts[:length]) for length in range(len(parts) - 1, 1, -1))
    return next((DOWNLOAD for parent in parents if written.get(parent) == DOWNLOAD), None)


def _from_substitution(call: Call) -> str:
    if run_printed(call):
        call.act.add("unresolved-command", severity=Severity.MEDIUM, detail="The commands are the content of a file.")
        return UNKNOWN
    inside = text_of(call.node)
    network = re.search(r"<\(\s*(?:curl|wget|nc|fetch)\b", inside)
    call.act.add("pipe-to-shell", severity=None if network else Severity.HIGH)
    return UNKNOWN


def _eval(call: Call) -> str:
    text = " ".join(word for word in call.argv[1:] if word != "--")
    if not text:
        return ""
    if not text.strip(_NOT_KNOWN):
        run_printed(call)
        # What a program of this machine prints is how tools set variables; what a caller hands in is a command.
        strong = (UNKNOWN in text and not call.walker.shared.uncalled) or _OWN_TEXT.search(text_of(call.node))
        call.act.add("unresolved-command", severity=None if strong else Severity.MEDIUM)
        return UNKNOWN
    return run_text(call, text, forked=False)


def _dot(call: Call) -> str:
    words = [word for word in call.argv[1:] if word != "--"]
    if not words:
        return ""
    if words[0] in {"/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "-"} and call.stdin:
        return from_stdin(call, forked=False)
    if words[0].startswith("/dev/fd/"):
        return _from_substitution(call)
    target = paths.locate(words[0], call.walker.scope.cwd)
    text = call.walker.shared.written.get(target.text)
    if text is not None and not text.strip(UNKNOWN):
        # The script made it with a program of its own; what is in it is like the output of a program.
        call.act.add("unresolved-command", severity=Severity.MEDIUM, detail="It reads a file that a program made.")
    elif text is not None:
        run_text(call, text, forked=False)
    elif (pattern := _in_reach(target)) is not None:
        call.walker.shared.report.reached.append((pattern, Language.SHELL))
        borrow(call.walker, pattern, call.node)
    return ""


def _in_reach(target: paths.Target) -> str | None:
    """The files of the workspace that a path may name, as a pattern; None where it leads elsewhere or says nothing."""
    if target.place == Place.WORKSPACE:
        return as_pattern(target.text[2:])
    tail = target.text.rpartition("/")[2]
    named = target.place == Place.UNKNOWN and "/" in target.text and not is_open(tail) and tail.strip("*?.")
    return as_pattern(target.text) if named else None


def in_workspace(call: Call, path: str) -> str:
    """A path as the scan names files: relative to the workspace."""
    return paths.normalise(path, call.walker.scope.cwd).lstrip("\ue000\ue001\ue002\ue003\ue00e").lstrip("/")


def note_run(call: Call, path: str, how: str) -> None:
    """Note a file of the workspace that a command runs, and how: in a language, as tests, by a tool."""
    call.walker.shared.report.reached.append((in_workspace(call, path), how))


COMMANDS: Final = {
    **dict.fromkeys(_SHELLS, _shell),
    "eval": _eval,
    "source": _dot,
    ".": _dot,
}
