"""Console sessions: `$ command` with its output below, in fences, indented or plain; and what they are as steps."""

import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from refute.adversary.property.command_lines.output import lines_of
from refute.adversary.property.command_lines.programs import Command, Programs, read_command
from refute.adversary.property.command_lines.runs import Step, changing, check, exits, invocation, shows

_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_PROMPT: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[\w.-]+@[\w.-]+:[^\s$#]*)?[$%] (?P<command>\S.*)$")
_CAT: Final = re.compile(r"cat ((?!/|\.\.)[\w./-]+)")
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
        session: runs of programs, `echo $?`, `cat FILE`.
        programs: of the ticket.
        files: of the workspace.
    """
    made, notes = list[Step](), list[str]()
    for exchange in session:
        command, ran = read_command(exchange.command, programs, files), any(step.command for step in made)
        if isinstance(command, Command):
            step, why = _run(command, exchange)
            notes += [why] if why else []
        elif command or (shell := _shell(exchange) if ran else None) is None:
            left = f"the session is followed up to `{exchange.command[:60]}`, which is not run"
            notes += [command or left] if command or ran else []
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
    text = "\n".join(shown)
    is_prose = exchange.open_ended and text.endswith((".", ":")) and len(shown[-1].split()) >= _SENTENCE
    why = changing(text, command)
    if not text or is_prose or why:
        return Step(lines=lines, command=command), f"`{exchange.command[:60]}` {why}" if why else ""
    same = check(f"terminal_lines(out, err, {shown!r}) == {shown!r}", f"output {text!r}")
    return Step(lines=lines, checks=(same,), command=command), ""


def _shell(exchange: Exchange) -> Step | None:
    """A command that only shows a file or the last exit code; None for others."""
    shown = "\n".join(lines_of("\n".join(exchange.lines)))
    if exchange.command == "echo $?" and shown.strip().isdecimal():
        return Step(lines=(), checks=(exits(int(shown)),))
    if (hit := _CAT.fullmatch(exchange.command)) is not None:
        return Step(lines=(), checks=(shows(f"file_in(folder, {posixpath.normpath(hit[1])!r})", shown),))
    return None
