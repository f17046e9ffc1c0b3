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
_FED: Final = 2
"""Parts of a pipe: what feeds, and the program."""


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
    merged: bool = False
    """`2>&1`: what goes to standard error is seen with the rest."""

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
    program, launch, taken = started
    return Command(program=program, launch=launch, arguments=tuple(rest[taken:]), environment=tuple(settings))


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
        parts = [_Part.of(part) for part in _pipe(read_tokens(text.strip()))]
    except ValueError:
        return None
    starts = [command_of([word.text for word in part.words], programs) for part in parts]
    if not any(isinstance(one, Command) for one in starts):
        return next((one for one in starts if isinstance(one, str)), None)
    made = starts[-1]
    if not isinstance(made, Command) or len(parts) > _FED:
        made = "its output goes to another program"
    else:
        made = _redirected(made, parts[-1], files)
        if isinstance(made, Command) and len(parts) == _FED:
            made = _fed(made, parts[0], files)
    return f"`{_short(text)}`: {made}" if isinstance(made, str) else made


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands between two `|`."""

    words: tuple[Word, ...]
    redirects: tuple[tuple[str, str], ...]
    """Signs with the words behind them."""

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> "_Part":
        queue, words, redirects = list(tokens), list[Word](), list[tuple[str, str]]()
        while queue:
            token = queue.pop(0)
            if isinstance(token, Word):
                words.append(token)
            else:
                alone = token.text == "2>&1" or not queue
                redirects.append((token.text, "" if alone else queue.pop(0).text))
        return cls(tuple(words), tuple(redirects))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"  # noqa: PLR2004  # fits a line of a report


def _pipe(tokens: Sequence[Token]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token == Sign(text="|"):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _redirected(command: Command, part: _Part, files: Collection[str]) -> Command | str:
    """The command with its standard input and output where the shell would put them."""
    if faults := [fault for word in part.words if (fault := _fault(word, files))]:
        return faults[0]
    for sign, target in part.redirects:
        path = posixpath.normpath(target)
        match sign:
            case "2>&1":
                command = replace(command, merged=True)
            case "<" if path in files:
                command = replace(command, input_file=path)
            case ">" if target and not path.startswith(("/", "..")):
                command = replace(command, output_file=path)
            case "2>" if target == "/dev/null":
                pass
            case _:
                return f"it holds `{sign}`, which needs a shell or a file that is not there"
    return command


def _fault(word: Word, files: Collection[str]) -> str:
    if word.shell:
        return f"it holds `{word.shell}`, which needs a shell: write the word that it becomes"
    if not word.quoted and _SYNOPSIS.fullmatch(word.text) and word.text not in files:
        return f"it is a usage line: `{word.text}` stands for something else"
    return ""


def _fed(command: Command, part: _Part, files: Collection[str]) -> Command | str:
    """The command behind `echo … |`, `printf … |` or `cat FILE |`."""
    if not part.redirects and [word.text for word in part.words][:1] == ["cat"] and len(part.words) == _FED:
        path = posixpath.normpath(part.words[1].text)
        return replace(command, input_file=path) if path in files else f"it reads {path}, which is not there"
    text = printed_by(part.words) if not part.redirects else None
    return replace(command, stdin=text) if text is not None else "what feeds it is not known before it runs"


def printed_by(words: Sequence[Word]) -> str | None:
    r"""What `echo` or `printf` prints; None for other commands, for formats, and where shells differ on a backslash."""
    match [] if any(word.shell for word in words) else [word.text for word in words]:
        case ["printf", form] if "%" not in form:
            return re.sub(r"\\[nt\\]", lambda hit: _ESCAPES[hit[0]], form)
        case ["echo", "-n", *rest] if "\\" not in "".join(rest):
            return " ".join(rest)
        case ["echo", *rest] if "\\" not in "".join(rest) and not " ".join(rest).startswith("-"):
            return " ".join(rest) + "\n"
    return None
