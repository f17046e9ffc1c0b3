"""What `echo`, `printf` and `cat` hand to the program behind the pipe."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.property.command_lines.shell_words import unescaped

_ECHO_OPTION: Final = re.compile(r"-[neE]+")
_CONVERSION: Final = re.compile(r"%(?:%|-?\d*[sd])")
_MAX_ROUNDS: Final = 200


def echoed(words: Sequence[str]) -> tuple[str, ...]:
    """What `echo` prints: one text, or two where shells differ on a backslash.

    Args:
        words: behind `echo`.
    """
    options = ""
    rest = list(words)
    while rest and _ECHO_OPTION.fullmatch(rest[0]):
        options += rest.pop(0)[1:]
    end = "" if "n" in options else "\n"
    text = " ".join(rest)
    if "e" in options or "E" in options:
        return ((unescaped(text) if "e" in options else text) + end,)
    return tuple(dict.fromkeys((unescaped(text) + end, text + end)))


def formatted(words: Sequence[str]) -> str | None:
    """What `printf` prints; None for a format that is not read here.

    Args:
        words: behind `printf`.
    """
    words = words[1:] if words[:1] == ["--"] else words
    if not words or "%" in _CONVERSION.sub("", words[0]):
        return None
    form, values = unescaped(words[0]), list(words[1:])
    if not [hit for hit in _CONVERSION.findall(form) if hit != "%%"]:
        return form.replace("%%", "%")
    printed = ""
    for _ in range(_MAX_ROUNDS):
        given = iter(values)
        printed += _CONVERSION.sub(lambda hit, given=given: _converted(hit[0], given), form)  # type: ignore[misc]
        values = list(given)
        if not values:
            return printed
    return None


def _converted(conversion: str, values: Iterator[str]) -> str:
    if conversion == "%%":
        return "%"
    return (conversion[:-1] + "s") % next(values, "0" if conversion.endswith("d") else "")
