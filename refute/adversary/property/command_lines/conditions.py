"""Circumstances that a claim names instead of a command: no arguments, unknown options, missing files, empty input."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from refute.adversary.property.command_lines.command import Command
from refute.adversary.property.command_lines.programs import Program

UNKNOWN_OPTION: Final = "--no-such-option"
UNKNOWN_WORD: Final = "no-such-command"
MISSING: Final = "no-such-file"
_NEW: Final = r"(?:unknown|unrecogni[sz]ed|unsupported|undefined|bogus|undocumented)"
_ANY: Final = r"(?:an? |any |every |all |the )?"
_OPTION: Final = r"(?:command[- ]line )?(?:options?|flags?|switch(?:es)?)"
_ABSENT: Final = r"(?:missing|non-?\s?existent|non-?\s?existing|absent|inexistent)"
_FILE: Final = r"(?:(?:input|named|given|data) )?(?:files?(?: ?names?| paths?)?|paths?)"
_GONE: Final = r"(?:does not exist|doesn't exist|do not exist|is missing|cannot be found|is not found|is not there)"
_POSITIONAL: Final = re.compile(r"""add_argument\(\s*["'](?P<name>[a-z]\w*)["']""")
_FILE_NAME: Final = re.compile(r"file|path|input|source|src|csv|json|log")
_REQUIRED: Final = re.compile(r"required\s*=\s*True|add_subparsers|add_parser")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Commands that the ticket writes out."""

    commands: list[Command] = field(default_factory=list)

    def of(self, program: Program) -> list[Command]:
        """Those of a program."""
        return [command for command in self.commands if command.program == program]


_NO_ARGUMENTS: Final = (
    r"(?:without(?: any)?|with no|given no|with zero)(?: command[- ]line)? (?:arguments?|args|parameters)(?: at all)?"
    r"|no (?:arguments?|args)(?: (?:are|is|were))?(?: (?:given|passed|provided|supplied))?"
)
_NEW_OPTION: Final = rf"{_ANY}{_NEW} {_OPTION}|an? invalid (?:option|flag)|invalid (?:options|flags)"
_NEW_WORD: Final = rf"{_ANY}{_NEW} (?:sub-?)?(?:commands?|actions?|operations?|operators?)"
_NO_SUCH_FILE: Final = rf"{_ANY}{_ABSENT} {_FILE}|{_ANY}{_FILE} (?:that |which )?{_GONE}"
_EMPTY: Final = (
    r"(?:an )?empty (?:input|standard input|stdin)(?: stream)?|(?:the )?(?:standard input|stdin|input) is empty"
    r"|(?:nothing|no input|no data)(?: is given)? on (?:stdin|standard input)"
)


def condition_commands(program: Program, known: Known) -> Iterator[tuple[re.Pattern[str], list[Command]]]:
    """Patterns for circumstances, each with the commands that stand for it; none where nobody shows how."""
    bare = Command(program=program, launch=program.launch, text=program.path)
    for words, commands in (
        (_NO_ARGUMENTS, [bare]),
        (_NEW_OPTION, [bare.with_arguments([UNKNOWN_OPTION])]),
        (_NEW_WORD, _other_word(bare, known)),
        (_NO_SUCH_FILE, _missing_file(bare, known)),
        (_EMPTY, _empty_input(bare, known)),
    ):
        yield re.compile(rf"\b(?:{words})(?!\w)", re.IGNORECASE), commands


def _other_word(bare: Command, known: Known) -> list[Command]:
    """A command of the ticket with another first word, else that word alone."""
    for command in known.of(bare.program):
        if command.arguments and re.fullmatch(r"[a-z][a-z-]*", command.arguments[0]):
            return [command.with_arguments([UNKNOWN_WORD, *command.arguments[1:]])]
    return [bare.with_arguments([UNKNOWN_WORD])]


def _missing_file(bare: Command, known: Known) -> list[Command]:
    """A command of the ticket whose file is exchanged for one that is not there."""
    for command in known.of(bare.program):
        named = [word for word in command.arguments if word in command.files]
        if len(named) == 1 and not command.inputs:
            ending = named[0].rpartition("/")[2].rpartition(".")
            other = f"{MISSING}.{ending[2]}" if ending[1] else MISSING
            return [command.with_arguments([other if word == named[0] else word for word in command.arguments])]
    source = bare.program.source
    places = _POSITIONAL.findall(source)
    if len(places) == 1 and _FILE_NAME.search(places[0]) and not _REQUIRED.search(source):
        return [bare.with_arguments([f"{MISSING}.txt"])]
    return []


def _empty_input(bare: Command, known: Known) -> list[Command]:
    """The one way in which the ticket's commands read standard input."""
    ways = {command.arguments for command in known.of(bare.program) if command.inputs}
    way = () if () in ways else next(iter(ways)) if len(ways) == 1 else None
    return [bare.with_arguments(way).reading("")] if way is not None else []
