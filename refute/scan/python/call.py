"""One Python call with its arguments worked out, as the checks get it."""

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from refute.scan.effects import Act
from refute.scan.python.values import UNK, PathValue, as_text
from refute.scan.symbols import UNKNOWN, show

if TYPE_CHECKING:
    from refute.scan.python.walk import PythonWalker


@dataclass(slots=True)
class PythonCall:
    """One call with its arguments worked out."""

    walker: "PythonWalker"
    name: str
    """Dotted name of what is called, as far as it is known."""
    arguments: list[Any]
    keywords: dict[str, Any]
    node: ast.AST

    @property
    def act(self) -> Act:
        """Judges effects of this call; what it is given from outside, and not by a parameter, counts in full."""
        given = (value for value in (*self.arguments, *self.keywords.values()) if isinstance(value, str | PathValue))
        soft = not any(UNKNOWN in as_text(value) for value in given)
        return Act(self.walker.report, self.walker.spot(self.node), self.shown(), self.walker.cwd, soft=soft)

    def shown(self) -> str:
        """The call for a person."""
        parts = [
            as_text(argument) if isinstance(argument, str | bytes | PathValue | int) else "…"
            for argument in self.arguments
        ]
        return f"{self.name.removeprefix('builtins.')}({', '.join(repr(show(part)) for part in parts)})"

    def argument(self, position: int, keyword: str = "") -> Any:
        """An argument by position or keyword, UNK where it is missing."""
        if keyword and keyword in self.keywords:
            return self.keywords[keyword]
        return self.arguments[position] if position < len(self.arguments) else UNK
