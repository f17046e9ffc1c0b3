"""What values each parameter of a function may take, by its annotation and its documentation."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from refute.adversary.property.bounds import number
from refute.adversary.property.conditions import read_condition
from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.sections import Entry
from refute.adversary.property.surface import Parameter
from refute.adversary.property.type_expressions import domain_of_type
from refute.adversary.property.wording import read_parameter

_STATES = re.compile(
    r"(?P<bare>\b(?:must|should|has to|have to|needs to)\b|[<>≤≥]=?)|\bat (?:least|most)\b|\bbetween\b|"
    r"\bin (?:the range )?\[|\b(?:greater|larger|less|smaller) than\b",
    re.IGNORECASE,
)
"""From where on a clause asks something of a parameter."""
_A_SHARE = re.compile(r"(?:an? |the )?(?:percent\w*|fraction|probability|ratio|share)", re.IGNORECASE)
"""Words that say no more than the interval behind them."""
_SOUGHT = re.compile(
    (
        r"(?:the |an? )?(?:value|element|item|target|key|number)(?: to (?:find|search(?: for)?|look "
        r"(?:for|up)|locate|count|remove|insert|add))?\.?"
    ),
    re.IGNORECASE,
)


def without_values(parameter: Parameter, entry: Entry | None) -> str:
    """The parameter, and why no values can be made for it."""
    said = _annotated(parameter)
    why = f"annotated as `{said}`" if said else "not annotated"
    if said and entry is not None and domain_of_type(parameter.annotation) is not None:
        why = f"documented as {' '.join(entry.text.split())!r}, which is not understood in full"
    return f"`{parameter.name}` ({why})"


def even(domain: Domain) -> Domain:
    """Lists of lists are matrices, where nobody says otherwise: rows of one length."""
    match domain:
        case Domain(kind="list", items=(Domain(kind="list", items=(Domain(kind="int" | "float" | "str" | "bool"),)),)):
            row = domain.items[0]
            return replace(domain, items=(replace(row, min_size=max(row.min_size, 1)),), rectangular=True)
        case _:
            return domain


def plain_text(domain: Domain) -> Domain:
    """Printable ASCII, where nobody speaks of any, every or all strings."""
    return replace(domain, ascii=domain.ascii or domain.kind == "str", items=tuple(map(plain_text, domain.items)))


def domains_of(
    needed: list[Parameter], entries: Mapping[str, Entry], conditions: list[str]
) -> tuple[dict[str, Domain], list[str]]:
    """Parameter → values, and what else their documentation asks of these, as conditions."""
    found: dict[str, Domain] = {}
    said: list[str] = []
    formal = _formal_types(conditions)
    types = {p.name: domain for p in needed if (domain := domain_of_type(p.annotation)) is not None}
    for parameter in needed:
        domain = types.get(parameter.name)
        entry = entries.get(parameter.name)
        if entry is not None:
            documented = read_parameter(entry.type or _annotated(parameter), entry.text)
            if documented is None:
                documented, stated = _with_conditions(parameter, entry, types)
                said += stated
            if documented is None and parameter.name in formal:
                documented = domain or formal[parameter.name]
            domain = documented
        elif domain is None:
            domain = formal.get(parameter.name)
        if domain is not None:
            found[parameter.name] = domain
    for parameter in needed:  # "x: a value to find" in the only list
        entry = entries.get(parameter.name)
        lists = [domain for domain in found.values() if domain.kind == "list"]
        if parameter.name not in found and entry and _SOUGHT.fullmatch(entry.text.strip()) and len(lists) == 1:
            found[parameter.name] = lists[0].items[0]
    return {p.name: found[p.name] for p in needed if p.name in found}, said


def _with_conditions(
    parameter: Parameter, entry: Entry, types: Mapping[str, Domain]
) -> tuple[Domain | None, list[str]]:
    """As "the length, must be >= 1": the domain by the other clauses, and this one as a condition."""
    written = entry.type or _annotated(parameter)
    typed = read_parameter(written, "")
    if typed is None:
        return None, []
    kept: list[str] = []
    said: list[str] = []
    for part in filter(None, map(str.strip, re.split(r"[,;]\s+|\s\(|\.\s|\n|\.$", entry.text))):
        clause = part.removesuffix(")") if part.count(")") > part.count("(") else part
        hit = _STATES.search(clause)
        asked = f"{parameter.name} {'' if hit['bare'] else 'is '}{clause[hit.start() :]}" if hit else ""
        before = clause[: hit.start()].strip().removesuffix(parameter.name).strip() if hit else ""
        stated = bool(asked) and read_condition(asked, {**types, parameter.name: typed}) is not None
        said += [asked] if stated else []
        kept.append(("" if _A_SHARE.fullmatch(before) else before) if stated else clause)
    documented = read_parameter(written, ", ".join(filter(None, kept)))
    return documented, said if documented is not None else []


def _annotated(parameter: Parameter) -> str:
    return source_of(parameter.annotation) if parameter.annotation is not None else ""


def _formal_types(conditions: Iterable[str]) -> dict[str, Domain]:
    """Types that preconditions written as code imply: `n >= 1` and `0 <= x < k` speak of numbers; ints are numbers."""
    found: dict[str, Domain] = {}
    for text in conditions:
        for part in [text, *re.split(r", (?=[^()]*(?:\(|$))", text)]:
            node = parse_expression(part.strip().rstrip(".").replace("`", ""))
            for compare in [n for n in ast.walk(node) if isinstance(n, ast.Compare)] if node else []:
                sides = [compare.left, *compare.comparators]
                ordered = all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in compare.ops)
                if isinstance(compare.ops[0], ast.In) and isinstance(compare.comparators[0], ast.Constant):
                    found |= _iterated_text(node, compare)
                if ordered and any(number(side) is not None or source_of(side).startswith("len(") for side in sides):
                    found |= {side.id: Domain(kind="int") for side in sides if isinstance(side, ast.Name)}
        for name in _loop_variables(text):
            found.pop(name, None)
    return found


def _iterated_text(node: ast.expr | None, compare: ast.Compare) -> dict[str, Domain]:
    """`all(c in '()' for c in text)`: `text` is a str."""
    loops = [inner for inner in ast.walk(node) if isinstance(inner, ast.comprehension)] if node else []
    named = [loop for loop in loops if source_of(loop.target) == source_of(compare.left)]
    literal = compare.comparators[0]
    if len(named) == 1 and isinstance(named[0].iter, ast.Name) and isinstance(literal, ast.Constant):
        return {named[0].iter.id: Domain(kind="str")} if isinstance(literal.value, str) else {}
    return {}


def _loop_variables(text: str) -> set[str]:
    node = parse_expression(text.strip().rstrip(".").replace("`", ""))
    loops = [n for n in ast.walk(node) if isinstance(n, ast.comprehension)] if node else []
    return {source_of(loop.target) for loop in loops}
