"""Which words of a command line mean one of the ticket's programs, and how that one is started."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from refute.adversary.attack import Brief

_PYTHON: Final = re.compile(r"(?:/usr/bin/(?:env )?|/usr/local/bin/)?(?:python(?:[23](?:\.\d+)?)?|py)(?:\.exe)?")
_OPTION: Final = re.compile(r"-(?:u|B|I|s|E|OO?|q)")
_SHELLS: Final = frozenset({"sh", "bash"})
_NAMED: Final = re.compile(r"""\bprog\s*=\s*["'](?P<name>[\w.-]+)["']""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program of the ticket."""

    path: str
    """Relative to the workspace."""
    source: str = ""
    """Its text where it is Python that can be imported; only looked into for names and examples."""
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
        if self.is_python:
            return ("sys.executable", repr(self.path))
        if self.path.endswith((".sh", ".bash")):
            return ("'bash'" if self.path.endswith(".bash") else "'sh'", repr(self.path))
        return (repr(f"./{self.path}"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """All programs of a ticket."""

    all: tuple[Program, ...]

    def named(self, word: str) -> Program | None:
        """The program that a path or a name means; None where none or more than one may be meant."""
        path = PurePosixPath(word)
        plain = len(path.parts) == 1 or str(path).startswith(("bin/", "/usr/"))
        ways: tuple[Callable[[Program], bool], ...] = (
            lambda one: one.path == str(path),
            lambda one: f"/{one.path}".endswith(f"/{path}") or str(path).endswith(f"/{one.path}"),
            lambda one: plain and path.name in one.called,
        )
        found = next(filter(None, (list(filter(way, self.all)) for way in ways)), [])
        return found[0] if len(found) == 1 else None

    def by_module(self, name: str) -> Program | None:
        """The program that `python -m` starts under a name."""
        found = [program for program in self.all if program.module == name]
        return found[0] if len(found) == 1 else None


def programs_of(brief: Brief) -> Programs:
    """The programs of a brief."""
    return Programs(all=tuple(_programs(brief)))


def _programs(brief: Brief) -> Iterator[Program]:
    sources = {one.module.path: one for one in brief.modules}
    for path in brief.programs:
        posix, known = PurePosixPath(path), sources.get(path)
        folder = posix.parent
        is_main = posix.name == "__main__.py" and str(folder) != "."
        roots = [root for root in brief.ticket.import_roots if folder.is_relative_to(root)]
        package = ".".join((folder.relative_to(roots[0]) if roots else folder).parts)
        source = known.source if known else ""
        names = {folder.name} if is_main else {posix.name, posix.stem, *_NAMED.findall(source)}
        yield Program(
            path=path,
            source=source,
            module=package if is_main else (known.module.name if known else ""),
            called=frozenset(names | {name.replace("_", "-") for name in names}),
        )


Launch = tuple[Program, tuple[str, ...], Sequence[str]]
"""A program, the expressions that start it, and the words behind it."""


def launch_of(words: Sequence[str], programs: Programs) -> Launch | str | None:
    """What the first words of a command start.

    Returns:
        The launch; a reason where it is none of the ticket's programs though Python starts it; None where the words
        start nothing that is known.
    """
    if words and _PYTHON.fullmatch(words[0]):
        return _by_python(words, programs)
    shell = [*words[:1]] if words[:1] and words[0] in _SHELLS else []
    rest = words[len(shell) :]
    program = programs.named(rest[0]) if rest else None
    if program is None or (shell and program.is_python):
        return None
    return program, (repr(shell[0]), repr(program.path)) if shell else program.launch, rest[1:]


def _by_python(words: Sequence[str], programs: Programs) -> Launch | str | None:
    options = [*itertools.takewhile(_OPTION.fullmatch, words[1:])]
    program, started, what = None, list[str](), ""
    match words[1 + len(options) :]:
        case []:
            return None
        case ["-c", *rest]:
            return "`python -c` runs code, not one of the ticket's programs"
        case ["-m", name, *rest]:
            program, started, what = programs.by_module(name), ["'-m'", repr(name)], f"python -m {name}"
        case [name, *rest]:
            program, what = programs.named(name), f"{words[0]} {name}"
            started = [repr(program.path)] if program else []
    if program is None:
        return f"`{what}` is none of the ticket's implementation_files"
    return program, ("sys.executable", *map(repr, options), *started), rest
