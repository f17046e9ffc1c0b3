"""What `make` may run: the recipes of a Makefile as shell text, whichever target is built."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from refute.scan.core.symbols import OUTPUT

_NAMES: Final = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks for them (GNU make's manual, "What Name to Give Your Makefile")."""
_ASSIGNMENT: Final = re.compile(r"(?:export\s+|override\s+)?([\w.]+)\s*(?:[:?+!]|::)?=\s*(.*)\Z")
_VARIABLE: Final = re.compile(r"\$(?:\(([\w.]+)\)|\{([\w.]+)\}|([@<^*?]))")
_SHELL: Final = re.compile(r"\$[({]shell\s+((?:[^(){}]|\([^()]*\)|\{[^{}]*\})*)[)}]|^[\w.]+\s*!=\s*(.+)$")
_ROUNDS: Final = 5
_MAX_TEXT: Final = 20_000


def read_makefile(path: str, read: Callable[[str], str]) -> str:
    """What make reads: the file, and what it may include of the workspace.

    Args:
        path: as the script names it; `Makefile` in its directory where it names none.
        read: a pattern → what the files hold that it names, OUTPUT where there is none.
    """
    directory, slash, base = path.rpartition("/")
    names = [f"{directory}{slash}{name}" for name in _NAMES] if base == "Makefile" else [path]
    text = next((text for text in map(read, names) if text != OUTPUT), "")
    return f"{text}\n{read('*.mk')}" if "include" in text else text


def recipes_of(text: str) -> str:
    """The commands of all recipes, with variables filled in."""
    variables = {"MAKE": "make", "RM": "rm -f", "CURDIR": "."}
    commands = list(_commands(text.replace("\\\n", " "), variables))
    return "\n".join(_fill(line, variables).replace("$$", "$") for line in commands)


def _commands(text: str, variables: dict[str, str]) -> Iterator[str]:
    for line in text.split("\n"):
        yield from (match[1] or match[2] or "" for match in _SHELL.finditer(line))
        if line.startswith("\t"):
            yield line.lstrip("\t").lstrip("@-+")
        elif assignment := _ASSIGNMENT.match(line):
            variables[assignment[1]] = assignment[2]
        else:
            yield line.partition(";")[2] if ":" in line else ""


def _fill(text: str, variables: dict[str, str]) -> str:
    for _ in range(_ROUNDS):
        filled = _VARIABLE.sub(lambda m: variables.get(m[1] or m[2] or "", "make_value"), text)[:_MAX_TEXT]
        if filled == text:
            break
        text = filled
    return text
