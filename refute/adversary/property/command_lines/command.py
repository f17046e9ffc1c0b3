"""One command as written, read into what is run: program, arguments, standard input, environment. Never by a shell."""

import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.property.command_lines.programs import Program, Programs, launch_of
from refute.ticket.command_words import Sign, Token, Word, read_tokens

_SETTING: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_LOADER: Final = re.compile(r"LD_|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|PATH\Z")
_SYNOPSIS: Final = re.compile(
    r"\[.*\]|.*(?:\.\.\.|…)|<[a-z].*>|(?:IN|OUT)?(?:FILE|PATH|DIR)(?:NAME|S)?\d?|INPUT|OUTPUT|ARGS?|OPTIONS?|COMMAND"
    r"|NAME|TEXT|VALUE|KEY|PATTERN|SRC|DST|NUM|NUMBERS?"
)
"""Words of a usage line, which stand for others."""
_ESCAPES: Final = {r"\n": "\n", r"\t": "\t", r"\\": "\\"}
_SHOWN: Final = 60
"""Characters of a command that fit a line of a report."""
_Part = tuple[list[Word], list[tuple[str, str]]]
"""Words between two `|`, and signs with the words behind them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A run of one of the ticket's programs."""

    program: Program
    launch: tuple[str, ...]
    """Expressions of Python that start it."""
    arguments: tuple[str, ...] = ()
    stdin: str = ""
    input_file: str = ""
    """The file that is its standard input instead."""
    output_file: str = ""
    """Where its standard output goes."""
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def given(self) -> str:
        """Arguments and input as one text."""
        return " ".join([*self.arguments, self.stdin, self.input_file])


def command_of(words: Sequence[str], programs: Programs) -> Command | str | None:
    """The run that words start; why it is not tried; None where they start no program of the ticket."""
    rest, settings = list(words), list[tuple[str, str]]()
    while rest and (rest[0] == "env" or _SETTING.fullmatch(rest[0])):
        if (hit := _SETTING.fullmatch(rest.pop(0))) is not None:
            settings.append((hit["name"], hit["value"]))
    started = launch_of(rest, programs)
    if not isinstance(started, tuple):
        return started
    if loader := [name for name, _ in settings if _LOADER.match(name)]:
        return f"it sets {loader[0]}, which changes how every program starts"
    program, launch, arguments = started
    return Command(program=program, launch=launch, arguments=tuple(arguments), environment=tuple(settings))


def read_command(text: str, programs: Programs, files: Collection[str]) -> Command | str | None:
    """Read one command as it is typed.

    Args:
        text: without the prompt.
        programs: of the ticket; only these are ever run.
        files: that are there, relative to the workspace.

    Returns:
        The command; a reason where it runs one of the programs in a way that is not tried; None where it is none.
    """
    try:
        *feeds, last = _parts(read_tokens(text.strip()))
    except ValueError:
        return None
    made = command_of(_texts(last[0]), programs)
    if any(isinstance(command_of(_texts(words), programs), Command) for words, _ in feeds):
        made = "its output goes to another program"
    if isinstance(made, Command):
        made = _redirected(made, *last, files)
    if isinstance(made, Command) and feeds:
        made = _fed(made, feeds, files)
    line = " ".join(text.split())
    return f"`{line if len(line) <= _SHOWN else line[:_SHOWN] + '…'}`: {made}" if isinstance(made, str) else made


def _texts(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words]


def _parts(tokens: Sequence[Token]) -> list[_Part]:
    queue, parts = list(tokens), list[_Part]([([], [])])
    while queue:
        match queue.pop(0):
            case Word() as word:
                parts[-1][0].append(word)
            case Sign(text="|"):
                parts.append(([], []))
            case Sign(text="2>&1"):
                pass  # a terminal shows both
            case Sign(text=sign):
                parts[-1][1].append((sign, queue.pop(0).text if queue else ""))
    return parts


def _redirected(
    command: Command, words: Sequence[Word], redirects: Sequence[tuple[str, str]], files: Collection[str]
) -> Command | str:
    """The command with its standard input and output where the shell would put them."""
    for word in words:
        if word.shell:
            return f"it holds `{word.shell}`, which needs a shell: write the word that it becomes"
        if not word.quoted and _SYNOPSIS.fullmatch(word.text) and word.text not in files:
            return f"it is a usage line: `{word.text}` stands for something else"
    for sign, target in redirects:
        path = posixpath.normpath(target)
        match sign:
            case "<" if path in files:
                command = replace(command, input_file=path)
            case ">" if target and not path.startswith(("/", "..")):
                command = replace(command, output_file=path)
            case "2>" if target == "/dev/null":
                pass
            case _:
                return f"it holds `{sign}`, which needs a shell or a file that is not there"
    return command


def _fed(command: Command, feeds: Sequence[_Part], files: Collection[str]) -> Command | str:
    """The command behind `echo … |`, `printf … |` or `cat FILE |`."""
    [(words, redirects), *others] = feeds
    if not redirects and not others:
        match _texts(words):
            case ["cat", name]:
                path = posixpath.normpath(name)
                known = path in files
                return replace(command, input_file=path) if known else f"it reads {path}, which is not there"
            case _ if (text := printed_by(words)) is not None:
                return replace(command, stdin=text)
    return "what feeds it is not known before it runs"


def printed_by(words: Sequence[Word]) -> str | None:
    r"""What `echo` or `printf` prints; None for other commands, for formats, and where shells differ on a backslash."""
    match [] if any(word.shell for word in words) else _texts(words):
        case ["printf", form] if "%" not in form:
            return re.sub(r"\\[nt\\]", lambda hit: _ESCAPES[hit[0]], form)
        case ["echo", "-n", *rest] if "\\" not in "".join(rest):
            return " ".join(rest)
        case ["echo", *rest] if "\\" not in "".join(rest) and not " ".join(rest).startswith("-"):
            return " ".join(rest) + "\n"
    return None
