"""A Makefile's recipes as shell text, line by line in place, for the targets that a script builds."""

import re
from typing import Final

_RULE: Final = re.compile(r"^([^\s:#=][^:#=]*?)\s*::?(?!=)([^=].*)?$")
_ASSIGNMENT: Final = re.compile(r"^(?:export\s+|override\s+)?([\w.]+)\s*(?:[:?+!]|::)?=\s*(.*)$")
_VARIABLE: Final = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\}|([@<^*?]))")
_SHELL: Final = re.compile(r"\$[({]shell\s+((?:[^(){}]|\([^()]*\)|\{[^{}]*\})*)[)}]|^[\w.]+\s*!=\s*(.+)$")
_ROUNDS: Final = 5


def recipes_as_shell(text: str, targets: tuple[str, ...]) -> str:
    """The recipes that building the targets runs, with variables filled in; every other line is empty.

    Args:
        text: the Makefile.
        targets: what is built; the first target of the file where empty. Pattern rules are always kept.
    """
    variables: dict[str, str] = {}
    needs: dict[str, list[str]] = {}
    owners: list[tuple[str, ...] | None] = []
    inline: list[str] = []
    current: tuple[str, ...] = ()
    lines = re.sub(r"\\\n", "\x00", text).split("\n")
    for line in lines:
        recipe = line.startswith("\t")
        if not recipe and (rule := _RULE.match(line)):
            current = tuple(_fill(rule[1], variables).split())
            for target in current:
                needs.setdefault(target, []).extend(_fill(rule[2] or "", variables).partition(";")[0].split())
        elif not recipe and (assignment := _ASSIGNMENT.match(line)):
            variables[assignment[1]] = assignment[2]
        owners.append(current if recipe else None)
        inline.append(_inline(line, recipe=recipe, variables=variables))
    wanted = _closure(targets or tuple(name for name in needs if not name.startswith("."))[:1], needs)
    out = []
    for line, owner, beside in zip(lines, owners, inline, strict=True):
        if beside:
            out.append(beside + "\n" * line.count("\x00"))
            continue
        runs = owner is not None and any(name in wanted or "%" in name for name in owner)
        body = _fill(line.lstrip("\t").lstrip("@-+"), variables) if runs else ""
        out.append(body.replace("$$", "$").replace("\x00", "\\\n") if runs else "\n" * line.count("\x00"))
    return "\n".join(out)


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
    commands = [match[1] or match[2] for match in _SHELL.finditer(line)]
    if not recipe and _RULE.match(line) and ";" in line:
        commands.append(line.partition(";")[2])
    return "; ".join(_fill(command.replace("\x00", " ").strip(), variables).replace("$$", "$") for command in commands)
