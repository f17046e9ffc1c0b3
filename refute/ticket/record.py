"""Ticket and Claim: what an author submits, already validated. `parse.py` makes these from files."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NewType

TicketId = NewType("TicketId", str)
ClaimId = NewType("ClaimId", str)


class Kind(StrEnum):
    """How a ticket's code is attacked."""

    PYTHON = "python"
    """Imported and called."""
    CLI = "cli"
    """Through argv, standard input and output, exit code and files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """The executable form of a claim: for all `given` values that satisfy `assume`, `check` holds."""

    given: Mapping[str, str]
    """Variable name → type expression (`int`, `list[int]`, …) or Hypothesis strategy (`st.integers(0, 9)`)."""
    check: str
    """Python expression over the given names and the implementation's public names; must be true."""
    assume: str | None = None
    """Python expression; values for which it is false are not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raises:
    """An error that a claim promises: for all `given` values that satisfy `assume`, `call` raises it."""

    error: str
    """Name of a builtin exception or of the implementation's own; may be dotted."""
    call: str
    """Python expression over the given names and the implementation's public names."""
    given: Mapping[str, str] = field(default_factory=dict)
    """As in a property; empty: the call stands for itself."""
    assume: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What a stream or a file must hold."""

    exact: str | None = None
    """All of it; blanks at the ends of lines and empty lines at the end do not count."""
    contains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a program, without a shell, in a fresh copy of the workspace, and how it must end."""

    words: tuple[str, ...]
    """The program and its arguments; `NAME=value` before the program sets a variable of the environment."""
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    """Path → text, written before the run."""
    exit_code: int | None = None
    fails: bool = False
    """The exit code is another than 0, whichever."""
    stdout: Text | None = None
    stderr: Text | None = None
    files_after: Mapping[str, Text] = field(default_factory=dict)

    def __str__(self) -> str:
        """The run in a line: `tool.py add 2 3: exit 0, stdout '5'`."""
        code = "not 0" if self.fails else self.exit_code
        streams = {"stdout": self.stdout, "stderr": self.stderr} | dict(self.files_after)
        told = [
            *([f"exit {code}"] if code is not None else []),
            *(f"{name} {one.exact!r}" for name, one in streams.items() if one and one.exact is not None),
            *(f"{name} contains {part!r}" for name, one in streams.items() if one for part in one.contains),
        ]
        given = [f"stdin {self.stdin!r}"] if self.stdin else []
        given += [f"{path} {text!r}" for path, text in self.files.items()]
        return f"{shlex.join(self.words)}{' with ' if given else ''}{', '.join(given)}: {', '.join(told)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence that the author asserts about the implementation."""

    id: ClaimId
    text: str
    examples: tuple[str, ...] = ()
    """Python that must hold as written, `CALL raises ERROR` or a `>>>` session; of a program `COMMAND -> OUTPUT`."""
    property: Property | None = None
    raises: tuple[Raises, ...] = ()
    same_as: Mapping[str, str] = field(default_factory=dict)
    """Function of the implementation → one that gives the same for every input (`sum`, `math.fsum`, `slow_sum`)."""
    unchanged: Mapping[str, str] = field(default_factory=dict)
    """Function that behaves as in the version before (`base`, `previous`) → where, as a condition on its parameters;
    empty for every input."""
    run: Run | None = None
    """Of a program."""

    def code(self) -> tuple[str, ...]:
        """What its executable fields run or name; empty where it has none."""
        checks = (self.property.check,) if self.property else ()
        runs = (str(self.run),) if self.run else ()
        return (*self.examples, *checks, *(one.call for one in self.raises), *self.same_as, *self.unchanged, *runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One change to verify. Paths are POSIX, relative to `workspace`, and stay inside it."""

    id: TicketId
    title: str
    workspace: Path
    """Absolute directory that holds the files."""
    implementation_files: tuple[str, ...]
    claims: tuple[Claim, ...]
    verification_script: str
    source: str
    """The ticket file this was read from, for messages."""
    description: str = ""
    success_criteria: tuple[str, ...] = ()
    anti_criteria: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    """Extra globs to snapshot."""
    import_roots: tuple[str, ...] = (".",)
    requirements: tuple[str, ...] = ()
    """Hash-pinned requirement lines that the code needs."""
    python: str = "3.11"
    kind: Kind = Kind.PYTHON
    labels: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    previous: str | None = None
    """Path of the version before the change, of one file."""
    base: str | None = None
    """The whole tree before the change: a git revision, or a directory of the workspace."""
    focus_areas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """An implementation file as Python sees it."""

    path: str
    """Relative to the workspace."""
    name: str
    """Dotted import name, e.g. `pkg.ratelimit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file that a snapshot does not hold, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFile:
    """One frozen file."""

    path: str
    """POSIX, relative to the workspace; may hold spaces, unicode and newlines, never `..`."""
    sha256: str
    size_bytes: int
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The content-addressed files of a ticket. Everything downstream sees only these."""

    digest: str
    """`sha256:…` over the ticket's canonical form and every file's path, mode and content."""
    files: tuple[SnapshotFile, ...]
    archive: Path
    """A deterministic tar of the files in the store; its content is checked against `files` whenever it is read."""
    left_out: tuple[LeftOut, ...] = field(default=())
    before: tuple[SnapshotFile, ...] = ()
    """What the ticket's `base` holds otherwise: in the archive, in no job's workspace; empty where a file is new."""

    @property
    def total_bytes(self) -> int:
        """Size of all files together."""
        return sum(file.size_bytes for file in self.files)
