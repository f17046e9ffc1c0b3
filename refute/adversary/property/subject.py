"""Which function a claim speaks of, what values it takes, and what must hold of them before it is called."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from refute.adversary.property.allowed import domains_of, even, plain_text, without_values
from refute.adversary.property.bounds import absorb
from refute.adversary.property.conditions import read_condition
from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.drawing import strategies
from refute.adversary.property.expressions import source_of
from refute.adversary.property.sections import Entry, read_sections, sentences
from refute.adversary.property.surface import Function, Parameter, Surface
from refute.ticket.record import Claim, ClaimId

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
_CONFIGURED = re.compile(
    r"\b(?:modes?|config\w*|options?|settings?|construct\w*|initiali[sz]\w*|created|built|made|instances?|defaults?"
    r"|enabled?|disabled?|turned|passed|given)\b",
    re.IGNORECASE,
)
"""Words by which a claim may speak of instances that are made with arguments."""
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
        code = f"{self.function.callee}({', '.join(arguments)})"
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
    quoted = set(re.findall(r"`([^\W\d][\w.]*)(?:\(|`)", claim.text))
    called = set(re.findall(r"(?<![\w.])([^\W\d][\w.]*)\(", claim.text))
    words = set(re.findall(r"(?<![\w.])([^\W\d]\w*)(?![\w(])", claim.text))
    callables = surface.callables()
    for names in (quoted | called, {word for word in words if "_" in word}):
        hits = tuple(f for f in callables if {f.name, f.qualified, f"{f.module}.{f.qualified}"} & names)
        if hits:
            return tuple(_plainly_meant(hit, callables, claim) for hit in hits)
    everything = surface.functions()
    if len(everything) == 1 and not surface.classes():
        return everything
    return tuple(f for f in everything if f.name in words and len(f.name) > 2)  # noqa: PLR2004  # `f` is a word too


def _plainly_meant(function: Function, callables: Iterable[Function], claim: Claim) -> Function:
    """Without an instance to call it on where another method or another instance may be meant."""
    others = any(one.name == function.name and one is not function for one in callables)
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", claim.text)}
    parts = {part.lower() for option in function.options for part in option.split("_")}
    configured = function.options and (words & parts or _CONFIGURED.search(claim.text))
    return replace(function, receiver="") if others or configured else function


def set_up(claim: Claim, function: Function, *, wanted: Iterable[str] = ()) -> Setup | str:
    """How to call the function with every value that the claim and its docstring allow.

    Args:
        claim: its text may document parameters and preconditions, as docstrings do.
        function: the subject.
        wanted: optional parameters that the claim speaks of; other optional ones keep their defaults.

    Returns:
        The setup, or why the values are not known well enough: an input outside of a precondition refutes nothing.
    """
    if function.owner and not function.is_static and not function.receiver:
        return f"`{function.qualified}` needs an instance, and only examples say how to make one"
    told = [read_sections(claim.text), read_sections(function.docstring)]
    entries = {entry.name: entry for sections in reversed(told) for entry in sections.parameters}
    conditions = [text for sections in told for text in sections.preconditions]
    needed = [p for p in function.parameters if not p.variadic and (p.default is None or p.name in set(wanted))]
    domains, said = domains_of(needed, entries, conditions)
    conditions += said
    unknown = [p for p in needed if p.name not in domains]
    if unknown:
        missing = ", ".join(without_values(p, entries.get(p.name)) for p in unknown)
        return f"no values can be made for {missing}; an example would say what to call"
    if not _RAGGED.search(f"{claim.text} {function.name} {function.docstring}"):
        domains = {name: even(domain) for name, domain in domains.items()}
    conditions += _restricting_sentences(claim, function, domains)
    read = [(text, read_condition(text, domains)) for text in conditions]
    for text, condition in read:
        if condition is None:
            return f"the precondition {text!r} is not understood"
    narrowed, left = absorb(domains, [condition for _, condition in read if condition is not None])
    if not _QUANTIFIED.search(claim.text):
        narrowed = {name: plain_text(domain) for name, domain in narrowed.items()}
    return Setup(
        claim_id=claim.id, function=function, domains=narrowed, assumptions=tuple(left), parameters=told[0].parameters
    )


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
    words = set(re.findall(r"[^\W\d]\w*", text))
    return {parameter.name for parameter in function.parameters if parameter.name in words}
