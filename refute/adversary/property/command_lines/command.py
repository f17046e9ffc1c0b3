"""One command as written, read into what is run: program, arguments, standard input, environment. Never by a shell."""

import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.property.command_lines.feeding import echoed, formatted
from refute.adversary.property.command_lines.programs import Program, Programs, launch_of
from refute.adversary.property.command_lines.shell_words import Line, Operator, Token, Word, read_line

_SETTING: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_LOADER: Final = re.compile(r"LD_|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|PATH\Z")
_SYNOPSIS: Final = re.compile(
    r"\[.*\]|.*(?:\.\.\.|…)|(?:IN|OUT)?(?:FILE|PATH|DIR|DIRECTORY)(?:NAME|S)?\d?|INPUT|OUTPUT|ARGS?|ARGUMENTS?|OPTIONS?"
    r"|COMMAND|NAME|TEXT|VALUE|KEY|PATTERN|SRC|DST|NUM|NUMBERS?"
)
"""Words of a usage line, which stand for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A run of one of the ticket's programs."""

    program: Program
    launch: tuple[str, ...]
    """Expressions of Python that start it."""
    arguments: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    """Standard input as expressions of Python, more than one where the text has more than one reading; none: empty."""
    texts: tuple[str, ...] = ()
    """The same as text, where it is known."""
    environment: tuple[tuple[str, str], ...] = ()
    merged: bool = False
    """`2>&1`: what goes to standard error is seen with the rest."""
    asks_code: bool = False
    """`; echo $?`: the exit code is shown last."""
    files: tuple[str, ...] = ()
    """Arguments that name files of the workspace."""
    output_file: str = ""
    """Where the shell puts what it prints."""
    comment: str = ""
    """What stands behind `#`."""
    text: str = ""
    """As written."""

    def reading(self, *texts: str) -> "Command":
        """The same command with other standard input."""
        return replace(self, inputs=tuple(repr(text) for text in texts), texts=texts)

    def with_arguments(self, arguments: Sequence[str]) -> "Command":
        """The same command with other arguments."""
        return replace(self, arguments=tuple(arguments))


def read_command(text: str, programs: Programs, files: Collection[str]) -> Command | str | None:
    """Read one command.

    Args:
        text: as a person would type it, without the prompt.
        programs: of the ticket; only these are ever run.
        files: that are there, relative to the workspace.

    Returns:
        The command; a reason where it runs one of the programs in a way that is not tried; None where it is none.
    """
    line = read_line(text.strip())
    if line is None or not line.tokens:
        return None
    tokens, asks_code = _without_code_question(line.tokens)
    segments = _segments(tokens)
    if not any(_starts_program(segment, programs) for segment in segments):
        return None
    if foreign := [token.text for token in tokens if isinstance(token, Operator) and token.text in _SHELL_ONLY]:
        return f"`{_short(text)}` uses `{foreign[0]}`, which needs a shell: write one command"
    if len(segments) > _FED or not _starts_program(segments[-1], programs):
        return f"`{_short(text)}` hands its output to another program: write what the program itself prints"
    read = _Reader(programs, files, text, line).read(segments)
    return replace(read, asks_code=asks_code) if isinstance(read, Command) else read


_SHELL_ONLY: Final = frozenset({"&&", "||", "|&", ";;", ";", "&", "(", ")", "&>", "&>>", "1>>", "2>>", "<<", "<<-"})
_FED: Final = 2
"""Parts of a pipe: what feeds, and the program."""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"  # noqa: PLR2004  # fits a line of a report


def _without_code_question(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], bool]:
    match tokens[-3:]:
        case [Operator(text=";"), Word(text="echo"), Word(text="$?")]:
            return tokens[:-3], True
    return tokens, False


def _segments(tokens: Sequence[Token]) -> list[list[Token]]:
    segments: list[list[Token]] = [[]]
    for token in tokens:
        if isinstance(token, Operator) and token.text == "|":
            segments.append([])
        else:
            segments[-1].append(token)
    return segments


def _starts_program(segment: Sequence[Token], programs: Programs) -> bool:
    words = [token.text for token in segment if isinstance(token, Word)]
    while words and (words[0] == "env" or _SETTING.fullmatch(words[0])):
        words = words[1:]
    return isinstance(launch_of(words, programs), tuple)


