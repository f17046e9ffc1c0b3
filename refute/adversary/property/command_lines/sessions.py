"""A console session as a test: files made by echo, printf, touch and mkdir, runs of the program, `cat`, `echo $?`."""

import posixpath
import re
from collections.abc import Collection
from typing import Final

from refute.adversary.property.command_lines.command import Command, read_command
from refute.adversary.property.command_lines.feeding import echoed, formatted
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.shell_words import Operator, Word, read_line
from refute.adversary.property.command_lines.steps import Prepared, Run, Step
from refute.adversary.property.command_lines.transcripts import Exchange, Transcript
from refute.adversary.property.command_lines.values import changing, is_usage

_CODE: Final = re.compile(r"(?:exit(?: code| status)?:? ?)?(?P<code>\d{1,3})")
_SENTENCE: Final = 4
"""Words of a last line that may be prose again, where nothing shows where the output ends."""
_PLACEHOLDER: Final = re.compile(r"<[a-z][a-z _-]*>(?!.*</)|\bYYYY\b|\bHH:MM\b|\bX\.Y\b")


class SessionReader:
    """Reads transcripts of one ticket.

    Args:
        programs: of the ticket.
        files: of the workspace.
    """

    def __init__(self, programs: Programs, files: Collection[str]) -> None:
        self._programs = programs
        self._submitted = frozenset(files)
        self.notes: list[str] = []
        """What was left out, and why."""
        self.commands: list[Command] = []
        """Every run of a program, in order."""

    def steps(self, transcript: Transcript) -> tuple[Step, ...]:
        """The steps up to what is not understood; empty where nothing of it can fail."""
        made: list[Step] = []
        self._files = set(self._submitted)
        for exchange in transcript.exchanges:
            if not self._add(exchange, made):
                break
        while made and not made[-1].checks:
            made.pop()
        return tuple(made)

    def _add(self, exchange: Exchange, made: list[Step]) -> bool:
        """Whether the session can go on."""
        if re.fullmatch(r'echo "?\$\?"?', exchange.command.strip()):
            return self._exit_code(exchange, made)
        command = read_command(exchange.command, self._programs, self._files)
        match command:
            case Command():
                made.append(self._run(command if exchange.given is None else command.reading(exchange.given), exchange))
                return True
            case str():
                self.notes.append(command)
                return False
        step = self._shell(exchange)
        if step is not None:
            made.append(step)
        elif any(isinstance(one, Run) for one in made):
            self.notes.append(f"the session is followed up to `{exchange.command[:60]}`, which is not run")
        return step is not None

    def _run(self, command: Command, exchange: Exchange) -> Run:
        shown, checks = list(exchange.shown), list[str]()
        self.commands.append(command)
        if command.output_file:
            self._files.add(posixpath.normpath(command.output_file))
            return Run(command=command)
        if command.asks_code and shown and (hit := _CODE.fullmatch(shown[-1].strip())):
            checks.append(f"done.returncode == {int(hit['code'])}")
            shown.pop()
        if shown:
            checks += self._output(command, shown, exchange)
        return Run(command=command, checks=tuple(checks))

    def _output(self, command: Command, shown: list[str], exchange: Exchange) -> list[str]:
        if what := self._varies(command, shown):
            self.notes.append(f"`{exchange.command[:60]}` shows {what}: write `...` for what differs from run to run")
            return []
        text = "\n".join(shown)
        streams = "done.stdout" if command.merged else "(done.stdout + done.stderr)"
        if is_usage(shown):
            return [f"'usage' in {streams}.lower()"] if "usage:" in text else []
        if "Traceback (most recent call last)" in text:
            return [f"{shown[-1].strip()!r} in {streams}"]
        if command.merged and "..." not in text:  # which of two streams comes first is left to chance
            return [f"sorted(lines_of(done.stdout)) == {sorted(shown)!r}"]
        is_prose = exchange.open_ended and shown[-1].endswith((".", ":")) and len(shown[-1].split()) >= _SENTENCE
        return [] if is_prose else [f"terminal_lines(done, {shown!r}) == {shown!r}"]

    @staticmethod
    def _varies(command: Command, shown: list[str]) -> str:
        """What of an output differs from run to run, or stands for something else; empty for nothing."""
        text, given = "\n".join(shown), " ".join([*command.arguments, *command.texts])
        hit = _PLACEHOLDER.search(text)
        return changing(text, given) or (f"the placeholder {hit[0]!r}" if hit else "")

    def _exit_code(self, exchange: Exchange, made: list[Step]) -> bool:
        hit = _CODE.fullmatch("".join(exchange.shown).strip())
        last = made[-1] if made else None
        if hit is None or not isinstance(last, Run):
            return False
        made[-1] = Run(command=last.command, checks=(*last.checks, f"done.returncode == {int(hit['code'])}"))
        return True

    def _shell(self, exchange: Exchange) -> Prepared | None:  # noqa: PLR0911  # one per command
        """A command that only makes or shows a file; None where it is none of the known ones."""
        line = read_line(exchange.command)
        if line is None or any(isinstance(one, Word) and one.shell for one in line.tokens):
            return None
        words = [token.text for token in line.tokens if isinstance(token, Word)]
        signs = [token.text for token in line.tokens if isinstance(token, Operator)]
        names = [posixpath.normpath(word) for word in words[1:] if not word.startswith("-")]
        if any(name.startswith(("/", "..")) for name in names):
            return None
        match words, signs:
            case [("echo" | "printf" | "cat"), *_], [">" | ">>"] if isinstance(line.tokens[-2], Operator):
                return self._written(words, signs[0], exchange.given)
            case ["cat", _], []:
                return self._shown(names[0], exchange)
            case [("touch" | "mkdir"), _, *_], []:
                making = "touch()" if words[0] == "touch" else "mkdir(parents=True, exist_ok=True)"
                self._files.update(names if words[0] == "touch" else [])
                return Prepared(lines=tuple(f"pathlib.Path(folder, {name!r}).{making}" for name in names))
            case ["rm", _, *_], [] if all(name in self._files for name in names):
                self._files.difference_update(names)
                return Prepared(lines=tuple(f"pathlib.Path(folder, {name!r}).unlink()" for name in names))
        return None

    def _written(self, words: list[str], sign: str, given: str | None) -> Prepared | None:
        *rest, name = words[1:]
        texts = echoed(rest) if words[0] == "echo" else (formatted(rest),) if words[0] == "printf" else (given,)
        if texts[0] is None or (words[0] == "cat" and rest):
            return None
        path = posixpath.normpath(name)
        self._files.add(path)
        mode = "a" if sign == ">>" else "w"
        opened = f'with pathlib.Path(folder, {path!r}).open("{mode}", encoding="utf-8") as file:'
        return Prepared(lines=(opened, f"    file.write({texts[0]!r})"))

    def _shown(self, path: str, exchange: Exchange) -> Prepared:
        content = f'pathlib.Path(folder, {path!r}).read_text(encoding="utf-8")'
        if not exchange.shown or changing("\n".join(exchange.shown), ""):
            return Prepared(lines=("pass",))
        expected = list(exchange.shown)
        return Prepared(lines=(f"assert meant_by(lines_of({content}), {expected!r}) == {expected!r}",), checks=True)
