"""Which function a claim speaks of, what values it takes, and what must hold of them before it is called."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.property.bounds import absorb
from refute.adversary.property.conditions import read_condition
from refute.adversary.property.documented import implied_domains, read_parameter, read_sections, sought
from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.drawing import strategies
from refute.adversary.property.expressions import source_of
from refute.adversary.property.sentences import sentences
from refute.adversary.property.surface import Function, Surface
from refute.adversary.property.type_expressions import domain_of_type
from refute.ticket.record import Claim

_RESTRICTS: Final = re.compile(
    r"\b(?:assum\w+|preconditions?|requires?|expects?|guaranteed|well-formed|provided that|as long as"
    r"|behaviou?r is undefined|only (?:works|valid|defined)|undefined (?:for|if|when)"
    r"|(?:inputs?|arguments?|parameters?|callers?|values?|elements?|`?\w+`?) "
    r"(?:must|should|has to|have to|needs? to|are all|may not|cannot))\b",
    re.IGNORECASE,
)
_ABOUT_THE_CODE: Final = re.compile(r"^\W*(?:it|this|the (?:result|function|output)|\S+\(\S*\)) ", re.IGNORECASE)
_RAGGED: Final = re.compile(
    r"flatten|nested|ragged|concatenat|merg|chain|sub-?lists?|lists of|each list|groups?", re.IGNORECASE
)
_ANY_TEXT: Final = re.compile(r"\b(?:any|every|all|arbitrary|whatever|unicode)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A function that can be called with drawn values."""

    function: Function
    domains: Mapping[str, Domain]
    assumptions: tuple[ast.expr, ...] = ()
    """Conditions that the domains do not ensure by themselves."""
    refusals: tuple[str, ...] = ()
    """Exceptions by which the function refuses inputs."""

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        """Variable → strategy."""
        return strategies(dict(self.domains), self.assumptions, MODEST)

    @property
    def assumes(self) -> tuple[str, ...]:
        """The lines that reject values which break a precondition."""
        return tuple(f"assume({source_of(condition)})" for condition in self.assumptions)

    def call(self, values: Mapping[str, str] | None = None) -> str:
        """The call; every mutable value is passed as a copy, so that checks see the original.

        Args:
            values: parameter → Python, where something else than the drawn value is passed.
        """
        arguments = []
        for parameter in self.function.parameters:
            name = parameter.name
            if name in self.domains:
                copied = f"copy.deepcopy({name})" if self.domains[name].mutable else name
                value = (values or {}).get(name, copied)
                arguments.append(f"{name}={value}" if parameter.keyword_only else value)
        code = f"{self.function.callee}({', '.join(arguments)})"
        return f"asyncio.run({code})" if self.function.is_async else code

    def answer(self, values: Mapping[str, str] | None = None) -> str:
        """Python for the result of a call, generators read to their end; a known refusal counts as not tried."""
        return f"_answer(lambda: {self.call(values)}{''.join(f', {name}' for name in self.refusals)})"

    def assuming(self, conditions: Iterable[ast.expr]) -> "Setup":
        """The same under further conditions."""
        domains, left = absorb(dict(self.domains), conditions)
        return replace(self, domains=domains, assumptions=(*self.assumptions, *left))


def subjects_of(claim: Claim, surface: Surface) -> tuple[Function, ...]:
    """The functions that a claim names, in backticks, as a call or as a plain identifier; else the only public one."""
    quoted = set(re.findall(r"`([^\W\d][\w.]*)(?:\(|`)", claim.text))
    called = set(re.findall(r"(?<![\w.])([^\W\d][\w.]*)\(", claim.text))
    words = set(re.findall(r"(?<![\w.])([^\W\d]\w*)(?![\w(])", claim.text))
    callables = surface.callables()
    for names in (quoted | called, {word for word in words if "_" in word}):
        hits = tuple(f for f in callables if {f.name, f.qualified, f"{f.module}.{f.qualified}"} & names)
        if hits:
            return hits
    everything = surface.functions()
    if len(everything) == 1 and not surface.classes():
        return everything
    return tuple(f for f in everything if f.name in words and len(f.name) > 2)  # noqa: PLR2004  # `f` is a word too


def set_up(claim: Claim, function: Function) -> Setup | str:
    """How to call the function with every value that the claim and its docstring allow.

    Returns:
        The setup, or why the values are not known well enough: an input outside of a precondition refutes nothing.
    """
    if function.owner and not function.is_static:
        return f"`{function.qualified}` needs an instance, and only examples say how to make one"
    told = [read_sections(text) for text in (claim.text, function.docstring)]
    conditions = [text for sections in told for text in sections.preconditions]
    domains = _domains_of(claim, function)
    unknown = [p.name for p in function.parameters if not p.variadic and p.default is None and p.name not in domains]
    if unknown:
        return (
            f"no values can be made for {', '.join(f'`{name}`' for name in unknown)}; annotate it, or give an example"
        )
    conditions += [one for text in (claim.text, function.docstring) for one in _restricting(read_sections(text).prose)]
    read = [read_condition(text, domains) for text in conditions]
    if None in read:
        return f"the precondition {conditions[read.index(None)]!r} is not understood"
    narrowed, left = absorb(domains, [condition for condition in read if condition is not None])
    if not _ANY_TEXT.search(claim.text):
        narrowed = {name: _plain_text(domain) for name, domain in narrowed.items()}
    return Setup(function=function, domains=narrowed, assumptions=tuple(left))


def _domains_of(claim: Claim, function: Function) -> dict[str, Domain]:
    """Required parameter → its values, where annotation and documentation are understood."""
    told = [read_sections(text) for text in (function.docstring, claim.text)]
    entries = {entry.name: entry for sections in told for entry in sections.parameters}
    implied = implied_domains(tuple(text for sections in told for text in sections.preconditions))
    found: dict[str, Domain] = {}
    for parameter in function.parameters:
        if parameter.variadic or parameter.default is not None:
            continue
        domain, entry = domain_of_type(parameter.annotation), entries.get(parameter.name)
        if entry is not None:
            domain = read_parameter(domain, entry)
        lists = [one for one in found.values() if one.kind == "list"]
        if domain is None and entry is not None and sought(entry) and len(lists) == 1:
            domain = lists[0].items[0]
        domain = domain or implied.get(parameter.name)
        if domain is not None:
            found[parameter.name] = domain
    if _RAGGED.search(f"{claim.text} {function.name} {function.docstring}"):
        return found
    return {name: _even(domain) for name, domain in found.items()}


def _restricting(prose: str) -> list[str]:
    """Sentences that may restrict the inputs."""
    said = [one.plain for one in sentences(prose) if ">>>" not in one.plain]
    return [sentence for sentence in said if _RESTRICTS.search(sentence) and not _ABOUT_THE_CODE.match(sentence)]


def _even(domain: Domain) -> Domain:
    """Lists of lists are matrices, where nobody says otherwise: rows of one length."""
    match domain:
        case Domain(kind="list", items=(Domain(kind="list") as row,)):
            return replace(domain, items=(replace(row, min_size=max(row.min_size, 1)),), rectangular=True)
        case _:
            return domain


def _plain_text(domain: Domain) -> Domain:
    """Printable ASCII, where nobody speaks of any, every or all strings."""
    return replace(domain, ascii=domain.ascii or domain.kind == "str", items=tuple(map(_plain_text, domain.items)))
