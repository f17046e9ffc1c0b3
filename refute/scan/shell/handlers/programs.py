"""Programs that read code as an argument, as input or from a file: shells, Python, make."""

import re
from typing import Final

from refute.scan.core.effects import Effects, Eval, List, Reach, Run, RunFile
from refute.scan.core.makefile import recipes_as_shell
from refute.scan.core.symbols import is_open
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.options import split_options
from refute.scan.shell.rows import split
from refute.scan.shell.state import Call

_VALUED: Final = frozenset({*"oO", "rcfile", "init-file"})
_PYTHON_VALUED: Final = frozenset({*"WXcm", "check-hash-based-pycs"})


def _shell(call: Call, _row: Command) -> Effects:
    words = [word.replace("+", "-", 1) if re.match(r"\+[oO]", word) else word for word in call.argv[1:]]
    # `-c` takes no value of its own: `bash -cx text` runs the first operand.
    options, operands = split_options(words, _VALUED)
    if "c" in options and operands:
        text, *arguments = operands
        if arguments:
            call.scope.variables["0"] = (arguments[0],)
        output = yield Eval(Language.SHELL, text, arguments=tuple(arguments[1:]))
        call.scope.variables.pop("0", None)
        return output
    if operands and "s" not in options:
        return (yield RunFile(operands[0], Language.SHELL, tuple(operands[1:])))
    given = tuple(operands) if "s" in options else None
    return (yield Eval(Language.SHELL, call.stdin, arguments=given, fed=True)) if call.stdin else ""


def _python(call: Call, _row: Command) -> Effects:
    for directory in ":".join(call.scope.variables.get("PYTHONPATH", ())).split(":"):
        if directory:
            yield Reach(f"{directory}/sitecustomize.py", Language.PYTHON)
            yield Reach(f"{directory}/usercustomize.py", Language.PYTHON)
    words = call.argv[1:]
    options, operands = split_options(words, _PYTHON_VALUED)
    # Of several, `-c` and `-m` end the options of Python itself: the first one counts.
    if "m" in options and next(name for name in options if name in {"c", "m"}) == "m":
        module = options["m"][0]
        at = next((index for index, word in enumerate(words) if word in {module, f"-m{module}"}), len(words))
        return (yield from _module(call, module, words[at + 1 :]))
    if "c" in options:
        return (yield Eval(Language.PYTHON, options["c"][0]))
    if operands and operands[0] != "-":
        return (yield RunFile(operands[0], Language.PYTHON, tuple(operands[1:])))
    return (yield Eval(Language.PYTHON, call.stdin, fed=True)) if call.stdin else ""


def _module(call: Call, module: str, arguments: list[str]) -> Effects:
    """`python -m`: a module of the workspace, or a program by the same name."""
    path = module.replace(".", "/")
    for candidate in (f"{path}.py", f"{path}/__main__.py"):
        yield Reach(candidate, Language.PYTHON)
    if module == "http.server":
        yield List(".")
    return (yield Run((module, *arguments), call.stdin))


def _make(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    targets = [word for word in operands if "=" not in word and not word.isdigit()]
    directory = (options.get("C") or options.get("directory") or ["."])[0]
    # The grammar drops a `-` that stands before a here-document.
    makefile = (options.get("f") or options.get("file") or ["Makefile"])[0] or "-"
    written = call.held(makefile if makefile.startswith(("/", "-")) else f"{directory}/{makefile}")
    for text in [*options.get("eval", []), *options.get("E", []), written or ""]:
        if text and not is_open(text):
            yield Eval(Language.SHELL, recipes_as_shell(text, tuple(targets)))
    yield Reach(f"{directory}/{makefile}", " ".join(["make", *targets]))
    for word in operands:
        if word.startswith("SHELL="):
            yield Eval(Language.SHELL, word.partition("=")[2])
    return None


HANDLERS: Final = {"shell": _shell, "python": _python, "make": _make}
