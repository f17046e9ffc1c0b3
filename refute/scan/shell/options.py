"""Splits a command's words into options and operands."""

import re
from typing import Final

ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
"""How a word begins that gives a command a variable (`env A=1 make`)."""
_MAX_WORDS: Final = 2000


def split_options(
    words: list[str], valued: str, long_valued: frozenset[str] = frozenset(), *, mixed: bool = False
) -> tuple[dict[str, list[str]], list[str]]:
    """Options with their values, and the operands.

    Args:
        words: arguments without the command word.
        valued: short options that take a value, one letter each.
        long_valued: long options (without dashes) that take the next word as value.
        mixed: whether options may follow operands (GNU style); otherwise the first operand ends them.

    Returns:
        Option name (without dashes) → its values ([""] for a flag), and the operands in order.
    """
    options: dict[str, list[str]] = {}
    operands: list[str] = []
    index = 0
    words = words[:_MAX_WORDS]
    while index < len(words):
        word = words[index]
        index += 1
        if word == "--":
            operands.extend(words[index:])
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name in long_valued and index < len(words):
                value = words[index]
                index += 1
            options.setdefault(name, []).append(value)
        elif word.startswith("-") and len(word) > 1:
            index = _short(word[1:], words, index, valued, options)
        else:
            operands.append(word)
            if not mixed:
                operands.extend(words[index:])
                break
    return options, operands


def _short(letters: str, words: list[str], index: int, valued: str, options: dict[str, list[str]]) -> int:
    for position, letter in enumerate(letters):
        if letter in valued:
            value = letters[position + 1 :]
            if not value and index < len(words):
                value = words[index]
                index += 1
            options.setdefault(letter, []).append(value)
            break
        options.setdefault(letter, []).append("")
    return index
