"""Which words of a command line mean one of the ticket's programs, and how that one is started."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from refute.adversary.attack import Brief

PYTHON: Final = re.compile(r"(?:/usr/bin/(?:env )?|/usr/local/bin/)?(?:python(?:[23](?:\.\d+)?)?|py)(?:\.exe)?")
_SHELLS: Final = frozenset({"sh", "bash"})
_NAMED: Final = re.compile(r"""\bprog\s*=\s*["'](?P<name>[\w.-]+)["']""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program of the ticket."""

    path: str
    """Relative to the workspace."""
    source: str = ""
    """Its text where it is Python that can be imported; only looked into for names."""
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
        path = str(PurePosixPath(word)) if word else ""
        exact = [program for program in self.all if program.path == path]
        tail = [program for program in self.all if f"/{program.path}".endswith(f"/{path}") and path]
        by_name = [program for program in self.all if PurePosixPath(path).name in program.called] if path else []
        absolute = [program for program in self.all if path.endswith(f"/{program.path}")]
        plain = "/" not in path or path.startswith(("bin/", "/usr/"))
        found = exact or tail or absolute or (by_name if plain else [])
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
        posix = PurePosixPath(path)
        known = sources.get(path)
        source = known.source if known else ""
        names = {posix.name, posix.stem} | {hit["name"] for hit in _NAMED.finditer(source)}
        if posix.name == "__main__.py":
            names = {posix.parent.name} if str(posix.parent) != "." else set()
        names |= {name.replace("_", "-") for name in names}
        yield Program(
            path=path,
            source=source,
            module=_main_of(path, brief) or (known.module.name if known else ""),
            called=frozenset(names),
        )


def _main_of(path: str, brief: Brief) -> str:
    """The package that a `__main__.py` starts."""
    folder, _, name = path.rpartition("/")
    if name != "__main__.py" or not folder:
        return ""
    roots = [root for root in brief.ticket.import_roots if folder.startswith(f"{root}/")]
    return folder.removeprefix(f"{roots[0]}/" if roots else "").replace("/", ".")


def launch_of(words: list[str], programs: Programs) -> tuple[Program, tuple[str, ...], int] | str | None:
    """What the first words of a command start.

    Returns:
        The program, the expressions that start it, and how many words that took; a reason where it is none of the
        ticket's programs though it looks like a command; None where it does not look like one.
    """
    if not words:
        return None
    if PYTHON.fullmatch(words[0]):
        return _by_python(words, programs)
    if words[0] in _SHELLS and len(words) > 1 and (program := programs.named(words[1])) is not None:
        return (program, (repr(words[0]), repr(program.path)), 2) if not program.is_python else None
    program = programs.named(words[0])
    if program is None:
        return None
    return program, program.launch, 1


def _by_python(words: list[str], programs: Programs) -> tuple[Program, tuple[str, ...], int] | str | None:
    options: list[str] = []
    for index, word in enumerate(words[1:], 1):
        match word:
            case "-c":
                return "`python -c` runs code, not one of the ticket's programs"
            case "-m":
                name = words[index + 1] if index + 1 < len(words) else ""
                program = programs.by_module(name)
                if program is None:
                    return f"`python -m {name}` is none of the ticket's implementation_files"
                return program, ("sys.executable", *options, "'-m'", repr(name)), index + 2
            case "-u" | "-B" | "-I" | "-s" | "-E" | "-O" | "-OO" | "-W" | "-q":
                options.append(repr(word))
            case _:
                program = programs.named(word)
                if program is None:
                    return f"`{words[0]} {word}` is none of the ticket's implementation_files"
                return program, ("sys.executable", *options, repr(program.path)), index + 1
    return None
