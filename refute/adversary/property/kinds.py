"""What values a type stands for, as annotations and tickets write it: Hypothesis strategies of them, and plain ones."""

import ast
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from refute.adversary.property.expressions import dotted, parse_expression

_CONTAINERS: Final = {
    **dict.fromkeys(("list", "List", "Sequence", "MutableSequence", "Iterable", "Collection"), "list"),
    **dict.fromkeys(("set", "Set", "AbstractSet", "MutableSet"), "set"),
    **dict.fromkeys(("frozenset", "FrozenSet"), "frozenset"),
    **dict.fromkeys(("dict", "Dict", "Mapping", "MutableMapping"), "dict"),
    **dict.fromkeys(("tuple", "Tuple"), "tuple"),
}
_BARE: Final = {"list": ("int",), "set": ("int",), "frozenset": ("int",), "dict": ("str", "int")}
"""What a container holds of which nothing is said."""
_FUNCTIONS: Final = {"list": "lists", "set": "sets", "frozenset": "frozensets", "dict": "dictionaries"}
_STRATEGIES: Final = {
    "int": "st.integers(-{limit}, {limit})",
    "float": "st.floats(-{limit}e4, {limit}e4, allow_nan=False, allow_infinity=False)",
    "str": "st.text(max_size=30)",
    "bool": "st.booleans()",
    "None": "st.none()",
    "bytes": "st.binary(max_size=30)",
    "datetime": "st.datetimes()",
    "date": "st.dates()",
    "time": "st.times()",
    "timedelta": "st.timedeltas()",
    "Decimal": "st.decimals(min_value=-1000, max_value=1000, places=2)",
    "Fraction": "st.fractions(min_value=-100, max_value=100, max_denominator=100)",
}
_SMALL: Final = {
    "float": "st.integers(-160, 160).map(lambda eighths: eighths / 8)",
    "str": "st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)",
}
"""For claims in prose: rounding and odd alphabets are not their subject."""
_PUNCTUATION: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""What functions on texts escape, split at or drop."""
_MOMENTS: Final = (
    *("2024-02-29T12:30:05", "1970-01-01", "2023-12-31T23:59:59.999999", "2024-07-01T08:15:00+05:30", "0001-01-01"),
)
_VALUES: Final[Mapping[str, tuple[Any, ...]]] = {
    "int": (0, 1, -1, 2, 3, 10, 99, -100, 1000, 1234, 12_345, 10**6),
    "float": (0.0, 1.0, -1.0, 0.5, -2.75, 99.5, 1000.125, 1e6),
    "str": ("", "a", "B", "ab", " a ", "a b", "Ab-1", "a_b.c", "1", "-2.5", "aaa", "é", "a,b;c", "x\ny", _PUNCTUATION),
    "bool": (False, True),
    "None": (None,),
    "bytes": (b"", b"a", b"\x00\xff", b"\xff\x80\x01", b"Ab-1 \r\n"),
    "datetime": tuple(map(dt.datetime.fromisoformat, _MOMENTS)),
    "date": tuple(map(dt.date.fromisoformat, ("2024-02-29", "1970-01-01", "2023-12-31", "2021-01-03", "0001-01-01"))),
    "time": tuple(map(dt.time.fromisoformat, ("12:30:05", "00:00", "23:59:59.999999", "08:15:00+05:30"))),
    "timedelta": tuple(dt.timedelta(seconds=one) for one in (90_061.5, 0, 1, 59, 60, 3600, 86_400, -1)),
    "Decimal": tuple(map(Decimal, ("1.50", "0", "-0.1", "99.995", "1E+3", "1000000"))),
    "Fraction": tuple(map(Fraction, ("1/3", "0", "-7/2", "5", "22/7"))),
}
"""Type → values worth trying, small ones first; by their `repr` they are written into tests and plans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A set of values; `name` is a type's, or `any of`, `one of`, `strategy`."""

    name: str
    items: tuple["Kind", ...] = ()
    """Of elements: one for list and set, two for dict, several for tuple and `any of`."""
    code: str = ""
    """Python of the values (`one of`) or of the strategy (`strategy`)."""

    @property
    def mutable(self) -> bool:
        """Whether a function could change such a value."""
        return self.name in {"list", "set", "dict", "strategy"} or any(item.mutable for item in self.items)

    def strategy(self, *, small: bool, limit: int = 0) -> str:
        """Python for the strategy.

        Args:
            small: values on which right code of exponential cost still answers: numbers to ±20, not ±100.
            limit: added to that bound.
        """
        inner = [item.strategy(small=small, limit=limit) for item in self.items]
        match self.name:
            case "strategy":
                return self.code
            case "one of":
                return f"st.sampled_from({self.code})"
            case "any of":
                return " | ".join(inner)
            case "tuple":
                return f"st.tuples({', '.join(inner)})"
            case name if name in _FUNCTIONS:
                return f"st.{_FUNCTIONS[name]}({', '.join(inner)}, max_size={8 if small else 20})"
            case name:
                template = _SMALL.get(name, "") if small else ""
                return (template or _STRATEGIES[name]).format(limit=limit + (20 if small else 100))

    def values(self) -> list[Any]:
        """Some of them, small ones first; empty where none are known."""
        if self.name in _VALUES:
            return list(_VALUES[self.name])
        if self.name == "one of":
            return list(ast.literal_eval(self.code))
        plain = [item.values() for item in self.items]
        return _composed(self.name, plain) if plain and all(plain) else []


