"""Calls of a script's functions that were walked before in the very same state: their result is taken from then.

Functions that call functions, each with several possible arguments, are otherwise walked once for every combination.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from refute.scan.shell.scope import Scope

_MAX_KEPT: Final = 5_000


@dataclass(slots=True)
class Memory:
    """The calls of one file, by everything that decides what a call does."""

    kept: dict[Hashable, tuple[str, Scope, dict[str, str]]] = field(default_factory=dict)
    """State before → what the call printed, the scope that it left, and what files then held."""
    cuts: int = 0
    """How many calls were left out because they were under way already."""

    def find(self, key: Hashable, scope: Scope, written: dict[str, str]) -> str | None:
        """What the call prints, after leaving in the scope what it would; None where it has to be walked."""
        if key not in self.kept:
            return None
        output, after, files = self.kept[key]
        scope.become(after)
        written.clear()
        written.update(files)
        return output

    def keep(self, key: Hashable, scope: Scope, written: dict[str, str], output: str) -> None:
        """Remember a call."""
        if len(self.kept) < _MAX_KEPT:
            self.kept[key] = (output, scope.fork(), dict(written))


def state_of(scope: Scope, written: dict[str, str]) -> Hashable:
    """Everything that a function can see, but for its own arguments: the scope, and what the script put into files."""
    return (
        scope.cwd,
        scope.branching,
        scope.endless,
        frozenset(scope.variables.items()),
        frozenset((name, tuple(words)) for name, words in scope.arrays.items()),
        frozenset((name, body.id) for name, body in scope.functions.items()),
        frozenset((*scope.aliases.items(), *scope.references.items())),
        frozenset(written.items()),
    )
