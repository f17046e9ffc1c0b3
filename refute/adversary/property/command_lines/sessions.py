"""Console sessions: `$ command` with its output below, in fences, indented or plain; and what they are as steps."""

import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from refute.adversary.property.command_lines.command import Command, printed_by, read_command
from refute.adversary.property.command_lines.output import lines_of
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.runs import Check, Step, changing, exits, invocation, shows
from refute.ticket.command_words import Sign, Word, read_tokens

_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_PROMPT: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[\w.-]+@[\w.-]+:[^\s$#]*)?[$%] (?P<command>\S.*)$")
_SENTENCE: Final = 4
"""Words of a last line that may be prose again, where nothing shows where the output ends."""


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One command and what is shown below it."""

    command: str
    lines: list[str] = field(default_factory=list)
    """Without the prompt's indentation."""
    open_ended: bool = False
    """Whether the output may go on where the text speaks of something else."""

    @property
    def shown(self) -> list[str]:
        """The lines, without blanks at their ends and empty ones at the end."""
        return lines_of("\n".join(self.lines))


@dataclass(slots=True, kw_only=True)
class Session:
    """Commands that were typed one after the other."""

    exchanges: list[Exchange] = field(default_factory=list)
    indent: int

    def ends_at(self, line: str, around: int) -> bool:
        """Whether a line of plain text, below some that is indented by `around`, is no output any more."""
        depth = len(line) - len(line.lstrip())
        gap = bool(self.exchanges[-1].lines) and not self.exchanges[-1].lines[-1].strip()
        return bool(line.strip()) and (depth < self.indent or (gap and self.indent <= around))


def read_sessions(text: str) -> tuple[list[Session], str]:
    """Every session of a text in order, and the text without them and without fences."""
    sessions, rest = list[Session](), list[str]()
    current, fence, around = None, "", 0
    for line in text.expandtabs(4).splitlines():
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            current, fence = None, "" if fence else mark[1]
            continue
        prompt = _PROMPT.match(line)
        if current is not None and prompt is None and not fence and current.ends_at(line, around):
            current = None
        if current is not None and (last := current.exchanges[-1]).command.endswith("\\") and not last.lines:
            last.command = last.command[:-1] + re.sub(r"^\s*(?:> )?", " ", line)
        elif prompt is not None:
            if current is None:
                current = Session(indent=len(prompt["indent"]))
                sessions.append(current)
            elif not fence:
                current.exchanges[-1].open_ended = False
            current.exchanges.append(Exchange(command=prompt["command"], open_ended=not fence))
        elif current is not None:
            current.exchanges[-1].lines.append(line[min(current.indent, len(line) - len(line.lstrip())) :])
        elif not fence:
            rest.append(line)
            around = len(line) - len(line.lstrip()) if line.strip() else around
    return sessions, "\n".join(rest)


class SessionReader:
    """Makes steps of one session: runs of the program, files by `echo … >`, `cat`, `echo $?`.

    Args:
        programs: of the ticket.
        files: of the workspace.
    """

    def __init__(self, programs: Programs, files: Collection[str]) -> None:
        self._programs = programs
        self._files = set(files)
        self.notes: list[str] = []
        """What was left out, and why."""

    def steps(self, session: Session) -> tuple[Step, ...]:
        """The steps up to what is not understood; empty where nothing of it can fail."""
        made: list[Step] = []
        for exchange in session.exchanges:
            step = self._step(exchange, made)
            if step is None:
                break
            made.append(step)
        while made and not made[-1].checks:
            made.pop()
        return tuple(made)

    def _step(self, exchange: Exchange, made: list[Step]) -> Step | None:
        """One exchange; None where the session cannot go on."""
        if re.fullmatch(r'echo "?\$\?"?', exchange.command.strip()):
            code = "".join(exchange.shown).strip()
            known = code.isdecimal() and made and made[-1].command
            return Step(lines=(), checks=(exits(int(code)),)) if known else None
        command = read_command(exchange.command, self._programs, self._files)
        if isinstance(command, Command):
            return self._run(command, exchange)
        step = self._shell(exchange) if command is None else None
        if step is None and (command or any(one.command for one in made)):
            self.notes.append(command or f"the session is followed up to `{exchange.command[:60]}`, which is not run")
        return step

    def _run(self, command: Command, exchange: Exchange) -> Step:
        lines, shown = invocation(command), exchange.shown
        if command.output_file:
            self._files.add(command.output_file)
            return Step(lines=(*lines, f"put_file(folder, {command.output_file!r}, out)"), command=command)
        text = "\n".join(shown)
        is_prose = exchange.open_ended and text.endswith((".", ":")) and len(shown[-1].split()) >= _SENTENCE
        if why := changing(text, command):
            self.notes.append(f"`{exchange.command[:60]}` {why}")
        if not text or is_prose or why:
            return Step(lines=lines, command=command)
        check = f"terminal_lines(out, err, {shown!r}) == {shown!r}"
        return Step(lines=lines, checks=(Check(check, f"output {text!r}"),), command=command)

    def _shell(self, exchange: Exchange) -> Step | None:
        """A command that only makes or shows a file; None where it is none of the known ones."""
        try:
            tokens = read_tokens(exchange.command)
        except ValueError:
            return None
        match tokens:
            case [*words, Sign(text=">"), Word(text=name, shell="")]:
                text = printed_by([one for one in words if isinstance(one, Word)])
                path = posixpath.normpath(name)
                if text is None or path.startswith(("/", "..")):
                    return None
                self._files.add(path)
                return Step(lines=(f"put_file(folder, {path!r}, {text!r})",))
            case [Word(text="cat"), Word(text=name, shell="")] if not name.startswith(("/", "..")):
                content = f"file_in(folder, {posixpath.normpath(name)!r})"
                return Step(lines=(), checks=(shows(content, "\n".join(exchange.shown)),))
        return None
