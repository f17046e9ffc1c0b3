"""A console session as a test: runs of the program with what they show, files by `echo … >`, `cat`, `echo $?`."""

import posixpath
import re
from collections.abc import Collection
from typing import Final

from refute.adversary.property.command_lines.command import Command, printed_by, read_command
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.runs import Step, changing, invocation, shows
from refute.adversary.property.command_lines.transcripts import Exchange, Transcript
from refute.ticket.command_words import Sign, Word, read_tokens

_SENTENCE: Final = 4
"""Words of a last line that may be prose again, where nothing shows where the output ends."""


class SessionReader:
    """Reads one transcript.

    Args:
        programs: of the ticket.
        files: of the workspace.
    """

    def __init__(self, programs: Programs, files: Collection[str]) -> None:
        self._programs = programs
        self._files = set(files)
        self.notes: list[str] = []
        """What was left out, and why."""

    def steps(self, transcript: Transcript) -> tuple[Step, ...]:
        """The steps up to what is not understood; empty where nothing of it can fail."""
        made: list[Step] = []
        for exchange in transcript.exchanges:
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
            return Step(lines=(), checks=(f"done.returncode == {int(code)}",)) if known else None
        command = read_command(exchange.command, self._programs, self._files)
        if isinstance(command, Command):
            return self._run(command, exchange)
        step = self._shell(exchange) if command is None else None
        if step is None and (command or any(one.command for one in made)):
            self.notes.append(command or f"the session is followed up to `{exchange.command[:60]}`, which is not run")
        return step

    def _run(self, command: Command, exchange: Exchange) -> Step:
        lines, text = [invocation(command)], "\n".join(exchange.shown)
        if command.output_file:
            self._files.add(command.output_file)
            lines.append(f"put_file(folder, {command.output_file!r}, done.stdout)")
            return Step(lines=tuple(lines), command=command)
        is_prose = exchange.open_ended and text.endswith((".", ":")) and len(exchange.shown[-1].split()) >= _SENTENCE
        if why := changing(text, command):
            self.notes.append(f"`{exchange.command[:60]}` {why}")
        if not text or is_prose or why:
            return Step(lines=tuple(lines), command=command)
        shown = list(exchange.shown)
        check = f"terminal_lines(done, {shown!r}) == {shown!r}"
        if command.merged:  # which of two streams comes first is left to chance
            check = f"sorted(lines_of(done.stdout)) == {sorted(shown)!r}"
        return Step(lines=tuple(lines), checks=(check,), command=command)

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
