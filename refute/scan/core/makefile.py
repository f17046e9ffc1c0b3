"""A Makefile's recipes as shell text, line by line in place, for the targets that a script builds."""

import re
from collections.abc import Callable
from typing import Final

from refute.scan.core.symbols import OUTPUT, is_known

_NAMES: Final = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks for them (GNU make's manual, "What Name to Give Your Makefile")."""
_RULE: Final = re.compile(r"^([^\s:#=][^:#=]*?)\s*::?(?!=)([^=].*)?$")
_ASSIGNMENT: Final = re.compile(r"^(?:export\s+|override\s+)?([\w.]+)\s*(?:[:?+!]|::)?=\s*(.*)$")
_VARIABLE: Final = re.compile(r"\$(?:\(([\w.]+)\)|\{([\w.]+)\}|([@<^*?]))")
_SHELL: Final = re.compile(r"\$[({]shell\s+((?:[^(){}]|\([^()]*\)|\{[^{}]*\})*)[)}]|^[\w.]+\s*!=\s*(.+)$")
_ROUNDS: Final = 5
_MAX_TEXT: Final = 20_000
_Line = tuple[str, list[str], list[str]]
"""Text, with a NUL for each line end that a backslash takes away; targets whose recipe it is; what it runs besides."""


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
    """The recipes that building the targets runs, with variables filled in; every other line is empty.

    Args:
        text: the Makefile with what it includes.
        targets: what is built; the first target where empty, all where one is not known. Pattern rules are always kept.
    """
    variables, needs = {"MAKE": "make", "RM": "rm -f", "CURDIR": "."}, {}  # type: dict[str, str], dict[str, list[str]]
    lines = _lines(text, variables, needs)
    given = targets or tuple(name for name in needs if not name.startswith("."))[:1]
    pending = list(given if all(map(is_known, given)) else needs)
    wanted: set[str] = set()
    while pending:
        target = pending.pop()
        pending.extend(needs.get(target, ()) if target not in wanted else ())
        wanted.add(target)
    return "\n".join(_as_shell(line, wanted, variables) for line in lines)


def _lines(text: str, variables: dict[str, str], needs: dict[str, list[str]]) -> list[_Line]:
    rows: list[_Line] = []
    current: list[str] = []
    for line in re.sub(r"\\\n", "\x00", text).split("\n"):
        recipe = line.startswith("\t")
        beside = [match[1] or match[2] or "" for match in _SHELL.finditer(line)]
        if not recipe and (rule := _RULE.match(line)):
            current = _fill(rule[1], variables).split()
            sources, _, command = (rule[2] or "").partition(";")
            beside += [command] if command else []
            for target in current:
                needs.setdefault(target, []).extend(_fill(sources, variables).split())
        elif not recipe and (assignment := _ASSIGNMENT.match(line)):
            variables[assignment[1]] = assignment[2]
        rows.append((line, current if recipe else [], beside))
    return rows


def _as_shell(line: _Line, wanted: set[str], variables: dict[str, str]) -> str:
    text, owners, beside = line
    if beside:
        text = "; ".join(beside).replace("\0", " ").strip() + "\0" * text.count("\0")
    elif not any(name in wanted or "%" in name for name in owners):
        return "\n" * text.count("\0")
    end = "\n" if beside else "\\\n"
    return _fill(text.lstrip("\t").lstrip("@-+"), variables).replace("$$", "$").replace("\0", end)


def _fill(text: str, variables: dict[str, str]) -> str:
    for _ in range(_ROUNDS):
        filled = _VARIABLE.sub(lambda m: variables.get(m[1] or m[2] or "", "make_value"), text)[:_MAX_TEXT]
        if filled == text:
            break
        text = filled
    return text
