"""Terminals inside a terminal: what `tmux` and `screen` run in their windows, or type into them."""

import shlex
from typing import Final

from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options

_GLOBAL: Final = "LSfcT"
_RUNS: Final = {
    **dict.fromkeys(("new-session", "new"), "ceFfnstxy"),
    **dict.fromkeys(("new-window", "neww"), "ceFnt"),
    **dict.fromkeys(("split-window", "splitw"), "ceFlpt"),
    **dict.fromkeys(("respawn-window", "respawnw", "respawn-pane", "respawnp"), "cet"),
    **dict.fromkeys(("run-shell", "run"), "cdt"),
    **dict.fromkeys(("pipe-pane", "pipep"), "t"),
    **dict.fromkeys(("display-popup", "popup"), "bcdehsStTwxy"),
}
"""Command of tmux that runs a program or shell text → its options that take a value."""
_KEYS: Final = {
    "Enter": "\n",
    "C-m": "\n",
    "C-j": "\n",
    "KPEnter": "\n",
    "Space": " ",
    "Tab": "\t",
    "C-c": "",
    "C-l": "",
}


def in_tmux(call: Call, rest: list[str]) -> list[str]:
    """Judge each command of one call; returns the program that a single one runs."""
    words = split_options(rest, _GLOBAL)[1]
    commands: list[list[str]] = [[]]
    for word in words:
        if word in {";", "\\;"}:
            commands.append([])
        else:
            commands[-1].append(word)
    programs = [program for command in commands if command and (program := _run(call, command))]
    for program in programs[:-1]:
        call.walker.embedded(shlex.join(program), call.node)
    return programs[-1] if programs else []


def _run(call: Call, command: list[str]) -> list[str]:
    """One command of tmux: judges text, returns the words of a program."""
    verb, rest = command[0], command[1:]
    if verb in {"send-keys", "send"}:
        call.walker.embedded(_typed(split_options(rest, "tNc")[1]), call.node)
    elif verb in {"if-shell", "if"}:
        condition, *branches = split_options(rest, "t")[1] or [""]
        call.walker.embedded(condition, call.node)
        for branch in branches:
            in_tmux(call, _words(branch))
    elif verb in _RUNS:
        words = split_options(rest, _RUNS[verb])[1]
        if len(words) != 1:
            return words
        call.walker.embedded(words[0], call.node)
    return []


def in_screen(call: Call, rest: list[str]) -> list[str]:
    """Judge what is typed into a window; returns the program that one runs."""
    options, words = split_options(rest, "cehpsStT")
    if "X" not in options:
        return words
    if words[:1] == ["stuff"]:
        call.walker.embedded(
            "".join(words[1:2]).replace("\\n", "\n").replace("\\r", "\n").replace("^M", "\n"), call.node
        )
        return []
    return words[1:] if words[:1] in (["exec"], ["screen"]) else []


def _typed(words: list[str]) -> str:
    return "".join(_KEYS.get(word, word) for word in words)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
