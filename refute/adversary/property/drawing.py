"""Strategies for several variables at once, drawn after one another where one bounds the other."""

import ast
import functools
from collections.abc import Callable, Iterable
from dataclasses import replace

from refute.adversary.property.bounds import flip
from refute.adversary.property.domain import Domain, Sizes
from refute.adversary.property.expressions import free_names, is_call_of, source_of


def strategies(domains: dict[str, Domain], left: Iterable[ast.expr], sizes: Sizes) -> tuple[tuple[str, str], ...]:
    """Variable → strategy. A variable that the remaining conditions bound by another one is drawn after that one.

    `k < len(xs)` and `all(x < n for x in xs)` would hardly ever hold by chance; they stay assumptions all the same.
    """
    sources: dict[str, str] = {}
    limited: dict[str, Domain] = dict(domains)
    for condition in left:
        link = _link(domains, condition)
        if link is None:
            continue
        variable, source, limit = link
        # Once: a second limit would start from the strategy of the first and forget the variable's own bounds.
        if variable not in sources and source not in sources and variable not in sources.values():
            sources[variable] = source
            limited[variable] = limit(limited[variable], sizes)
    drawn: list[tuple[str, str]] = []
    for variable in domains:
        code = limited[variable].strategy(sizes)
        if variable in sources.values():
            code = _shared(variable, code)
        elif variable in sources:
            source = sources[variable]
            code = f"{_shared(source, domains[source].strategy(sizes))}.flatmap(lambda {source}: {code})"
        drawn.append((variable, code))
    return tuple(drawn)


def _shared(variable: str, code: str) -> str:
    return f"st.shared({code}, key={variable!r})"


def _link(domains: dict[str, Domain], condition: ast.expr) -> tuple[str, str, Callable[[Domain, Sizes], Domain]] | None:
    """`k < len(xs)` → (`k`, `xs`, how it limits the domain of `k`)."""
    match condition:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for subject, order, bound in ((left, op, right), (right, flip(op), left)):
                if isinstance(subject, ast.Name) and subject.id in domains and order is not None:
                    source = _only_source(domains, bound, subject.id)
                    if source and domains[subject.id].kind == "int":
                        return subject.id, source, functools.partial(_limited, op=order, bound=bound)
        case ast.Call(args=[ast.GeneratorExp(elt=ast.Compare() as test, generators=[loop])]):
            xs, x = source_of(loop.iter), source_of(loop.target)
            if is_call_of(condition) == "all" and not loop.ifs and xs in domains and len(domains[xs].items) == 1:
                inner = _link({**domains, x: domains[xs].items[0]}, test)
                if inner is not None and inner[0] == x and inner[1] != xs:
                    return xs, inner[1], functools.partial(_limited_items, limit=inner[2])
        case _:
            pass
    return None


def _only_source(domains: dict[str, Domain], bound: ast.expr, variable: str) -> str:
    """The single other variable that a bound reads, if it reads nothing but this and `len`."""
    names = free_names([bound]) - {"len", "min", "max", "abs"}
    return names.pop() if len(names) == 1 and names <= set(domains) - {variable} else ""


def _limited(domain: Domain, sizes: Sizes, *, op: ast.cmpop, bound: ast.expr) -> Domain:
    limit = f"({source_of(bound)})"
    low, high = domain.whole_range(sizes.item)
    match op:
        case ast.Lt() | ast.LtE():
            limit += " - 1" if isinstance(op, ast.Lt) else ""
            high_code = limit if domain.maximum is None else f"min({high}, {limit})"
            code = f"st.integers({low}, max({low}, {high_code}))"
        case ast.Gt() | ast.GtE():
            limit += " + 1" if isinstance(op, ast.Gt) else ""
            low_code = limit if domain.minimum is None else f"max({low}, {limit})"
            code = f"st.integers(min({high}, {low_code}), {high})"
        case _:
            return domain
    return Domain(kind="strategy", code=code)


def _limited_items(domain: Domain, sizes: Sizes, *, limit: Callable[[Domain, Sizes], Domain]) -> Domain:
    return replace(domain, items=(limit(domain.items[0], sizes),))