class _Reader:
    """Reads one line that is known to run a program of the ticket."""

    def __init__(self, programs: Programs, files: Collection[str], text: str, line: Line) -> None:
        self._programs = programs
        self._files = files
        self._text = text
        self._line = line

    def read(self, segments: Sequence[Sequence[Token]]) -> Command | str:
        """The command, or why it is not tried."""
        made = self._command(segments[-1])
        if isinstance(made, str) or len(segments) == 1:
            return made
        return self._fed(made, [token for token in segments[0] if isinstance(token, Word)], segments[0])

    def _command(self, segment: Sequence[Token]) -> Command | str:
        words, redirects = _redirected(segment)
        if words is None:
            return self._not_tried("has a redirection without a file")
        settings: list[tuple[str, str]] = []
        while words and (words[0].text == "env" or _SETTING.fullmatch(words[0].text)):
            if (hit := _SETTING.fullmatch(words.pop(0).text)) is not None:
                settings.append((hit["name"], hit["value"]))
        if loader := [name for name, _ in settings if _LOADER.match(name)]:
            return self._not_tried(f"sets {loader[0]}, which changes how every program starts")
        started = launch_of([word.text for word in words], self._programs)
        if not isinstance(started, tuple):
            return started or self._not_tried("starts no program of the ticket")
        program, launch, taken = started
        rest = words[taken:]
        if fault := self._fault(rest):
            return fault
        command = Command(
            program=program,
            launch=launch,
            arguments=tuple(word.text for word in rest),
            environment=tuple(settings),
            files=tuple(word.text for word in rest if posixpath.normpath(word.text) in self._files),
            comment=self._line.comment,
            text=self._text,
        )
        return self._redirect(command, redirects)

    def _fault(self, words: Sequence[Word]) -> str:
        for word in words:
            if not word.quoted and _SYNOPSIS.fullmatch(word.text) and word.text not in self._files:
                return self._not_tried(f"is a usage line: `{word.text}` stands for something else")
            if word.shell:
                return self._not_tried(f"holds `{word.shell}`, which needs a shell: write the word that it becomes")
        return ""

    def _redirect(self, command: Command, redirects: Sequence[tuple[str, Word]]) -> Command | str:
        for sign, word in redirects:
            if word.shell:
                return self._not_tried(f"holds `{word.shell}`, which needs a shell")
            match sign:
                case "<<<":
                    command = command.reading(word.text + "\n")
                case "<":
                    given = self._file(word.text)
                    if given is None:
                        return self._not_tried(f"reads {word.text}, which the workspace does not hold")
                    command = replace(command, inputs=(given,), files=(*command.files, word.text))
                case "2>&1":
                    command = replace(command, merged=True)
                case ">" | "1>" if word.text != "/dev/null":
                    command = replace(command, output_file=word.text)
                case "2>" if word.text == "/dev/null":
                    continue
                case _:
                    return self._not_tried(f"uses `{sign} {word.text}`: write what goes to which stream")
        return command

    def _fed(self, command: Command, words: list[Word], segment: Sequence[Token]) -> Command | str:  # noqa: PLR0911  # one per feeder
        """The command behind `echo … |`, `printf … |` or `cat FILE |`."""
        if len(words) != len(segment) or not words:
            return self._not_tried("is fed by more than one command")
        if shell := next((word.shell for word in words[1:] if word.shell), ""):
            return self._not_tried(f"holds `{shell}`, which needs a shell")
        rest = [word.text for word in words[1:]]
        match words[0].text:
            case "echo":
                return command.reading(*echoed(rest))
            case "printf":
                text = formatted(rest)
                return (
                    command.reading(text) if text is not None else self._not_tried("has a printf format not read here")
                )
            case "cat" if len(rest) == 1:
                given = self._file(rest[0])
                if given is None:
                    return self._not_tried(f"reads {rest[0]}, which the workspace does not hold")
                return replace(command, inputs=(given,), files=(*command.files, rest[0]))
            case other:
                return self._not_tried(f"is fed by `{other}`: write echo, printf, cat or `<`")

    def _file(self, name: str) -> str | None:
        """An expression for a file's content."""
        path = posixpath.normpath(name)
        if path not in self._files:
            return None
        return f'pathlib.Path(folder, {path!r}).read_text(encoding="utf-8")'

    def _not_tried(self, what: str) -> str:
        return f"`{_short(self._text)}` {what}"


def _redirected(segment: Sequence[Token]) -> tuple[list[Word] | None, list[tuple[str, Word]]]:
    """Words, and signs with their files."""
    words: list[Word] = []
    redirects: list[tuple[str, Word]] = []
    queue = list(segment)
    while queue:
        token = queue.pop(0)
        if isinstance(token, Word):
            words.append(token)
        elif token.text == "2>&1":
            redirects.append((token.text, Word(text="")))
        elif queue and isinstance(queue[0], Word):
            redirects.append((token.text, queue.pop(0)))  # type: ignore[arg-type]  # a Word, as the line above says
        else:
            return None, []
    return words, redirects
