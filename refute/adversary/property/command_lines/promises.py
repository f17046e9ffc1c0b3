"""Promises about every run, which need no value: no traceback, the same output again, files left alone."""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from refute.adversary.attack import Category, Origin
from refute.adversary.property.command_lines.command import Command
from refute.adversary.property.command_lines.programs import Program, Programs
from refute.adversary.property.command_lines.steps import invocation
from refute.adversary.property.command_lines.table import compiled, table
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.sentences import sentences
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim

_MOST: Final = 4
"""Commands of the ticket that one promise is tried on."""
_MOST_ODD: Final = 14


def promise_tests(claim: Claim, programs: Programs, known: Sequence[Command]) -> Iterator[Draft | Note]:
    """Tests for what a claim's clauses promise of every run."""
    program = programs.only
    for clause in [part for sentence in sentences(claim.text) for part in clauses_of(sentence.verbatim)]:
        plain = " ".join(clause.split()).strip(" .;,")
        for row in table()["promise"] if program is not None else ():
            if program is None or not compiled(row["pattern"]).fullmatch(plain):
                continue
            name = row["name"]
            body = _LINES[name](program, [one for one in known if one.program == program])
            if not body:
                reason = f"{name}: no command of the ticket shows how the program is given such input; add an example"
                yield Note(claim=claim, reason=reason)
                continue
            yield Draft(
                claim=claim,
                quote=quote_of(claim, clause),
                category=Category(row["category"]),
                origin=Origin.PHRASE,
                label=name,
                detail=f"promise: {name}, by {program.path}",
                body=("with copied_workspace() as folder:", *(f"    {line}" for line in body)),
            )


def _no_traceback(program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    bare = Command(program=program, launch=program.launch)
    odd: list[tuple[str, ...]] = [(), ("--no-such-option",), ("no-such-file.txt",), ("",), ("é ü",)]
    for command in commands[:_MOST]:
        odd += [command.arguments[:index] for index in range(1, len(command.arguments))]
        odd += [(*command.arguments, "one-more"), (*command.arguments[:-1], "not-what-was-meant")]
    tried = list(dict.fromkeys(odd))[:_MOST_ODD]
    inputs = [repr(text) for command in commands for text in command.texts[:1]][:2] or ["'no such input\\n'"]
    words = ", ".join([*bare.launch, "*words"])
    return (
        f"for words in {tried!r}:",
        f"    for given in ('', {', '.join(inputs)}):",
        f"        done = subprocess.run([{words}], input=given, capture_output=True, **settings_in(folder))",
        "        assert 'Traceback (most recent call last)' not in done.stderr, what_it_did(done, folder)",
    )


def _same_again(_program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    lines: list[str] = []
    for command in [one for one in commands if not one.merged and len(one.inputs) <= 1][:_MOST]:
        for name, seed in (("done", "1"), ("again", "2")):
            run = invocation(command).replace("**settings_in(folder", f"**settings_in(folder, PYTHONHASHSEED={seed!r}")
            lines.append(f"{name} = {run}")
        lines.append(
            "assert (again.stdout, again.returncode) == (done.stdout, done.returncode), what_it_did(again, folder)"
        )
    return tuple(lines)


def _unchanged(_program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    lines: list[str] = []
    for command in [one for one in commands if one.files][:_MOST]:
        for path in dict.fromkeys(posixpath.normpath(name) for name in command.files):
            lines.append(f"before = pathlib.Path(folder, {path!r}).read_bytes()")
            lines.append(f"done = {invocation(command)}")
            lines.append(f"assert pathlib.Path(folder, {path!r}).read_bytes() == before, what_it_did(done, folder)")
    return tuple(lines)


def _unended(_program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    lines: list[str] = []
    for command in [one for one in commands if one.texts and one.texts[0].strip() and not one.merged][:_MOST]:
        text = command.texts[0].rstrip("\n")
        lines += [
            f"ended = {invocation(command, given=repr(text + chr(10)))}",
            f"done = {invocation(command, given=repr(text))}",
            "assert (done.stdout, done.returncode) == (ended.stdout, ended.returncode), what_it_did(done, folder)",
        ]
    return tuple(lines)


_LINES: Final[dict[str, Callable[[Program, Sequence[Command]], tuple[str, ...]]]] = {
    "no traceback": _no_traceback,
    "same again": _same_again,
    "leaves its input file": _unchanged,
    "last line without newline": _unended,
}
"""Row of the table → the lines of its test; none where no command shows how."""
