"""Build tools that run what a file of the workspace says."""

from typing import Final

from refute.scan.makefile import recipes_as_shell
from refute.scan.rules import Language
from refute.scan.shell.call import Call
from refute.scan.shell.commands.interpreters import given_text, note_run
from refute.scan.shell.options import split_options
from refute.scan.symbols import UNKNOWN, is_open


def _make(call: Call) -> str:
    options, operands = split_options(
        call.argv[1:], "CfIoWE", frozenset({"eval", "file", "makefile", "directory"}), mixed=True
    )
    targets = [word for word in operands if "=" not in word and not word.isdigit()]
    directory = (options.get("C") or ["."])[0]
    # The grammar drops a `-` that stands before a here-document.
    makefile = (options.get("f") or options.get("file") or ["Makefile"])[0] or "-"
    for text in [*options.get("eval", []), *options.get("E", [])]:
        call.walker.embedded(recipes_as_shell(text, tuple(targets)), call.node)
    written = given_text(call, makefile if makefile.startswith(("/", "-")) else f"{directory}/{makefile}")
    if written and not is_open(written):
        call.walker.embedded(recipes_as_shell(written, tuple(targets)), call.node)
    note_run(call, f"{directory}/{makefile}", " ".join(["make", *targets]))
    for word in call.argv[1:]:
        name, equals, value = word.partition("=")
        if equals and name == "SHELL":
            call.walker.embedded(value, call.node)
    return UNKNOWN


_CONFIGURED: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "tox": (("tox.ini", "tox"),),
    "nox": (("noxfile.py", Language.PYTHON),),
    "invoke": (("tasks.py", Language.PYTHON),),
    "inv": (("tasks.py", Language.PYTHON),),
    "fab": (("fabfile.py", Language.PYTHON),),
    "just": (("justfile", "just"), ("Justfile", "just")),
    "pre-commit": ((".pre-commit-config.yaml", "hooks"),),
}
"""Tool → files that say what it runs, each with how."""


def _tool(call: Call) -> str:
    for file, how in _CONFIGURED[call.argv[0]]:
        note_run(call, file, how)
    return UNKNOWN


def _task(call: Call) -> str:
    for word in [word for word in call.argv[1:] if not word.startswith("-")][:1]:
        note_run(call, "pyproject.toml", f"task {word}")
    return UNKNOWN


def _bats(call: Call) -> str:
    for word in split_options(call.argv[1:], "cFfjot", mixed=True)[1]:
        for path in (word, f"{word.rstrip('/')}/*.bats"):
            note_run(call, path, "bats")
    return UNKNOWN


COMMANDS: Final = {
    **dict.fromkeys(("make", "gmake"), _make),
    **dict.fromkeys(_CONFIGURED, _tool),
    **dict.fromkeys(("poe", "task"), _task),
    "bats": _bats,
}
