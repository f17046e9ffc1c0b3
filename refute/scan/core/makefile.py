"""What `make` runs: a Makefile's recipes as shell text, for the targets that a script builds."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from refute.scan.core.symbols import OUTPUT, is_known

_NAMES: Final = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks for them (GNU make's manual, "What Name to Give Your Makefile")."""
_RULE: Final = re.compile(r"([^\s:#=][^:#=]*?)\s*::?(?!=)([^=;]*)(?:;(.*))?\Z")
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


def recipes_of(text: str, targets: tuple[str, ...]) -> str:
    """The commands that building the targets runs, with variables filled in.

    Args:
        text: the Makefile with what it includes.
        targets: what is built; the first target where empty, all where one is not known. Pattern rules are always kept.
    """
    variables = {"MAKE": "make", "RM": "rm -f", "CURDIR": "."}
    needs: dict[str, list[str]] = {}
    commands = list(_commands(text.replace("\\\n", " "), variables, needs))
    given = targets or tuple(name for name in needs if not name.startswith("."))[:1]
    pending = list(given if all(map(is_known, given)) else needs)
    wanted: set[str] = set()
    while pending:
        target = pending.pop()
        pending.extend(needs.get(target, ()) if target not in wanted else ())
        wanted.add(target)
    runs = (line for owners, line in commands if owners is None or any(one in wanted or "%" in one for one in owners))
    return "\n".join(_fill(line, variables).replace("$$", "$") for line in runs)


def _commands(
    text: str, variables: dict[str, str], needs: dict[str, list[str]]
) -> Iterator[tuple[list[str] | None, str]]:
    """Each command with the targets whose recipe it is, None where make runs it in any case."""
    current: list[str] = []
    for line in text.split("\n"):
        yield from ((None, match[1] or match[2] or "") for match in _SHELL.finditer(line))
        if line.startswith("\t"):
            yield current, line.lstrip("\t").lstrip("@-+")
        elif rule := _RULE.match(line):
            current = _fill(rule[1], variables).split()
            for target in current:
                needs.setdefault(target, []).extend(_fill(rule[2], variables).split())
            yield current, rule[3] or ""
        elif assignment := _ASSIGNMENT.match(line):
            variables[assignment[1]] = assignment[2]


def _fill(text: str, variables: dict[str, str]) -> str:
    for _ in range(_ROUNDS):
        filled = _VARIABLE.sub(lambda m: variables.get(m[1] or m[2] or "", "make_value"), text)[:_MAX_TEXT]
        if filled == text:
            break
        text = filled
    return text
