"""Type expressions, as annotations and tickets write them, and the values that they stand for."""

import ast

from refute.adversary.property.domain import MODEST, Domain
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
_SAFE_IN_STRATEGY = frozenset(
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
            return _any_of([left, right], bare_containers=bare_containers)
        case ast.Name() | ast.Attribute():
            return _named((dotted(node) or "").rpartition(".")[2], bare_containers=bare_containers)
        case ast.Subscript(value=value, slice=inside):
            arguments = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return _generic((dotted(value) or "").rpartition(".")[2], arguments, bare_containers=bare_containers)
        case _:
            return None


def _named(name: str, *, bare_containers: bool) -> Domain | None:  # noqa: PLR0911  # one per kind of type
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


def _generic(name: str, arguments: list[ast.expr], *, bare_containers: bool) -> Domain | None:  # noqa: PLR0911  # one per kind of type
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
