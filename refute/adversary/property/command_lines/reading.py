"""What a ticket says about its programs, as drafts of tests: `run` fields, sessions, `COMMAND -> OUTPUT`."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Brief, Category, Origin, Untested
from refute.adversary.property.command_lines.programs import Command, command_of, programs_of, read_command
from refute.adversary.property.command_lines.transcripts import Exchange, read_lines, read_sessions
from refute.adversary.property.draft import Draft, quote_of
from refute.ticket.record import Claim, Run

_QUOTED: Final = re.compile(r"`([^`]*)`\.?|\"([^\"]*)\"|'([^']*)'")
_CAT: Final = re.compile(r"cat ((?!/|\.\.)[\w./-]+)")
_FAILS: Final = re.compile(r"assert done\.returncode (?:!= 0|== [1-9])")
_USAGE: Final = re.compile(
    r"^usage: |^(?:options|optional arguments|positional arguments):|invalid choice", re.IGNORECASE | re.MULTILINE
)
_CHANGES: Final = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d:\d\d\b|\b\d+(?:\.\d+)? ?(?:ms|sec(?:ond)?s?)\b|<[a-z][a-z _-]*>(?!.*</)"
    r"|(?<![\w.])/(?:home|Users|tmp|private|var|root)/|\b[A-Z]:\\|\bPython 3\.\d+|\bpid\b|0x[0-9a-f]{6,}"
)
"""What depends on where and when a program runs."""


def command_line_tests(brief: Brief) -> Iterator[Draft | Untested]:
    """Every test that can be made of what the ticket says about its programs."""
    reader = _Reader(brief)
    for claim in brief.ticket.claims:
        yield from reader.claim(claim)


class _Reader:
    """Reads one ticket."""

    def __init__(self, brief: Brief) -> None:
        self._programs = programs_of(brief)
        self._files = frozenset(brief.workspace_paths)

    def claim(self, claim: Claim) -> Iterator[Draft | Untested]:
        """Tests for a claim's fields, and for the examples and sessions in its text."""
        if claim.run is not None:
            yield self._run(claim, claim.run)
        for example in claim.examples:
            made = [*self._text(claim, example, Origin.AUTHOR_EXAMPLE)]
            if not any(isinstance(one, Draft) for one in made):
                told = f"the example {example[:60]!r}"
                unread = f"{told} is no command with what it prints or how it exits"
                reason = next((one.reason for one in made if isinstance(one, Untested)), unread)
                made = [Untested(claim=claim, reason=reason, field=told)]
            yield from made
        yield from self._text(claim, claim.text, Origin.CLAIM_EXAMPLE)

    def _run(self, claim: Claim, run: Run) -> Draft | Untested:
        """The test of a claim's `run` field."""
        command = command_of(run.words, self._programs)
        if not isinstance(command, Command):
            known = ", ".join(program.path for program in self._programs)
            reason = command or f"got {run.words[0]!r}, expected one of the ticket's programs: {known}"
            return Untested(claim=claim, reason=f"run: {reason}", field="run")
        files = [f"put_file(folder, {path!r}, {text!r})" for path, text in run.files.items()]
        command = replace(command, stdin=run.stdin)
        lines = [*files, _invocation(command), *_ends(run)]
        return _draft(claim, [command], lines, (str(run), "run"), Origin.AUTHOR_EXAMPLE)

    def _text(self, claim: Claim, text: str, origin: Origin) -> Iterator[Draft | Untested]:
        """Sessions, and lines that stand for themselves."""
        sessions, rest = read_sessions(text)
        for session in sessions:
            yield from self._session(claim, session, (session[0].command, "session"), origin)
        for ways in read_lines(rest, is_example=origin is Origin.AUTHOR_EXAMPLE):
            made = ([*self._session(claim, [one], (one.in_line, "example"), origin)] for one in ways)
            yield from next(filter(None, made), [])

    def _session(
        self, claim: Claim, session: Sequence[Exchange], told: tuple[str, str], origin: Origin
    ) -> Iterator[Draft | Untested]:
        """The test of a session up to what is not understood, none where nothing of it can fail; and what was left."""
        lines, commands = list[str](), list[Command]()
        for one in session:
            command = read_command(one.command, self._programs, self._files)
            checks = _shown(one, command) if isinstance(command, Command) else _of_shell(one) if commands else None
            if isinstance(command, str) or checks is None:
                left = f"the session is followed up to `{one.command[:60]}`, which is not run"
                why = command if isinstance(command, str) else left
                yield from [Untested(claim=claim, reason=why)] if command or commands else []
                break
            if command is not None:
                commands.append(command)
                lines.append(_invocation(command))
            if isinstance(checks, str):
                yield Untested(claim=claim, reason=checks)
            else:
                lines += checks
        if any(line.startswith("assert") for line in lines):
            yield _draft(claim, commands, lines, told, origin)


