"""Runs of programs as lines of a test: those of a claim's `run` field, and those that a session or an example shows."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.attack import Category, Origin
from refute.adversary.property.command_lines.output import lines_of
from refute.adversary.property.command_lines.programs import Command, Programs, command_of
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.ticket.record import Claim, Run, Text

_NAMES: Final = {"out": "stdout", "err": "stderr"}
_USAGE: Final = re.compile(
    r"^usage: |^(?:options|optional arguments|positional arguments):|invalid choice", re.IGNORECASE | re.MULTILINE
)
_CHANGES: Final = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d:\d\d\b|\b\d+(?:\.\d+)? ?(?:ms|sec(?:ond)?s?)\b|<[a-z][a-z _-]*>(?!.*</)"
    r"|(?<![\w.])/(?:home|Users|tmp|private|var|root)/|\b[A-Z]:\\|\bPython 3\.\d+|\bpid\b|0x[0-9a-f]{6,}"
)
"""What depends on where and when a program runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a session, as lines of Python in which `folder` is known; `done` is the last run."""

    lines: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    """Assertions about `code`, `out` and `err` of the last run."""
    command: Command | None = None


def check(condition: str, expected: str) -> str:
    """The assertion of a condition; `expected` says in words what must be."""
    return f"assert {condition}, what_it_did(done, folder, {expected!r})"


def invocation(command: Command) -> tuple[str, str]:
    """The lines that run a command."""
    words = ", ".join([*command.launch, *map(repr, command.arguments)])
    settings = "".join(f", {name}={value!r}" for name, value in command.environment)
    run = f"done = subprocess.run([{words}], input={command.stdin!r}, **settings_in(folder{settings}))"
    return run, "code, out, err = done.returncode, done.stdout, done.stderr"


def exits(code: int) -> str:
    """It ends with this exit code."""
    return check(f"code == {code}", f"exit code {code}")


def changing(text: str, command: Command) -> str:
    """Why an output cannot be expected to be the same elsewhere; empty where it can."""
    if _USAGE.search(text):
        return "shows argparse's usage, whose words differ between versions of Python"
    hits = [hit[0] for hit in _CHANGES.finditer(text) if hit[0] not in command.given]
    return f"shows {hits[0]!r}, which may differ from run to run: write `...` for it" if hits else ""


def shows(stream: str, text: str) -> str:
    r"""A stream holds just this; `\n` may stand for a line break, `...` for anything, JSON is a value."""
    quoted = re.fullmatch(r"(?P<quote>[\"'])(?P<inner>.*)(?P=quote)", text, re.DOTALL)
    texts = [text, quoted["inner"]] if quoted else [text]
    meant = [lines for one in texts for lines in (lines_of(one), lines_of(one.replace("\\n", "\n")))]
    meant = [lines for index, lines in enumerate(meant) if lines not in meant[:index]]
    condition = f"lines_of({stream}) == {meant[0]!r}" if len(meant) == 1 else f"lines_of({stream}) in {meant!r}"
    if "..." in text or _is_json(text):
        condition = " or ".join(f"meant_by(lines_of({stream}), {one!r}) == {one!r}" for one in meant)
    return check(condition, f"{_NAMES.get(stream, 'the file')} {text!r}")


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def session_draft(claim: Claim, steps: Sequence[Step], *, quote: str, origin: Origin, label: str) -> Draft:
    """The test of some steps, in a copy of the workspace."""
    body = [line for step in steps for line in (*step.lines, *step.checks)]
    commands = [step.command for step in steps if step.command]
    return Draft(
        claim=claim,
        quote=quote if quote in claim.text else quote_of(claim, quote),
        category=_category(steps, commands),
        origin=origin,
        label=label,
        detail=f"runs {commands[0].program.path}\n{quote}" if commands else quote,
        body=("with copied_workspace() as folder:", *(f"    {line}" for line in body)),
    )


def _category(steps: Sequence[Step], commands: Sequence[Command]) -> Category:
    if any(re.match(r"assert code (?:!= 0|== [1-9])", one) for step in steps for one in step.checks):
        return Category.FAILURE_MODE
    if len(commands) > 1 or len(steps) > 1:
        return Category.INTEGRATION
    odd = any(not word.isascii() or " " in word or not word for one in commands for word in one.arguments)
    return Category.EDGE if odd else Category.SMOKE


def run_test(claim: Claim, run: Run, programs: Programs) -> Draft | Note:
    """The test of a claim's `run` field."""
    command = command_of(run.words, programs)
    if not isinstance(command, Command):
        known = ", ".join(program.path for program in programs)
        reason = command or f"got {run.words[0]!r}, expected one of the ticket's programs: {known}"
        return Note(claim=claim, reason=f"run: {reason}", field="run")
    files = [f"put_file(folder, {path!r}, {text!r})" for path, text in run.files.items()]
    command = replace(command, stdin=run.stdin)
    step = Step(lines=(*files, *invocation(command)), checks=tuple(_ends(run)), command=command)
    return session_draft(claim, [step], quote=str(run), origin=Origin.AUTHOR_EXAMPLE, label="run")


def _ends(run: Run) -> Iterator[str]:
    """How the run must end."""
    if run.fails:
        yield check("code != 0", "an exit code other than 0")
    if run.exit_code is not None:
        yield exits(run.exit_code)
    for stream, text in (("out", run.stdout), ("err", run.stderr)):
        if text is not None:
            yield from _holds(stream, _NAMES[stream], text)
    for path, text in run.files_after.items():
        yield check(f"pathlib.Path(folder, {path!r}).is_file()", f"the file {path}")
        yield from _holds(f"file_in(folder, {path!r})", path, text)


def _holds(stream: str, name: str, text: Text) -> Iterator[str]:
    if text.exact is not None:
        yield check(f"lines_of({stream}) == lines_of({text.exact!r})", f"{name} {text.exact!r}")
    yield from (check(f"{part!r} in {stream}", f"{part!r} in {name}") for part in text.contains)
