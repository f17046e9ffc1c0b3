"""What values a variable may take, and the Hypothesis strategy that draws them."""

import ast
from dataclasses import dataclass

from refute.adversary.property.expressions import dotted, parse_expression, source_of

_SEQUENCES = frozenset({"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection"})
_SETS = frozenset({"set", "Set", "AbstractSet", "MutableSet"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})
_PLAIN = frozenset({"int", "float", "bool", "str", "bytes"})
_STANDARD = {
    "datetime": "st.datetimes()",
    "date": "st.dates()",
    "time": "st.times()",
    "timedelta": "st.timedeltas()",
    "Decimal": "st.decimals(min_value=-1000, max_value=1000, places=2)",
    "Fraction": "st.fractions(min_value=-100, max_value=100, max_denominator=100)",
    "UUID": "st.uuids()",
}
_SAFE_IN_STRATEGY = frozenset({"str", "int", "float", "list", "set", "tuple", "sorted", "len", "abs", "min", "max", "sum", "range"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bounds where nothing else bounds a value."""

    scalar: int
    """Largest absolute value of an integer."""
    item: int
    """The same for integers inside containers."""
    length: int
    text: int
    dyadic: bool
    """Floats are multiples of 1/8: arithmetic on them is exact, so rounding refutes nothing."""


MODEST = Sizes(scalar=20, item=100, length=8, text=12, dyadic=True)
"""For claims in prose: right code of exponential cost must still answer, and rounding is not what the claim is about."""
AUTHORS = Sizes(scalar=100, item=100, length=20, text=30, dyadic=False)
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
    unique: bool = False
    ordered: bool = False
    """Sorted ascending."""
    ascii: bool = False
    """Text of printable ASCII characters."""
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

    def strategy(self, sizes: Sizes, *, nested: bool = False) -> str:
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
        unique = ", unique=True" if self.unique and self.kind == "list" else ""
        ordered = ".map(sorted)" if self.ordered and self.kind == "list" else ""
        return f"st.{function}({inner}, {self._size(sizes.length)}{unique}){ordered}"

    def _size(self, default: int) -> str:
        highest = self.max_size if self.max_size is not None else max(default, self.min_size + default // 2)
        low = f"min_size={self.min_size}, " if self.min_size else ""
        return f"{low}max_size={max(highest, self.min_size)}"

    def whole_range(self, limit: int) -> tuple[int, int]:
        """Integer bounds: those that are known, else `limit` around zero or beyond the known one."""
        low = _integer(self.minimum, up=True)
        high = _integer(self.maximum, up=False)
        if low is None:
            low = -limit if high is None else min(-limit, high - limit)
        if high is None:
            high = max(limit, low + limit)
        return low, max(low, high)

    def _floats(self, sizes: Sizes) -> str:
        if sizes.dyadic:
            low, high = self.whole_range(sizes.scalar)
            return f"st.integers({low * 8}, {high * 8}).map(lambda eighths: eighths / 8)"
        low_bound = self.minimum if self.minimum is not None else -1e6
        high_bound = self.maximum if self.maximum is not None else 1e6
        return f"st.floats({low_bound!r}, {high_bound!r}, allow_nan=False, allow_infinity=False)"

    def _text(self, sizes: Sizes) -> str:
        if self.code:
            return f"st.text({self.code}, {self._size(sizes.text)})"
        alphabet = "st.characters(min_codepoint=32, max_codepoint=126), " if self.ascii else ""
        return f"st.text({alphabet}{self._size(sizes.text)})"


def _integer(bound: Number | None, *, up: bool) -> int | None:
    if bound is None:
        return None
    whole = int(bound)
    if up:
        return whole + (1 if bound > whole else 0)
    return whole - (1 if bound < whole else 0)


def domain_of_type(node: ast.expr | None, *, bare_containers: bool = False) -> Domain | None:
    """The domain of a type expression (`list[int]`, `str | None`, `Literal["a"]`, `datetime.date`), None if unknown.

    Args:
        node: parsed annotation or type expression; a string is parsed once more.
        bare_containers: read `list` as a list of ints; otherwise its items are unknown and so is the domain.
    """
    match node:
        case ast.Constant(value=None):
            return Domain(kind="None")
        case ast.Constant(value=str(text)):
            return domain_of_type(parse_expression(text), bare_containers=bare_containers)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _any_of([left, right], bare_containers=bare_containers)
        case ast.Name() | ast.Attribute():
            return _named((dotted(node) or "").rpartition(".")[2], bare_containers=bare_containers)
        case ast.Subscript(value=value, slice=inside):
            arguments = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return _generic((dotted(value) or "").rpartition(".")[2], arguments, bare_containers=bare_containers)
        case _:
            return None


def _named(name: str, *, bare_containers: bool) -> Domain | None:
    if name in _PLAIN:
        return Domain(kind=name)
    if name in _STANDARD:
        return Domain(kind="strategy", code=_STANDARD[name])
    if name == "None":
        return Domain(kind="None")
    if not bare_containers:
        return None
    whole = Domain(kind="int")
    if name in _SEQUENCES:
        return Domain(kind="list", items=(whole,))
    if name in _SETS | {"frozenset"}:
        return Domain(kind="frozenset" if name == "frozenset" else "set", items=(whole,))
    return Domain(kind="dict", items=(Domain(kind="str"), whole)) if name in _MAPPINGS else None


def _generic(name: str, arguments: list[ast.expr], *, bare_containers: bool) -> Domain | None:
    if name == "Literal":
        return Domain(kind="one of", code=f"[{', '.join(source_of(argument) for argument in arguments)}]")
    if name in {"Optional", "Union"}:
        extra: list[ast.expr] = [ast.Constant(value=None)] if name == "Optional" else []
        return _any_of([*arguments, *extra], bare_containers=bare_containers)
    if name in {"tuple", "Tuple"} and len(arguments) == 2 and source_of(arguments[1]) == "...":  # noqa: PLR2004
        item = domain_of_type(arguments[0], bare_containers=bare_containers)
        if item is None:
            return None
        code = Domain(kind="list", items=(item,)).strategy(MODEST)
        return Domain(kind="strategy", code=f"{code}.map(tuple)")
    inner = [domain_of_type(argument, bare_containers=bare_containers) for argument in arguments]
    items = tuple(item for item in inner if item is not None)
    if len(items) != len(inner):
        return None
    if name in {"tuple", "Tuple"}:
        return Domain(kind="tuple", items=items)
    kind = _kind_of_container(name)
    wanted = 2 if kind == "dict" else 1
    hashable = kind == "list" or (bool(items) and not items[0].mutable)
    return Domain(kind=kind, items=items) if kind and len(items) == wanted and hashable else None


def _kind_of_container(name: str) -> str:
    if name in _SEQUENCES:
        return "list"
    if name in _MAPPINGS:
        return "dict"
    if name in {"frozenset", "FrozenSet"}:
        return "frozenset"
    return "set" if name in _SETS else ""


def _any_of(nodes: list[ast.expr], *, bare_containers: bool) -> Domain | None:
    parts = [domain_of_type(node, bare_containers=bare_containers) for node in nodes]
    known = tuple(part for part in parts if part is not None)
    return Domain(kind="any of", items=known) if len(known) == len(parts) else None


def strategy_of_author(text: str) -> Domain | str:
    """The domain of an entry of `given`: a type expression or a Hypothesis expression (`st.integers(0, 9)`).

    Returns:
        The domain, or why the text is refused.
    """
    node = parse_expression(text)
    if node is None:
        return f"{text!r} is neither a type nor a strategy expression"
    if any(isinstance(inner, ast.Name) and inner.id in {"st", "strategies"} for inner in ast.walk(node)):
        refused = _refused_in_strategy(node)
        return refused or Domain(kind="strategy", code=source_of(_called_st(node)))
    domain = domain_of_type(node, bare_containers=True)
    return domain if domain is not None else f"{text!r} is no type that values can be drawn for"


def _refused_in_strategy(node: ast.expr) -> str:
    """Only calls on `st`, literals, lambdas and harmless builtins: a strategy has no other business."""
    bound = {argument.arg for inner in ast.walk(node) if isinstance(inner, ast.Lambda) for argument in inner.args.args}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id not in {"st", "strategies"} | bound | _SAFE_IN_STRATEGY:
            return f"the strategy {source_of(node)!r} uses `{inner.id}`"
        if isinstance(inner, ast.Attribute) and inner.attr.startswith("_"):
            return f"the strategy {source_of(node)!r} uses the private `{inner.attr}`"
        if isinstance(inner, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return f"the strategy {source_of(node)!r} is more than an expression"
    return ""


def _called_st(node: ast.expr) -> ast.expr:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id == "strategies":
            inner.id = "st"
    return node

