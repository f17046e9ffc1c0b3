"""Promises about every run, which need no value: no traceback, the same output again, files left alone."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from refute.adversary.attack import Category, Origin
from refute.adversary.property.command_lines.command import Command
from refute.adversary.property.command_lines.conditions import MISSING, UNKNOWN_OPTION, Known
from refute.adversary.property.command_lines.programs import Program, Programs
from refute.adversary.property.command_lines.steps import invocation
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.sentences import Sentence
from refute.ticket.record import Claim

_MOST: Final = 4
"""Commands of the ticket that one promise is tried on."""
_MOST_ODD: Final = 14
_FLAG: Final = re.compile(r"`(-{1,2}[A-Za-z][\w-]*)`|(?<![\w`-])(--[a-z][\w-]*)")
_OPEN: Final = re.compile(r"\b(?:may|might|usually|sometimes)\b", re.IGNORECASE)
_FILE_PROMISE: Final = r"(?:(?:input|given|source|original|named|the) )+(?:files?|data)"
_OF_EVERY_RUN: Final = (
    r"(?:(?:it|the|a|an|any|no|not|never|python|raw|program|tool|script|cli|command|users?|errors?|bad|invalid|wrong"
    r"|malformed|input|inputs|arguments?|usage|prints?|printing|shows?|showing|shown|sees?|ends?|reach(?:es)?|in|with"
    r"|without|whatever|is|are|it's|given|ever|does|do|must|will|for|on|of|kind|all|every|failures?|mistakes?|to"
    r"|standard|stderr|reported|handled|as|one|line|single|messages?|clean|produces?|gets?|there|cleanly"
    r"|gracefully|leads?|results?|causes?|dumps?)\b|`[^`]*`|[\s,.;:!—-])"
)
"""Words of a promise that is about every run; one that names a circumstance is about that alone."""
Lines = Callable[[Program, Sequence[Command]], tuple[str, ...]]


def promise_tests(claim: Claim, sentence: Sentence, programs: Programs, known: Known) -> Iterator[Draft | Note]:
    """Tests for what a sentence promises of every run."""
    program = programs.only or next((one for one in programs.all if one.path in sentence.plain), None)
    for label, pattern, category, lines in _PROMISES:
        promised = pattern.search(sentence.plain)
        if promised is None or _OPEN.search(sentence.plain):
            continue
        if program is None:
            yield Note(claim=claim, reason=f"{label}: the claim names none of the ticket's programs")
            continue
        body = lines(program, _meant(sentence.plain, known.of(program)))
        if not body:
            reason = f"{label}: no command of the ticket shows how the program is given such input; add an example"
            yield Note(claim=claim, reason=reason)
            continue
        yield Draft(
            claim=claim,
            quote=quote_of(claim, sentence.verbatim, promised[0]),
            category=category,
            origin=Origin.PHRASE,
            label=label,
            detail=f"promise: {label}, by {program.path}",
            body=("with copied_workspace() as folder:", *(f"    {line}" for line in body)),
        )


def _meant(plain: str, commands: Sequence[Command]) -> list[Command]:
    """The commands that a promise is about: with the options that it names, or without them."""
    flags = [one or other for one, other in _FLAG.findall(plain)]
    if not flags:
        return list(commands)
    lacking = re.search(r"\b(?:without|unless|except)\b", plain, re.IGNORECASE) is not None
    return [one for one in commands if any(flag in one.arguments for flag in flags) is not lacking]


def _no_traceback(program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    bare = Command(program=program, launch=program.launch)
    odd: list[tuple[str, ...]] = [(), (UNKNOWN_OPTION,), (f"{MISSING}.txt",), ("",), ("é ü",)]
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


def _with_one_file(commands: Sequence[Command]) -> tuple[Command, str] | None:
    for command in commands:
        named = [word for word in command.arguments if word in command.files]
        if len(named) == 1 and not command.inputs and not command.merged:
            return command, named[0]
    return None


def _as_pipe(_program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    """The file's content on standard input gives the same; what prints the file's name cannot be compared."""
    return _piped(commands, lambda words, name: tuple(word for word in words if word != name))


def _as_dash(_program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    return _piped(commands, lambda words, name: tuple("-" if word == name else word for word in words))


def _piped(commands: Sequence[Command], change: Callable[[tuple[str, ...], str], tuple[str, ...]]) -> tuple[str, ...]:
    found = _with_one_file(commands)
    if found is None:
        return ()
    command, name = found
    path, stem = posixpath.normpath(name), posixpath.basename(name)
    piped = command.with_arguments(change(command.arguments, name))
    text = f'pathlib.Path(folder, {path!r}).read_text(encoding="utf-8")'
    return (
        f"by_name = {invocation(command)}",
        f"done = {invocation(piped, given=text)}",
        f"assert {stem!r} in by_name.stdout or done.stdout == by_name.stdout, what_it_did(done, folder)",
        "assert done.returncode == by_name.returncode, what_it_did(done, folder)",
    )


def _path_with_spaces(_program: Program, commands: Sequence[Command]) -> tuple[str, ...]:
    found = _with_one_file(commands)
    if found is None:
        return ()
    command, name = found
    path, stem = posixpath.normpath(name), posixpath.basename(name)
    other = f"a folder/and its {stem}"
    moved = command.with_arguments([other if word == name else word for word in command.arguments])
    return (
        'pathlib.Path(folder, "a folder").mkdir()',
        f"shutil.copy(pathlib.Path(folder, {path!r}), pathlib.Path(folder, {other!r}))",
        f"plain = {invocation(command)}",
        f"done = {invocation(moved)}",
        f"named = {stem.rpartition('.')[0] or stem!r} in plain.stdout",
        "assert named or done.stdout == plain.stdout, what_it_did(done, folder)",
        "assert done.returncode == plain.returncode, what_it_did(done, folder)",
    )


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


_STANDARD_INPUT: Final = r"\b(?:stdin|standard input)\b"
_CHANGED: Final = r"(?:changed|modified|written|touched|altered|unchanged|untouched|unmodified)\b"
_SAME_FOR: Final = r"(?:for|on|from|given) (?:the )?(?:same|identical|equal) (?:input|arguments)"
_NO_FILE: Final = r"\b(?:no|without(?: an?)?) (?:input )?(?:file|path|file name|filename)\b"
_DASH: Final = r"(?:`-`|\"-\"|'-'|\ba dash\b)"
_PATTERNS: Final = {
    "no traceback": (rf"^{_OF_EVERY_RUN}*+(?:tracebacks?|stack ?traces?)\b{_OF_EVERY_RUN}*+$",),
    "same again": (
        r"\bdeterminis",
        rf"\b(?:same|identical) (?:output|result)s? {_SAME_FOR}",
        rf"\b(?:output|result)s? (?:is|are) (?:always )?(?:the same|identical) {_SAME_FOR}",
        r"\bsame (?:input|arguments)[^.;]* same (?:output|result)",
        r"\b(?:runs?|running)(?: it)? twice\b[^.;]*\bsame (?:output|result)",
    ),
    "leaves its input file": (
        rf"\b{_FILE_PROMISE}(?: itself)? (?:is|are|stays?|remains?|must be)(?: \w+)? ?(?:never |not )?{_CHANGED}",
        (
            rf"\b(?:never|does not|doesn't|without|must not) (?:chang|modif|alter|touch|overwrit|writ)\w*(?: to)? "
            rf"(?:its |the |any )?{_FILE_PROMISE}"
        ),
    ),
    "reads standard input without a file": (
        (
            rf"\breads?\b[^.;]*{_STANDARD_INPUT}[^.;]*\b(?:no|without|absent|omitted|missing|not given)\b"
            r"[^.;]*\b(?:file|path|argument|operand)"
        ),
        rf"{_NO_FILE}[^.;]*\breads?\b[^.;]*{_STANDARD_INPUT}",
    ),
    "a dash is standard input": (
        rf"{_DASH}[^.;]*\b(?:means|is|stands for|reads|for)\b[^.;]*{_STANDARD_INPUT}",
        rf"\breads?\b[^.;]*{_STANDARD_INPUT}[^.;]*{_DASH}",
    ),
    "paths with spaces": (
        (
            r"\b(?:paths?|file ?names?|files|names)\b[^.;]*\b(?:with|containing|contain|hold|that hold)\b"
            r"[^.;]*\b(?:spaces?|blanks?)\b"
        ),
    ),
    "last line without newline": (
        r"\b(?:last|final) line\b[^.;]*\b(?:without|lacks?|no|missing)\b[^.;]*\b(?:newline|line break|line feed)",
        (
            r"\b(?:trailing|final|last) newline\b"
            r"[^.;]*\b(?:optional|not needed|not required|makes no difference|may be missing|missing)"
        ),
    ),
}
"""The words of each promise, any one of which says it."""
_TESTS: Final[dict[str, tuple[Category, Lines]]] = {
    "no traceback": (Category.FAILURE_MODE, _no_traceback),
    "same again": (Category.EDGE, _same_again),
    "leaves its input file": (Category.INTEGRATION, _unchanged),
    "reads standard input without a file": (Category.INTEGRATION, _as_pipe),
    "a dash is standard input": (Category.EDGE, _as_dash),
    "paths with spaces": (Category.EDGE, _path_with_spaces),
    "last line without newline": (Category.EDGE, _unended),
}
_PROMISES: Final = tuple(
    (label, re.compile("|".join(patterns), re.IGNORECASE), *_TESTS[label]) for label, patterns in _PATTERNS.items()
)
