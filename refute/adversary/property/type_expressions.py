"""Type expressions, as annotations and tickets write them, and the values that they stand for."""

import ast
from collections.abc import Sequence
from typing import Final

from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.expressions import dotted, parse_expression, source_of

_CONTAINERS: Final = {
    **dict.fromkeys(("list", "List", "Sequence", "MutableSequence", "Iterable", "Collection"), "list"),
    **dict.fromkeys(("set", "Set", "AbstractSet", "MutableSet"), "set"),
    **dict.fromkeys(("frozenset", "FrozenSet"), "frozenset"),
    **dict.fromkeys(("dict", "Dict", "Mapping", "MutableMapping"), "dict"),
    **dict.fromkeys(("tuple", "Tuple"), "tuple"),
}
_PLAIN: Final = frozenset({"int", "float", "bool", "str", "bytes", "None"})
_STANDARD: Final = {
    "datetime": "st.datetimes()",
    "date": "st.dates()",
    "time": "st.times()",
    "timedelta": "st.timedeltas()",
    "Decimal": "st.decimals(min_value=-1000, max_value=1000, places=2)",
    "Fraction": "st.fractions(min_value=-100, max_value=100, max_denominator=100)",
    "UUID": "st.uuids()",
}
_BARE: Final = {"list": ("int",), "set": ("int",), "frozenset": ("int",), "dict": ("str", "int")}
"""What a container holds of which nothing is said."""
_SAFE_IN_STRATEGY: Final = frozenset(
    ("str", "int", "float", "list", "set", "tuple", "sorted", "len", "abs", "min", "max", "sum", "range")
)


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
            return _of("any of", [left, right], bare_containers=bare_containers)
        case ast.Name() | ast.Attribute():
            return _named(_last(node), bare_containers=bare_containers)
        case ast.Subscript(value=value, slice=inside):
            arguments = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return _generic(_last(value), arguments, bare_containers=bare_containers)
        case _:
            return None


def _last(node: ast.expr) -> str:
    return (dotted(node) or "").rpartition(".")[2]


def _named(name: str, *, bare_containers: bool) -> Domain | None:
    if name in _PLAIN:
        return Domain(kind=name)
    if name in _STANDARD:
        return Domain(kind="strategy", code=_STANDARD[name])
    kind = _CONTAINERS.get(name, "")
    known = bare_containers and kind in _BARE
    return Domain(kind=kind, items=tuple(Domain(kind=item) for item in _BARE[kind])) if known else None


def _generic(name: str, arguments: Sequence[ast.expr], *, bare_containers: bool) -> Domain | None:
    kind = _CONTAINERS.get(name, "")
    match name, arguments:
        case "Literal", _:
            return Domain(kind="one of", code=f"[{', '.join(map(source_of, arguments))}]")
        case "Optional" | "Union", _:
            alone = [ast.Constant(value=None)] if name == "Optional" else []
            return _of("any of", [*arguments, *alone], bare_containers=bare_containers)
        case _, [item, ast.Constant(value=end)] if kind == "tuple" and end is ...:
            items = _of("list", [item], bare_containers=bare_containers)
            return items and Domain(kind="strategy", code=f"{items.strategy(MODEST)}.map(tuple)")
    domain = _of(kind, arguments, bare_containers=bare_containers)
    counted = kind == "tuple" or len(arguments) == len(_BARE.get(kind, ()))
    hashable = domain is not None and (kind in {"list", "tuple"} or not domain.items[0].mutable)
    return domain if kind and counted and hashable else None


def _of(kind: str, nodes: Sequence[ast.expr], *, bare_containers: bool) -> Domain | None:
    """The domain of a kind over types, all of which must be known."""
    parts = [domain_of_type(node, bare_containers=bare_containers) for node in nodes]
    known = tuple(part for part in parts if part is not None)
    return Domain(kind=kind, items=known) if known and len(known) == len(parts) else None


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
