"""What a shell script knows at a point: variables with their possible values, functions, working directory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from tree_sitter import Node

from refute.scan.core.report import Spot
from refute.scan.core.symbols import EMPTY, HERE, HOME, NAME, OWN_PROCESS, TEMP, UNKNOWN, capped, is_open

MAX_VALUES: Final = 6
"""Possible values kept for one variable; more of them become UNKNOWN as well."""
_ENVIRONMENT: Final = {
    name: value
    for value, names in {
        TEMP: "TMPDIR TMP TEMP AUTOPKGTEST_TMP ADTTMP BATS_TMPDIR BATS_TEST_TMPDIR RUNNER_TEMP TEST_TMPDIR",
        HERE: "PWD OLDPWD GITHUB_WORKSPACE CI_PROJECT_DIR",
        NAME: "USER LOGNAME HOSTNAME UID EUID RANDOM SECONDS LINENO EPOCHSECONDS ? #",
        OWN_PROCESS: "BASHPID $ !",
        HOME: "HOME",
        UNKNOWN: "PPID",
        " ": "IFS",
        "/bin/sh": "SHELL",
        "/bin/bash": "BASH",
        "python3": "PYTHON",
    }.items()
    for name in names.split()
}


@dataclass(slots=True)
class Scope:
    """The state of one walk; `fork` gives a subshell its own copy."""

    script: str
    """Path of the script from the workspace, for `$0`."""
    cwd: str = HERE
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    functions: dict[str, tuple[Node, Spot | None]] = field(default_factory=dict)
    """Name → body, and where the text stands that defines it; None: in the file itself."""
    arguments: list[str] | None = None
    """Positional parameters; None where they are not known."""
    branching: int = 0
    """How many conditions or loops surround this point: an assignment there adds a value instead of replacing."""

    def fork(self) -> "Scope":
        """A copy for a subshell."""
        return replace(
            self,
            variables=dict(self.variables),
            arrays={name: list(words) for name, words in self.arrays.items()},
            functions=dict(self.functions),
        )

    def assign(self, name: str, values: tuple[str, ...]) -> None:
        """Give a variable its possible values."""
        held = self.variables.get(name, ()) if self.branching else ()
        merged = tuple(dict.fromkeys((*held, *map(capped, values))))
        self.variables[name] = merged if len(merged) <= MAX_VALUES else (*merged[: MAX_VALUES - 1], UNKNOWN)

    @contextmanager
    def branch(self) -> Iterator[None]:
        """A part that may run or not, for as long as the block lasts."""
        self.branching += 1
        try:
            yield
        finally:
            self.branching -= 1

    @contextmanager
    def given(self, arguments: list[str] | None) -> Iterator[None]:
        """Other positional parameters for as long as the block lasts."""
        outer, self.arguments = self.arguments, arguments
        try:
            yield
        finally:
            self.arguments = outer

    def lookup(self, name: str) -> tuple[str, ...]:
        """The possible values of a variable or parameter."""
        if name in self.variables:
            values = self.variables[name]
            return values if len(values) == 1 or "" not in values else tuple(value or EMPTY for value in values)
        if name in self.arrays:
            return (self.arrays[name][0] if self.arrays[name] else "",)
        if name in {"0", "BASH_SOURCE"}:
            return (f"{HERE}/{self.script}",)
        if not name.isdigit():
            return (_ENVIRONMENT.get(name, UNKNOWN),)
        arguments, position = self.arguments, int(name)
        if arguments is not None and position <= len(arguments):
            return (arguments[position - 1],)
        # A word that is not known may have been several.
        return (UNKNOWN,) if arguments is None or any(map(is_open, arguments)) else ("",)

    def is_set(self, name: str) -> bool:
        """Whether the script itself gave the variable a value."""
        return name in self.variables or name in self.arrays or name in _ENVIRONMENT

    def elements(self, name: str) -> list[str]:
        """All elements of an array, or of the positional parameters for `@` and `*`."""
        if name in {"@", "*"}:
            return [UNKNOWN] if self.arguments is None else self.arguments
        return self.arrays[name] if name in self.arrays else list(self.lookup(name))
