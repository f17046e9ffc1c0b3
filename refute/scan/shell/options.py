"""Splits a command's words into options and operands."""

import re
from collections import deque
from typing import Final

ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
"""How a word begins that gives a command a variable (`env A=1 make`)."""
_MAX_WORDS: Final = 2000
Options = dict[str, list[str]]
"""Option name (without dashes) → its values, [""] for a flag."""


def split_options(words: list[str], valued: frozenset[str], *, mixed: bool = False) -> tuple[Options, list[str]]:
    """Options with their values, and the operands in order.

    Args:
        words: arguments without the command word.
        valued: options that take a value: short ones, one letter each, and long ones without dashes.
        mixed: whether options may follow operands (GNU style); otherwise the first operand ends them.
    """
    options: Options = {}
    operands: list[str] = []
    queue = deque(words[:_MAX_WORDS])
    while queue:
        word = queue.popleft()
        if operands and not mixed:
            return options, [*operands, word, *queue]
        if word == "--":
            return options, [*operands, *queue]
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            takes = name in valued and not equals
        else:
            at = next((index for index, letter in enumerate(word[1:], 1) if letter in valued), len(word))
            for letter in word[1:at]:
                options.setdefault(letter, []).append("")
            if at == len(word):
                continue
            name, value = word[at], word[at + 1 :]
            takes = not value
        options.setdefault(name, []).append(queue.popleft() if takes and queue else value)
    return options, operands