def _draft(
    claim: Claim, commands: Sequence[Command], lines: Sequence[str], told: tuple[str, str], origin: Origin
) -> Draft:
    """The test of runs, in a copy of the workspace; `told` are its quote and label."""
    quote, label = told
    odd = any(not word.isascii() or " " in word or not word for one in commands for word in one.arguments)
    category = Category.EDGE if odd else Category.SMOKE
    if len(commands) > 1:
        category = Category.INTEGRATION
    return Draft(
        claim=claim,
        quote=quote if quote in claim.text else quote_of(claim, quote),
        category=Category.FAILURE_MODE if any(map(_FAILS.match, lines)) else category,
        origin=origin,
        label=label,
        detail=f"runs {commands[0].program.path}\n{quote}",
        body=("with copied_workspace() as folder:", *(f"    {line}" for line in lines)),
    )


def _invocation(command: Command) -> str:
    """The line that runs a command."""
    words = ", ".join([*command.launch, *map(repr, command.arguments)])
    stdin = [repr(command.stdin)] if command.stdin else []
    settings = [f"{name}={value!r}" for name, value in command.environment]
    return f"done = run_in({', '.join(['folder', f'[{words}]', *stdin, *settings])})"


def _check(condition: str, expected: str) -> str:
    """The assertion of a condition; `expected` says in words what must be."""
    return f"assert {condition}, what_it_did(done, folder, {expected!r})"


def _exits(code: int) -> str:
    return _check(f"done.returncode == {code}", f"exit code {code}")


def _shown(one: Exchange, command: Command) -> list[str] | str:
    """The checks of what is shown for a command, and of its exit code; or why they cannot be held against a program."""
    text = one.shown
    quoted = _QUOTED.fullmatch(text) if one.in_line else None
    spelled = next(part for part in quoted.groups() if part is not None) if quoted else text
    if text and not one.trusted and not quoted:
        return f"`{one.in_line[:60]}`: write what it prints in backticks"
    if why := _changing(spelled, command):
        return f"`{(one.in_line or one.command)[:60]}` {why}"
    checks = [_exits(one.exit_code)] if one.exit_code is not None else []
    if not text:
        return checks
    if not one.in_line:
        return [*checks, _check(f"on_terminal(done, {text!r})", f"output {text!r}")]
    return [*checks, _means("done.stdout", "stdout", spelled)]


def _changing(text: str, command: Command) -> str:
    """Why an output cannot be expected to be the same elsewhere; empty where it can."""
    if _USAGE.search(text):
        return "shows argparse's usage, whose words differ between versions of Python"
    hits = [hit[0] for hit in _CHANGES.finditer(text) if hit[0] not in command.given]
    return f"shows {hits[0]!r}, which may differ from run to run: write `...` for it" if hits else ""


def _means(got: str, name: str, text: str) -> str:
    r"""A text is just this; quotes may stand around it, and `\n` for a line break."""
    quoted = re.fullmatch(r"(?P<quote>[\"'])(?P<inner>.*)(?P=quote)", text, re.DOTALL)
    spelled = [text, quoted["inner"]] if quoted else [text]
    ways = dict.fromkeys([*spelled, *(one.replace("\\n", "\n") for one in spelled)])
    return _check(f"means({', '.join([got, *map(repr, ways)])})", f"{name} {text!r}")


def _of_shell(one: Exchange) -> list[str] | None:
    """The check of a command that only shows a file or the last exit code; None for others."""
    if one.command == "echo $?" and one.shown.strip().isdecimal():
        return [_exits(int(one.shown))]
    if (hit := _CAT.fullmatch(one.command)) is not None:
        return [_means(f"file_in(folder, {posixpath.normpath(hit[1])!r})", hit[1], "\n".join(one.lines).rstrip())]
    return None


def _ends(run: Run) -> Iterator[str]:
    """How the run of a field must end."""
    if run.fails:
        yield _check("done.returncode != 0", "an exit code other than 0")
    if run.exit_code is not None:
        yield _exits(run.exit_code)
    held = {name: (f"done.{name}", text) for name, text in (("stdout", run.stdout), ("stderr", run.stderr)) if text}
    for path, text in run.files_after.items():
        yield _check(f"pathlib.Path(folder, {path!r}).is_file()", f"the file {path}")
        held[path] = (f"file_in(folder, {path!r})", text)
    for name, (got, text) in held.items():
        if text.exact is not None:
            yield _check(f"lines_of({got}) == lines_of({text.exact!r})", f"{name} {text.exact!r}")
        yield from (_check(f"{part!r} in {got}", f"{part!r} in {name}") for part in text.contains)
