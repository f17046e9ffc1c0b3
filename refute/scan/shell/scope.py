"""What a shell script knows at a point: variables with their possible values, functions, working directory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import EMPTY, HERE, HOME, NAME, OWN_PROCESS, TEMP, UNKNOWN, capped, is_open

MAX_VALUES: Final = 6
"""Possible values kept for one variable; more of them become UNKNOWN as well."""

_ENVIRONMENT: Final = {
    "TMPDIR": TEMP,
    "TMP": TEMP,
    "TEMP": TEMP,
    "AUTOPKGTEST_TMP": TEMP,
    "ADTTMP": TEMP,
    "BATS_TMPDIR": TEMP,
    "BATS_TEST_TMPDIR": TEMP,
    "RUNNER_TEMP": TEMP,
    "TEST_TMPDIR": TEMP,
    "PWD": HERE,
    "OLDPWD": HERE,
    "GITHUB_WORKSPACE": HERE,
    "CI_PROJECT_DIR": HERE,
    "HOME": HOME,
    "USER": NAME,
    "LOGNAME": NAME,
    "HOSTNAME": NAME,
    "UID": NAME,
    "EUID": NAME,
    "RANDOM": NAME,
    "SECONDS": NAME,
    "LINENO": NAME,
    "EPOCHSECONDS": NAME,
    "BASHPID": OWN_PROCESS,
    "$": OWN_PROCESS,
    "!": OWN_PROCESS,
    "PPID": UNKNOWN,
    "?": NAME,
    "#": NAME,
    "IFS": " ",
    "SHELL": "/bin/sh",
    "BASH": "/bin/bash",
    "PYTHON": "python3",
}


@dataclass(slots=True)
class Frame:
    """One function under way."""

    branching: int
    """How many conditions surround its call."""
    before: dict[str, tuple[tuple[str, ...] | None, list[str] | None]]
    """What the variables and arrays that it declared its own were before."""


@dataclass(slots=True)
class Scope:
    """The state of one walk; `fork` gives a subshell its own copy."""

    script: str
    """Path of the script from the workspace, for `$0`."""
    cwd: str = HERE
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    """Names that stand for other names (`declare -n`)."""
    descriptors: dict[str, str] = field(default_factory=dict)
    """Number of a descriptor that the script opened for reading → the text behind it."""
    arguments: list[str] | None = None
    """Positional parameters; None where they are not known."""
    frames: list["Frame"] = field(default_factory=list)
    """The functions under way, the innermost last."""
    endless: int = 0
    """How many loops without an end surround this point."""
    branching: int = 0
    """How many conditions or loops surround this point: an assignment there adds a value instead of replacing."""

    def fork(self) -> "Scope":
        """A copy for a subshell."""
        return Scope(
            script=self.script,
            cwd=self.cwd,
            variables=dict(self.variables),
            arrays={name: list(words) for name, words in self.arrays.items()},
            functions=dict(self.functions),
            aliases=dict(self.aliases),
            references=dict(self.references),
            descriptors=dict(self.descriptors),
            arguments=self.arguments,
            frames=[Frame(frame.branching, dict(frame.before)) for frame in self.frames],
            branching=self.branching,
            endless=self.endless,
        )

    def become(self, other: "Scope") -> None:
        """Take over the state of another scope, copied."""
        fresh = other.fork()
        self.cwd, self.branching, self.endless = fresh.cwd, fresh.branching, fresh.endless
        self.variables, self.arrays, self.functions = fresh.variables, fresh.arrays, fresh.functions
        self.aliases, self.references, self.descriptors = fresh.aliases, fresh.references, fresh.descriptors

    def assign(self, name: str, values: tuple[str, ...]) -> None:
        """Give a variable its possible values."""
        held = self.variables.get(name, ()) if self.branching else ()
        merged = tuple(dict.fromkeys((*held, *map(capped, values))))
        self.variables[name] = merged if len(merged) <= MAX_VALUES else (*merged[: MAX_VALUES - 1], UNKNOWN)

    def own(self, name: str) -> bool:
        """Make a variable the running function's own, which ends with it; says whether that happens on every way."""
        if not self.frames:
            return False
        frame = self.frames[-1]
        frame.before.setdefault(name, (self.variables.get(name), self.arrays.get(name)))
        return self.branching == frame.branching

    @contextmanager
    def given(self, arguments: list[str] | None) -> Iterator[None]:
        """Other positional parameters for as long as the block lasts."""
        outer, self.arguments = self.arguments, arguments
        try:
            yield
        finally:
            self.arguments = outer

    def enter(self) -> None:
        """Begin a function."""
        self.frames.append(Frame(self.branching, {}))

    def leave(self) -> None:
        """End a function: its own variables are again what they were before."""
        for name, (values, words) in self.frames.pop().before.items():
            self.variables.pop(name, None)
            self.arrays.pop(name, None)
            if values is not None:
                self.variables[name] = values
            if words is not None:
                self.arrays[name] = words

    def lookup(self, name: str) -> tuple[str, ...]:
        """The possible values of a variable or parameter."""
        name = self.references.get(name, name)
        if name in self.variables:
            values = self.variables[name]
            return values if len(values) == 1 or "" not in values else tuple(value or EMPTY for value in values)
        if name in self.arrays:
            return (self.arrays[name][0] if self.arrays[name] else "",)
        if name in {"0", "BASH_SOURCE"}:
            return (f"{HERE}/{self.script}",)
        if name.isdigit():
            return self._argument(int(name))
        return (_ENVIRONMENT.get(name, UNKNOWN),)

    def is_set(self, name: str) -> bool:
        """Whether the script itself gave the variable a value."""
        return name in self.variables or name in self.arrays or name in _ENVIRONMENT

    def elements(self, name: str) -> list[str]:
        """All elements of an array, or of the positional parameters for `@` and `*`."""
        if name in {"@", "*"}:
            return [UNKNOWN] if self.arguments is None else self.arguments
        if name in self.arrays:
            return self.arrays[name]
        return list(self.lookup(name))

    def _argument(self, position: int) -> tuple[str, ...]:
        if self.arguments is None:
            return (UNKNOWN,)
        if position <= len(self.arguments):
            return (self.arguments[position - 1],)
        # A word that is not known may have been several.
        return (UNKNOWN,) if any(map(is_open, self.arguments)) else ("",)
