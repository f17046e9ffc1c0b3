"""What a shell script knows at a point: variables with their possible values, functions, working directory."""

from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from refute.scan.symbols import EMPTY, HERE, HOME, NAME, OWN_PROCESS, TEMP, UNKNOWN, capped, is_open

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
    arguments: list[str] | None = None
    """Positional parameters; None where they are not known."""
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
            arguments=self.arguments,
            branching=self.branching,
            endless=self.endless,
        )

    def become(self, other: "Scope") -> None:
        """Take over the state of another scope, copied."""
        fresh = other.fork()
        self.cwd, self.branching, self.endless = fresh.cwd, fresh.branching, fresh.endless
        self.variables, self.arrays, self.functions = fresh.variables, fresh.arrays, fresh.functions
        self.aliases, self.references = fresh.aliases, fresh.references

    def assign(self, name: str, values: tuple[str, ...]) -> None:
        """Give a variable its possible values."""
        held = self.variables.get(name, ()) if self.branching else ()
        merged = tuple(dict.fromkeys((*held, *map(capped, values))))
        self.variables[name] = merged if len(merged) <= MAX_VALUES else (*merged[: MAX_VALUES - 1], UNKNOWN)

    def lookup(self, name: str) -> tuple[str, ...]:
        """The possible values of a variable or parameter."""
        name = self.references.get(name, name)
        if name in self.variables:
            values = self.variables[name]
            return values if len(values) == 1 or "" not in values else tuple(value or EMPTY for value in values)
        if name in self.arrays:
            return (self.arrays[name][0] if self.arrays[name] else "",)
        if name == "0":
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