def _composed(name: str, parts: Sequence[list[Any]]) -> list[Any]:
    first = parts[0]
    match name:
        case "any of":
            return [value for part in parts for value in part]
        case "tuple":
            return [tuple(part[at % len(part)] for part in parts) for at in range(6)]
        case "dict":
            return [dict(zip(first[:count], parts[1] * 9, strict=False)) for count in (0, 1, 2, 4)]
        case "list" | "set":
            lists = [[], first[1:2], first[:3], first[2:0:-1], first[1:3] * 2, first[::2], first]
            return [*lists] if name == "list" else [set(one) for one in lists]
        case _:
            return []


def kind_of(node: ast.expr | None, *, bare: bool = False) -> Kind | None:  # noqa: PLR0911  # one per form
    """What a type expression stands for (`list[int]`, `str | None`, `Literal["a"]`, `datetime.date`), None if unknown.

    Args:
        node: parsed annotation or type expression; a string is parsed once more.
        bare: read `list` as a list of ints; otherwise its items are unknown, and so is what it stands for.
    """
    match node:
        case ast.Constant(value=None):
            return Kind(name="None")
        case ast.Constant(value=str(text)):
            return kind_of(parse_expression(text), bare=bare)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _of("any of", [left, right], bare=bare)
        case ast.Name() | ast.Attribute():
            name = _last(node)
            held = _BARE.get(_CONTAINERS.get(name, ""), ()) if bare else ()
            if held:
                return Kind(name=_CONTAINERS[name], items=tuple(Kind(name=one) for one in held))
            return Kind(name=name) if name in _STRATEGIES else None
        case ast.Subscript(value=value, slice=inside):
            return _generic(_last(value), inside.elts if isinstance(inside, ast.Tuple) else [inside], bare=bare)
        case _:
            return None


def held_in_list(node: ast.expr | None) -> ast.expr | None:
    """What the items of a list are (`Sequence[Item]`), None for any other type."""
    match node:
        case ast.Subscript(value=value, slice=item) if _CONTAINERS.get(_last(value)) == "list":
            return item
        case _:
            return None


def _last(node: ast.expr) -> str:
    return (dotted(node) or "").rpartition(".")[2]


def _generic(name: str, arguments: Sequence[ast.expr], *, bare: bool) -> Kind | None:
    container = _CONTAINERS.get(name, "")
    match name, arguments:
        case "Literal", _:
            return Kind(name="one of", code=f"[{', '.join(map(ast.unparse, arguments))}]")
        case "Optional" | "Union", _:
            return _of("any of", [*arguments, *([ast.Constant(value=None)] * (name == "Optional"))], bare=bare)
        case _, [item, ast.Constant(value=end)] if container == "tuple" and end is ...:
            items = _of("list", [item], bare=bare)
            return items and Kind(name="strategy", code=f"{items.strategy(small=True)}.map(tuple)")
    counted = container == "tuple" or len(arguments) == len(_BARE.get(container, ()))
    kind = _of(container, arguments, bare=bare) if counted else None
    hashable = kind is not None and (container in {"list", "tuple"} or not kind.items[0].mutable)
    return kind if hashable else None


def _of(name: str, nodes: Sequence[ast.expr], *, bare: bool) -> Kind | None:
    """A kind over types, all of which must be known."""
    parts = [kind_of(node, bare=bare) for node in nodes]
    known = tuple(part for part in parts if part is not None)
    return Kind(name=name, items=known) if known and len(known) == len(parts) else None
