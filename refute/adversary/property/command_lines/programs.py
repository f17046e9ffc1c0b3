"""Commands as written, read into what is run: one of the ticket's programs and its arguments. Never by a shell."""

import itertools
import re
import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from refute.adversary.attack import Brief, SourceModule
from refute.ticket.command_words import Sign, Word, read_tokens

_PYTHON: Final = re.compile(r"(?:/usr/bin/(?:env )?|/usr/local/bin/)?(?:python(?:[23](?:\.\d+)?)?|py)(?:\.exe)?")
_OPTION: Final = re.compile(r"-(?:u|B|I|s|E|OO?|q)")
_SHELLS: Final = frozenset({"sh", "bash"})
_SETTING: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_LOADER: Final = re.compile(r"LD_|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|PATH\Z")
_SYNOPSIS: Final = re.compile(
    r"\[.*\]|.*(?:\.\.\.|…)|<[a-z].*>|(?:IN|OUT)?(?:FILE|PATH|DIR)(?:NAME|S)?\d?|INPUT|OUTPUT|ARGS?|OPTIONS?|COMMAND"
    r"|NAME|TEXT|VALUE|KEY|PATTERN|SRC|DST|NUM|NUMBERS?"
)
"""Words of a usage line, which stand for others."""
_SHOWN: Final = 60
"""Characters of a command that fit a line of a report."""
_NAMED: Final = re.compile(r"""\bprog\s*=\s*["'](?P<name>[\w.-]+)["']""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program of the ticket."""

    path: str
    """Relative to the workspace."""
    module: str = ""
    """What `python -m` calls it; empty where nothing does."""
    called: frozenset[str] = frozenset()
    """The names by which a person calls it: of the file, with and without its ending, and what it calls itself."""

    @property
    def is_python(self) -> bool:
        """Whether Python runs it, whoever calls it."""
        return self.path.endswith((".py", ".pyw"))

    @property
    def launch(self) -> tuple[str, ...]:
        """Expressions of Python: the beginning of the list that starts it, in the workspace."""
        shell = {".sh": "'sh'", ".bash": "'bash'"}.get(PurePosixPath(self.path).suffix)
        started = "sys.executable" if self.is_python else shell
        return (started, repr(self.path)) if started else (repr(f"./{self.path}"),)


Programs = tuple[Program, ...]
"""All programs of a ticket."""


def _named(word: str, programs: Programs) -> Program | None:
    """The program that a path or a name means; None where none or more than one may be meant."""
    path = PurePosixPath(word)
    plain = len(path.parts) == 1 or str(path).startswith(("bin/", "/usr/"))
    ways: tuple[Callable[[Program], bool], ...] = (
        lambda one: one.path == str(path),
        lambda one: f"/{one.path}".endswith(f"/{path}") or str(path).endswith(f"/{one.path}"),
        lambda one: plain and path.name in one.called,
    )
    found = next(filter(None, (list(filter(way, programs)) for way in ways)), [])
    return found[0] if len(found) == 1 else None


def programs_of(brief: Brief) -> Programs:
    """The programs of a brief."""
    sources = {one.module.path: one for one in brief.modules}
    return tuple(_program(PurePosixPath(path), sources.get(path), brief.ticket.import_roots) for path in brief.programs)


def _program(path: PurePosixPath, known: SourceModule | None, import_roots: Sequence[str]) -> Program:
    folder = path.parent
    if path.name == "__main__.py" and str(folder) != ".":
        root = next((root for root in import_roots if folder.is_relative_to(root)), ".")
        module, names = ".".join(folder.relative_to(root).parts), {folder.name}
    else:
        module = known.module.name if known else ""
        names = {path.name, path.stem, *_NAMED.findall(known.source if known else "")}
    called = frozenset(names | {name.replace("_", "-") for name in names})
    return Program(path=str(path), module=module, called=called)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A run of one of the ticket's programs."""

    program: Program
    launch: tuple[str, ...]
    """Expressions of Python that start it."""
    arguments: tuple[str, ...] = ()
    stdin: str = ""
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def given(self) -> str:
        """Arguments and input as one text."""
        return " ".join([*self.arguments, self.stdin])


def read_command(text: str, programs: Programs, files: Collection[str]) -> Command | str | None:
    """Read one command as it is typed.

    Args:
        text: without the prompt.
        programs: of the ticket; only these are ever run.
        files: that are there, relative to the workspace.

    Returns:
        The command; a reason where it runs one of the programs in a way that is not tried; None where it is none.
    """
    try:
        tokens = read_tokens(text.strip().removesuffix("2>&1"))  # a terminal shows both
    except ValueError:
        return None
    words = [one for one in itertools.takewhile(lambda one: isinstance(one, Word), tokens) if isinstance(one, Word)]
    made = command_of([one.text for one in words], programs)
    if isinstance(made, Command):
        signs = [one.text for one in tokens if isinstance(one, Sign)]
        shell = next(iter([*signs, *(one.shell for one in words if one.shell)]), "")
        synopsis = [one.text for one in words if not one.quoted and _SYNOPSIS.fullmatch(one.text)]
        if unknown := [one for one in synopsis if one not in files]:
            made = f"it is a usage line: `{unknown[0]}` stands for something else"
        elif shell:
            made = f"it holds `{shell}`, which needs a shell: give `stdin` and `files`"
    return f"`{textwrap.shorten(text, _SHOWN, placeholder='…')}`: {made}" if isinstance(made, str) else made


def command_of(words: Sequence[str], programs: Programs) -> Command | str | None:
    """The run that words start; why it is not tried; None where they start no program of the ticket."""
    settings = [*itertools.takewhile(lambda one: one == "env" or _SETTING.fullmatch(one), words)]
    environment = tuple((hit["name"], hit["value"]) for one in settings if (hit := _SETTING.fullmatch(one)))
    first, *rest = [*words[len(settings) :], ""]
    options = [*itertools.takewhile(_OPTION.fullmatch, rest)]
    by_python, by_shell = _PYTHON.fullmatch(first) is not None, first in _SHELLS
    match rest[len(options) : -1] if by_python else [first, *rest][by_shell:-1]:
        case []:
            return None
        case ["-c", *_] if by_python:
            return "`python -c` runs code, not one of the ticket's programs"
        case ["-m", name, *arguments] if by_python:
            program = next((one for one in programs if one.module == name), None)
            named = ["'-m'", repr(name)]
        case [name, *arguments]:
            program = _named(name, programs)
            named = [repr(program.path)] if program else []
    if program is None or (by_shell and program.is_python):
        called = f"python {'-m ' * (len(named) > 1)}{name}"
        return f"`{called}` is none of the ticket's implementation_files" if by_python else None
    if loader := [variable for variable, _ in environment if _LOADER.match(variable)]:
        return f"it sets {loader[0]}, which changes how every program starts"
    launch = ("sys.executable", *map(repr, options), *named) if by_python else program.launch
    launch = (repr(first), *named) if by_shell else launch
    return Command(program=program, launch=launch, arguments=tuple(arguments), environment=environment)
