"""Which function a claim speaks of, what values it takes, and what must hold of them before it is called."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from refute.adversary.property.bounds import absorb, number
from refute.adversary.property.conditions import read_condition
from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.drawing import strategies
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.sections import Entry, read_sections, sentences
from refute.adversary.property.surface import Function, Parameter, Surface
from refute.adversary.property.type_expressions import domain_of_type
from refute.adversary.property.wording import read_parameter
from refute.ticket.record import Claim, ClaimId

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
_RESTRICTS = re.compile(
    r"\b(?:assum\w+|preconditions?|requires?|expects?|guaranteed|well-formed|provided that|as "
    r"long as|only (?:works|valid|defined)"
    r"|undefined (?:for|if|when)|behaviou?r is undefined)\b"
    r"|\b(?:inputs?|arguments?|parameters?|callers?|values?|elements?)\b[^.]{0,40}\b(?:must|"
    r"should|has to|have to|needs? to|are all|may not|cannot)\b",
    re.IGNORECASE,
)
_RAGGED = re.compile(
    r"flatten|nested|ragged|jagged|concatenat|merg|chain|sub-?lists?|lists of|each list|every list|groups?|chunks?"
    r"|uneven|different lengths?|any lengths?",
    re.IGNORECASE,
)
_QUANTIFIED = re.compile(r"\b(?:any|every|all|arbitrary|whatever|unicode)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A function that can be called with drawn values."""

    claim_id: ClaimId
    function: Function
    domains: Mapping[str, Domain]
    assumptions: tuple[ast.expr, ...]
    """Conditions that the domains do not ensure by themselves."""
    parameters: tuple[Entry, ...] = ()
    """As the claim documents them."""
    exceptions: tuple[ast.expr, ...] = ()
    """Conditions under which the function is said to do something of its own; a general rule does not cover them."""
    refusals: tuple[str, ...] = ()
    """Exceptions by which the function refuses inputs: those that its documentation, its claims or its body name."""
    refusal_imports: tuple[str, ...] = ()

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        """Variable → strategy."""
        return strategies(dict(self.domains), self.assumptions, MODEST)

    @property
    def assumes(self) -> tuple[str, ...]:
        """The lines that reject values which break a precondition."""
        return tuple(f"assume({source_of(condition)})" for condition in self.assumptions)

    @property
    def imports(self) -> tuple[str, ...]:
        """The import of the function, or of the class that holds it."""
        return (f"from {self.function.module} import {self.function.qualified.partition('.')[0]}",)

    def call(self, values: Mapping[str, str] | None = None) -> str:
        """The call; every mutable value is passed as a copy, so that checks see the original.

        Args:
            values: parameter → Python, where something else than the drawn value is passed.
        """
        arguments = []
        for parameter in self.function.parameters:
            if parameter.name in self.domains:
                value = parameter.name
                if self.domains[parameter.name].mutable:
                    value = f"copy.deepcopy({value})"
                value = (values or {}).get(parameter.name, value)
                skipped = any(p.name not in self.domains for p in self.before(parameter))
                keyword = parameter.keyword_only or skipped
                arguments.append(f"{parameter.name}={value}" if keyword else value)
        code = f"{self.function.qualified}({', '.join(arguments)})"
        return f"asyncio.run({code})" if self.function.is_async else code

    def before(self, parameter: Parameter) -> Iterable[Parameter]:
        """The parameters in front of one."""
        return self.function.parameters[: self.function.parameters.index(parameter)]

    def refusing_with(self, errors: tuple[str, ...], imports: tuple[str, ...]) -> "Setup":
        """The same, told how the function refuses inputs."""
        return replace(self, refusals=errors, refusal_imports=imports)

    def assuming(self, conditions: Iterable[ast.expr]) -> "Setup":
        """The same under further conditions."""
        domains, left = absorb(dict(self.domains), conditions)
        return replace(self, domains=domains, assumptions=(*self.assumptions, *left))


