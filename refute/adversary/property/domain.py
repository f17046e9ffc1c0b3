"""What values a variable may take, and the Hypothesis strategy that draws them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bounds where nothing else bounds a value."""

    scalar: int
    """Largest absolute value of an integer."""
    item: int
    """The same for integers inside containers."""
    length: int
    text: int
    modest: bool
    """Floats are multiples of 1/8, on which arithmetic is exact; texts are printable ASCII."""


MODEST = Sizes(scalar=20, item=100, length=8, text=12, modest=True)
"""For claims in prose: right code of exponential cost must still answer, and rounding is not the claim's subject."""
AUTHORS = Sizes(scalar=100, item=100, length=20, text=30, modest=False)
"""For property blocks: the author wrote the domain down and may bound it."""

Number = int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A set of values; `kind` is a builtin type's name, `any of`, `one of` or `strategy`."""

    kind: str
    items: tuple["Domain", ...] = ()
    """Element domains: one for list and set, two for dict, several for tuple and `any of`."""
    minimum: Number | None = None
    maximum: Number | None = None
    min_size: int = 0
    max_size: int | None = None
    ordered: bool = False
    """Sorted ascending."""
    code: str = ""
    """Python of the values (`one of`) or of the strategy (`strategy`)."""

    @property
    def mutable(self) -> bool:
        """Whether a function could change such a value."""
        return self.kind in {"list", "set", "dict", "strategy"} or any(item.mutable for item in self.items)

    @property
    def is_void(self) -> bool:
        """Whether the bounds leave no value."""
        crossed = self.minimum is not None and self.maximum is not None and self.minimum > self.maximum
        return crossed or any(item.is_void for item in self.items)

    @property
    def unbounded(self) -> "Domain":
        """The same type without any narrowing."""
        return Domain(kind=self.kind, items=tuple(item.unbounded for item in self.items), code=self.code)

    def strategy(self, sizes: Sizes, *, nested: bool = False) -> str:  # noqa: PLR0911  # one per kind
        """Python for the strategy."""
        match self.kind:
            case "int":
                low, high = self.whole_range(sizes.item if nested else sizes.scalar)
                return f"st.integers({low}, {high})"
            case "float":
                return self._floats(sizes)
            case "str":
                return self._text(sizes)
            case "bool":
                return "st.booleans()"
            case "None":
                return "st.none()"
            case "bytes":
                return f"st.binary({self._size(sizes.text)})"
            case "one of":
                return f"st.sampled_from({self.code})"
            case "any of":
                return " | ".join(item.strategy(sizes, nested=nested) for item in self.items)
            case "tuple":
                return f"st.tuples({', '.join(item.strategy(sizes, nested=True) for item in self.items)})"
            case _:
                return self.code if self.kind == "strategy" else self._container(sizes)

    def _container(self, sizes: Sizes) -> str:
        inner = ", ".join(item.strategy(sizes, nested=True) for item in self.items)
        function = {"list": "lists", "set": "sets", "frozenset": "frozensets", "dict": "dictionaries"}[self.kind]
        ordered = ".map(sorted)" if self.ordered and self.kind == "list" else ""
        return f"st.{function}({inner}, {self._size(sizes.length)}){ordered}"

    def _size(self, default: int) -> str:
        highest = self.max_size if self.max_size is not None else max(default, self.min_size + default // 2)
        low = f"min_size={self.min_size}, " if self.min_size else ""
        return f"{low}max_size={max(highest, self.min_size)}"

    def whole_range(self, limit: int) -> tuple[int, int]:
        """Integer bounds: those that are known, else `limit` around zero or beyond the known one."""
        low = None if self.minimum is None else math.ceil(self.minimum)
        high = None if self.maximum is None else math.floor(self.maximum)
        if low is None:
            low = -limit if high is None else min(-limit, high - limit)
        if high is None:
            high = max(limit, low + limit)
        return low, max(low, high)

    def _floats(self, sizes: Sizes) -> str:
        if sizes.modest:
            low, high = self.whole_range(sizes.scalar)
            return f"st.integers({low * 8}, {high * 8}).map(lambda eighths: eighths / 8)"
        low_bound = self.minimum if self.minimum is not None else -1e6
        high_bound = self.maximum if self.maximum is not None else 1e6
        return f"st.floats({low_bound!r}, {high_bound!r}, allow_nan=False, allow_infinity=False)"

    def _text(self, sizes: Sizes) -> str:
        if self.code:
            return f"st.text({self.code}, {self._size(sizes.text)})"
        alphabet = "st.characters(min_codepoint=32, max_codepoint=126), " if sizes.modest else ""
        return f"st.text({alphabet}{self._size(sizes.text)})"


def strategies(domains: Mapping[str, Domain], sizes: Sizes) -> tuple[tuple[str, str], ...]:
    """Variable → strategy."""
    return tuple((name, domain.strategy(sizes)) for name, domain in domains.items())
