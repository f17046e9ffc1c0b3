"""What all stand-ins need: the connection, and what is denied before anybody asks over there."""

from typing import Any, ClassVar, Final

OURS: Final = ("pytest", "hypothesis")
"""Attributes with these in their names are marks of the test libraries, which no object of the other side has."""
JUDGING: Final = frozenset(
    {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__instancecheck__", "__subclasscheck__"}
)
"""Operators that compare: a test in which the other side's own does is not one of plain data, and not attested."""

_OPERATORS: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
COMPUTING: Final = frozenset(f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in _OPERATORS)
"""Operators that are told the other operand. Where that is plain, and the answer is, they decide as a comparison does:
`abs(f() - 5) < 1` holds for whatever answers 0."""


class Current:
    """The one connection of this process."""

    link: ClassVar[Any]


def refuse_marks(name: str) -> None:
    """Deny what only the test libraries look for. Raises AttributeError: it is such a name."""
    if any(mark in name for mark in OURS):
        raise AttributeError(name)