def subjects_of(claim: Claim, surface: Surface) -> tuple[Function, ...]:
    """The functions that a claim names, in backticks, as a call or as a plain identifier; else the only public one."""
    quoted = set(re.findall(r"`([A-Za-z_][\w.]*)(?:\(|`)", claim.text))
    called = set(re.findall(r"(?<![\w.])([A-Za-z_][\w.]*)\(", claim.text))
    words = set(re.findall(r"(?<![\w.])([A-Za-z_]\w*)(?![\w(])", claim.text))
    callables = surface.callables()
    for names in (quoted | called, {word for word in words if "_" in word}):
        hits = tuple(f for f in callables if {f.name, f.qualified, f"{f.module}.{f.qualified}"} & names)
        if hits:
            return hits
    everything = surface.functions()
    if len(everything) == 1 and not surface.classes():
        return everything
    return tuple(f for f in everything if f.name in words and len(f.name) > 2)  # noqa: PLR2004  # `f` is a word too


def set_up(claim: Claim, function: Function, *, wanted: Iterable[str] = ()) -> Setup | str:
    """How to call the function with every value that the claim and its docstring allow.

    Args:
        claim: its text may document parameters and preconditions, as docstrings do.
        function: the subject.
        wanted: optional parameters that the claim speaks of; other optional ones keep their defaults.

    Returns:
        The setup, or why the values are not known well enough: an input outside of a precondition refutes nothing.
    """
    if function.owner and not function.is_static:
        return f"`{function.qualified}` needs an instance, and only examples say how to make one"
    told = [read_sections(claim.text), read_sections(function.docstring)]
    entries = {entry.name: entry for sections in reversed(told) for entry in sections.parameters}
    conditions = [text for sections in told for text in sections.preconditions]
    needed = [p for p in function.parameters if not p.variadic and (p.default is None or p.name in set(wanted))]
    domains, said = _domains(needed, entries, conditions)
    conditions += said
    unknown = [p for p in needed if p.name not in domains]
    if unknown:
        missing = ", ".join(_without_values(p, entries.get(p.name)) for p in unknown)
        return f"no values can be made for {missing}; an example would say what to call"
    if not _RAGGED.search(f"{claim.text} {function.name} {function.docstring}"):
        domains = {name: _even(domain) for name, domain in domains.items()}
    conditions += _restricting_sentences(claim, function, domains)
    read = [(text, read_condition(text, domains)) for text in conditions]
    for text, condition in read:
        if condition is None:
            return f"the precondition {text!r} is not understood"
    narrowed, left = absorb(domains, [condition for _, condition in read if condition is not None])
    if not _QUANTIFIED.search(claim.text):
        narrowed = {name: _plain_text(domain) for name, domain in narrowed.items()}
    return Setup(
        claim_id=claim.id, function=function, domains=narrowed, assumptions=tuple(left), parameters=told[0].parameters
    )


def _without_values(parameter: Parameter, entry: Entry | None) -> str:
    said = _annotated(parameter)
    why = f"annotated as `{said}`" if said else "not annotated"
    if said and entry is not None and domain_of_type(parameter.annotation) is not None:
        why = f"documented as {' '.join(entry.text.split())!r}, which is not understood in full"
    return f"`{parameter.name}` ({why})"


def _even(domain: Domain) -> Domain:
    """Lists of lists are matrices, where nobody says otherwise: rows of one length."""
    match domain:
        case Domain(kind="list", items=(Domain(kind="list", items=(Domain(kind="int" | "float" | "str" | "bool"),)),)):
            row = domain.items[0]
            return replace(domain, items=(replace(row, min_size=max(row.min_size, 1)),), rectangular=True)
        case _:
            return domain


def _plain_text(domain: Domain) -> Domain:
    """Printable ASCII, where nobody speaks of any, every or all strings."""
    return replace(domain, ascii=domain.ascii or domain.kind == "str", items=tuple(map(_plain_text, domain.items)))


def _domains(
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


def _restricting_sentences(claim: Claim, function: Function, domains: Mapping[str, Domain]) -> list[str]:
    """Sentences outside of the known sections that may restrict the inputs."""
    found: list[str] = []
    names = "|".join(map(re.escape, domains))
    about = (
        re.compile(rf"(?:^|\bthe |\bif |`)(?:{names})`? (?:must|should|has to|have to|needs? to|cannot|may not)\b")
        if names
        else None
    )
    for text in (claim.text, function.docstring):
        for sentence in sentences(read_sections(text).prose):
            if _RESTRICTS.search(sentence.plain) or (about and about.search(sentence.plain)):
                found.append(sentence.plain)  # noqa: PERF401  # two loops and a condition read better so
    return found


def names_in(text: str, function: Function) -> set[str]:
    """The function's parameters that a text mentions as words."""
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    return {parameter.name for parameter in function.parameters if parameter.name in words}
