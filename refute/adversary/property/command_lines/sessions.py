"""Console sessions: `$ command` with its output below, in fences, indented or plain; and what they are as steps."""

import posixpath
import re
from collections.abc import Collection, Sequence
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
    indent: int
    lines: list[str] = field(default_factory=list)
    """Without the prompt's indentation."""
    open_ended: bool
    """Whether the output may go on where the text speaks of something else."""

    def ends_at(self, line: str, around: int) -> bool:
        """Whether a line of plain text, below some that is indented by `around`, is no output any more."""
        depth = len(line) - len(line.lstrip())
        gap = bool(self.lines) and not self.lines[-1].strip()
        return bool(line.strip()) and (depth < self.indent or (gap and self.indent <= around))


def read_sessions(text: str) -> tuple[list[list[Exchange]], str]:
    """Every session of a text in order, and the text without them and without fences."""
    sessions, rest = list[list[Exchange]](), list[str]()
    current, fence, around = list[Exchange](), "", 0
    for line in text.expandtabs(4).splitlines():
        mark, prompt = _FENCE.match(line), _PROMPT.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            current, fence = [], "" if fence else mark[1]
            continue
        if current and not prompt and not fence and current[-1].ends_at(line, around):
            current = []
        if current and current[-1].command.endswith("\\") and not current[-1].lines:
            current[-1].command = current[-1].command[:-1] + re.sub(r"^\s*(?:> )?", " ", line)
        elif prompt is not None:
            if current:
                current[-1].open_ended = False
            else:
                sessions.append(current)
            current.append(Exchange(command=prompt["command"], indent=len(prompt["indent"]), open_ended=not fence))
        elif current:
            current[-1].lines.append(line[min(current[-1].indent, len(line) - len(line.lstrip())) :])
        elif not fence:
            rest.append(line)
            around = len(line) - len(line.lstrip()) if line.strip() else around
    return sessions, "\n".join(rest)


def steps_of(
    session: Sequence[Exchange], programs: Programs, files: Collection[str]
) -> tuple[tuple[Step, ...], list[str]]:
    """The steps of a session up to what is not understood, none where nothing of it can fail; and what was left out.

    Args:
        session: runs of programs, files by `echo … >`, `cat`, `echo $?`.
        programs: of the ticket.
        files: of the workspace.
    """
    made, notes, known = list[Step](), list[str](), set(files)
    for exchange in session:
        command = read_command(exchange.command, programs, known)
        if isinstance(command, Command):
            step, why = _run(command, exchange)
            notes += [why] if why else []
            known.add(command.output_file)
        elif command or (shell := _shell(exchange, known, ran=bool(made and made[-1].command))) is None:
            left = f"the session is followed up to `{exchange.command[:60]}`, which is not run"
            notes += [command or left] if command or any(one.command for one in made) else []
            break
        else:
            step = shell
        made.append(step)
    while made and not made[-1].checks:
        made.pop()
    return tuple(made), notes


def _run(command: Command, exchange: Exchange) -> tuple[Step, str]:
    """The step of a command, and why its output is not compared."""
    lines, shown = invocation(command), lines_of("\n".join(exchange.lines))
    if command.output_file:
        return Step(lines=(*lines, f"put_file(folder, {command.output_file!r}, out)"), command=command), ""
    text = "\n".join(shown)
    is_prose = exchange.open_ended and text.endswith((".", ":")) and len(shown[-1].split()) >= _SENTENCE
    why = changing(text, command)
    if not text or is_prose or why:
        return Step(lines=lines, command=command), f"`{exchange.command[:60]}` {why}" if why else ""
    check = Check(f"terminal_lines(out, err, {shown!r}) == {shown!r}", f"output {text!r}")
    return Step(lines=lines, checks=(check,), command=command), ""


def _shell(exchange: Exchange, files: set[str], *, ran: bool) -> Step | None:
    """A command that only makes or shows a file, or an exit code; None where it is none of the known ones."""
    shown = "\n".join(lines_of("\n".join(exchange.lines)))
    try:
        tokens = read_tokens(exchange.command)
    except ValueError:
        return None
    match tokens:
        case [Word(text="echo"), Word(text="$?")] if ran and shown.strip().isdecimal():
            return Step(lines=(), checks=(exits(int(shown)),))
        case [*words, Sign(text=">"), Word(text=name, shell="")]:
            text, path = printed_by([one for one in words if isinstance(one, Word)]), posixpath.normpath(name)
            if text is not None and not path.startswith(("/", "..")):
                files.add(path)
                return Step(lines=(f"put_file(folder, {path!r}, {text!r})",))
        case [Word(text="cat"), Word(text=name, shell="")] if not name.startswith(("/", "..")):
            return Step(lines=(), checks=(shows(f"file_in(folder, {posixpath.normpath(name)!r})", shown),))
    return None
