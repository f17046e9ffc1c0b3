"""A Makefile's recipes as shell text, line by line in place, for the targets that a script builds."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from refute.scan.core.symbols import is_known

_NAMES: Final = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks for them (GNU make's manual, "What Name to Give Your Makefile")."""
_RULE: Final = re.compile(r"^([^\s:#=][^:#=]*?)\s*::?(?!=)([^=].*)?$")
_ASSIGNMENT: Final = re.compile(r"^(?:export\s+|override\s+)?([\w.]+)\s*(?:[:?+!]|::)?=\s*(.*)$")
_DEFINE: Final = re.compile(r"^(?:override\s+)?define\s+([\w.]+)\s*[:?+]?=?\s*$")
_INCLUDE: Final = re.compile(r"^[-s]?include[ \t]+(.+)$", re.MULTILINE)
_VARIABLE: Final = re.compile(r"\$(?:\(([\w.]+)\)|\{([\w.]+)\}|([@<^*?]))")
_SHELL: Final = re.compile(r"\$[({]shell\s+((?:[^(){}]|\([^()]*\)|\{[^{}]*\})*)[)}]|^[\w.]+\s*!=\s*(.+)$")
_ROUNDS: Final = 5
_MAX_FILES: Final = 20


@dataclass(slots=True)
class _Read:
    """What the files that make reads say together."""

    variables: dict[str, str] = field(default_factory=lambda: {"MAKE": "make", "RM": "rm -f", "CURDIR": "."})
    needs: dict[str, list[str]] = field(default_factory=dict)
    defining: str = ""
    """Variable of the `define` under way."""


@dataclass(slots=True)
class _Line:
    text: str
    owner: tuple[str, ...] | None
    """Targets whose recipe it belongs to."""
    beside: str
    """What it runs though it is no recipe."""


def makefiles(path: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """The file that make reads, and what it includes of the workspace, by path; empty where there is none.

    Args:
        path: as the script names it, `Makefile` in its directory where it names none.
        files: every file of the workspace.
    """
    directory, slash, base = path.rpartition("/")
    named = [path] if base != "Makefile" else [f"{directory}{slash}{name}" for name in _NAMES]
    pending = [name for name in named if name in files][:1]
    found: dict[str, str] = {}
    while pending and len(found) < _MAX_FILES:
        name = pending.pop(0)
        if name not in found:
            found[name] = files[name].decode("utf-8", "replace")
            pending.extend(_included(found[name], directory + slash, files))
    return found


def _included(text: str, directory: str, files: Mapping[str, bytes]) -> Iterator[str]:
    for match in _INCLUDE.finditer(re.sub(r"\\\n", " ", text)):
        for word in match[1].partition("#")[0].split():
            # What is not known before the run may be any file.
            pattern = directory + re.sub(r"\$[({][^)}]*[)}]", "*", word).removeprefix("./")
            yield from (name for name in files if fnmatchcase(name, pattern))


def recipes_as_shell(text: str, targets: tuple[str, ...]) -> str:
    """As `recipes_of`, of a single text."""
    return recipes_of({"": text}, targets)[""]


def recipes_of(texts: Mapping[str, str], targets: tuple[str, ...]) -> dict[str, str]:
    """The recipes that building the targets runs, with variables filled in; every other line is empty.

    Args:
        texts: the Makefile and what it includes, by path.
        targets: what is built; the first target where empty, all where one is not known. Pattern rules are always kept.
    """
    read = _Read()
    lines = {path: _lines(text, read) for path, text in texts.items()}
    given = targets or tuple(name for name in read.needs if not name.startswith("."))[:1]
    wanted = _closure(given if all(map(is_known, given)) else tuple(read.needs), read.needs)
    return {path: "\n".join(_as_shell(line, wanted, read.variables) for line in rows) for path, rows in lines.items()}


def _lines(text: str, read: _Read) -> list[_Line]:
    rows: list[_Line] = []
    current: tuple[str, ...] = ()
    for line in re.sub(r"\\\n", "\x00", text).split("\n"):
        recipe = line.startswith("\t") and not read.defining
        if read.defining:
            _define(line, read)
        elif not recipe and (opened := _DEFINE.match(line)):
            read.defining = opened[1]
            read.variables[opened[1]] = ""
        elif not recipe and (rule := _RULE.match(line)):
            current = tuple(_fill(rule[1], read.variables).split())
            for target in current:
                needs = _fill(rule[2] or "", read.variables).partition(";")[0].split()
                read.needs.setdefault(target, []).extend(needs)
        elif not recipe and (assignment := _ASSIGNMENT.match(line)):
            read.variables[assignment[1]] = assignment[2]
        rows.append(_Line(line, current if recipe else None, _inline(line, recipe=recipe, variables=read.variables)))
    return rows


def _define(line: str, read: _Read) -> None:
    if line.strip() == "endef":
        read.defining = ""
    else:
        held = read.variables[read.defining]
        read.variables[read.defining] = "; ".join(filter(None, [held, line.strip().lstrip("@-+")]))


def _as_shell(line: _Line, wanted: set[str], variables: dict[str, str]) -> str:
    kept = "\n" * line.text.count("\x00")
    if line.beside:
        return line.beside + kept
    if line.owner is None or not any(name in wanted or "%" in name for name in line.owner):
        return kept
    body = _fill(line.text.lstrip("\t").lstrip("@-+"), variables)
    return body.replace("$$", "$").replace("\x00", "\\\n")


def _closure(targets: tuple[str, ...], needs: dict[str, list[str]]) -> set[str]:
    wanted: set[str] = set()
    pending = list(targets)
    while pending:
        target = pending.pop()
        if target not in wanted:
            wanted.add(target)
            pending.extend(needs.get(target, ()))
    return wanted


def _fill(text: str, variables: dict[str, str]) -> str:
    for _ in range(_ROUNDS):
        filled = _VARIABLE.sub(lambda m: variables.get(m[1] or m[2] or "", "make_value"), text)[:20_000]
        if filled == text:
            break
        text = filled
    return text


def _inline(line: str, *, recipe: bool, variables: dict[str, str]) -> str:
    """What runs of a line that is no recipe: behind a rule's `;`, and `$(shell …)`, which runs when make reads it."""
    commands = [match[1] or match[2] or "" for match in _SHELL.finditer(line)]
    if not recipe and _RULE.match(line) and ";" in line:
        commands.append(line.partition(";")[2])
    return "; ".join(_fill(command.replace("\x00", " ").strip(), variables).replace("$$", "$") for command in commands)
