"""Where in the words of a command the other one stands that it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_ONLY_TEXTS: Final = frozenset({"-"})
"""Starts of a wrapper that runs nothing but the texts of options, wherever these stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """What a wrapper runs."""

    words: list[str]
    """The command; empty where there is none."""
    texts: list[str]
    """Shell text besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """How a wrapper's own words end."""

    valued: str = ""
    """Letters of options that take a value."""
    takes: Mapping[str, int] = field(default_factory=dict)
    """Long option, with one dash or two → how many words it takes."""
    operands: int = 0
    """Words between the options and the command."""
    verbs: tuple[tuple[str, ...], ...] = ()
    """Subcommands that run one; empty: it always does."""
    starts: frozenset[str] = frozenset()
    """Options behind which the command stands; without one of them none is run."""
    text: frozenset[str] = frozenset()
    """Options whose value a shell reads."""
    dashed: bool = False
    """Whether the command stands behind `--` where there is one, whatever stands before."""
    each: bool = False
    """Whether each operand is a command of its own, read by a shell."""

    def open(self, words: list[str]) -> Wrapped | None:
        """The command in a wrapper's arguments; None where it is asked for something else."""
        texts: list[str] = []
        if self.starts == _ONLY_TEXTS:
            while words:
                words = self._behind_options(words, texts)[0][1:]
            return Wrapped(words=[], texts=texts) if texts else None
        command, started = self._behind_options(words, texts)
        if self.verbs and not started:
            verb = next((verb for verb in self.verbs if tuple(command[: len(verb)]) == verb), None)
            if verb is None:
                return None
            words = command[len(verb) :]
            command, started = self._behind_options(words, texts)
        if self.dashed and "--" in words:
            return Wrapped(words=_without_assignments(words[words.index("--") + 1 :]), texts=texts)
        if self.starts and not started:
            marks = [
                index for index, word in enumerate(words) if word.startswith("-") and word.lstrip("-") in self.starts
            ]
            if not marks:
                return Wrapped(words=[], texts=texts) if texts else None
            command = words[marks[0] + 1 :]
        if self.operands:
            command, _ = self._behind_options(command[self.operands :], texts)
        if self.each or (len(command) == 1 and any(map(str.isspace, command[0]))):
            texts, command = [*texts, *command], []
        return Wrapped(words=_without_assignments(command), texts=texts)

    def _behind_options(self, words: list[str], texts: list[str]) -> tuple[list[str], bool]:
        """The words behind the options, and whether one of these starts the command; texts are added."""
        index = 0
        while index < len(words) and words[index].startswith("-") and words[index] != "-":
            word = words[index]
            index += 1
            if word == "--":
                break
            name, equals, value = word.lstrip("-").partition("=")
            if len(name) == 1 or (not word.startswith("--") and name not in self.takes and name not in self.starts):
                name, value, equals = self._letter(word.lstrip("-"))
            count = 0 if equals else self.takes.get(name, int(name in self.valued and len(name) == 1))
            if name in self.starts:
                return words[index:], True
            taken = [value] if equals else words[index : index + count]
            index += count
            texts.extend(taken if name in self.text else [])
        return words[index:], False

    def _letter(self, letters: str) -> tuple[str, str, str]:
        """Of letters written together the first that takes a value or starts the command: itself, value, its mark."""
        for position, letter in enumerate(letters):
            if letter in self.valued or letter in self.starts:
                value = letters[position + 1 :]
                return letter, value, value
        return "", "", ""


def _without_assignments(words: list[str]) -> list[str]:
    """A command without the variables that are set for it alone."""
    index = 0
    while index < len(words) and words[index].partition("=")[1] and words[index].partition("=")[0].isidentifier():
        index += 1
    return words[index:]
