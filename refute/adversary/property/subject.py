"""Which function a claim speaks of, what values it takes, and what must hold of them before it is called."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.property.bounds import absorb
from refute.adversary.property.documented import Sections, described, implied, read_sections
from refute.adversary.property.domain import MODEST, Domain, strategies
from refute.adversary.property.expressions import free_names, is_call_of, parse_expression, source_of
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS
from refute.adversary.property.phrase_table import table
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
_IMPURE: Final = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda
_KIND_OF_NOUN: Final = {
    **dict.fromkeys(("list", "array", "sequence"), "list"),
    **dict.fromkeys(("string", "text"), "str"),
    **dict.fromkeys(("number", "integer", "int"), "int"),
}
_ANYTHING: Final = frozenset({"input", "argument", "it", "value", "parameter"})


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
        return strategies(self.domains, MODEST)

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
    told = [read_sections(text) for text in (function.docstring, claim.text)]
    conditions = [text for sections in told for text in sections.preconditions]
    domains = _domains_of(function, told)
    unknown = [p.name for p in function.parameters if not p.variadic and p.default is None and p.name not in domains]
    if unknown:
        return (
            f"no values can be made for {', '.join(f'`{name}`' for name in unknown)}; annotate it, or give an example"
        )
    conditions += [one for sections in told for one in _restricting(sections.prose)]
    read = [read_condition(text, domains) for text in conditions]
    if None in read:
        return f"the precondition {conditions[read.index(None)]!r} is not understood"
    narrowed, left = absorb(domains, [condition for condition in read if condition is not None])
    return Setup(function=function, domains=narrowed, assumptions=tuple(left))


def _domains_of(function: Function, told: Sequence[Sections]) -> dict[str, Domain]:
    """Required parameter → its values, where annotation or description are understood."""
    texts = {name: text for sections in told for name, text in sections.parameters.items()}
    by_conditions = implied(tuple(text for sections in told for text in sections.preconditions))
    found: dict[str, Domain] = {}
    for parameter in function.parameters:
        if parameter.variadic or parameter.default is not None:
            continue
        written, text = texts.get(parameter.name, ("", ""))
        domain = domain_of_type(parameter.annotation or parse_expression(written))
        if text:
            lists = [one for one in found.values() if one.kind == "list"]
            domain = described(text, domain, lists)
        domain = domain or by_conditions.get(parameter.name)
        if domain is not None:
            found[parameter.name] = domain
    return found


def _restricting(prose: str) -> list[str]:
    """Sentences that may restrict the inputs."""
    said = [one.plain for one in sentences(prose) if ">>>" not in one.plain]
    return [sentence for sentence in said if _RESTRICTS.search(sentence) and not _ABOUT_THE_CODE.match(sentence)]


def read_condition(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    """A condition that is written as Python over the variables, or says in words how one compares; else None."""
    text = text.strip().rstrip(".;,").replace("`", "")
    kinds = "|".join(table()["quality"])
    if (hit := re.fullmatch(rf"(?:an? |the )?({kinds}) (\w+)|(?:the )?(\w+) is ({kinds})", text)) is not None:
        text = table()["quality"][hit[1] or hit[4]].format(hit[2] or hit[3])
    elif (hit := re.fullmatch(rf"(\w+) is ({'|'.join(table()['compared'])}) (-?\w+(?:\.\d+)?)", text)) is not None:
        text = f"{hit[1]} {table()['compared'][hit[2]]} {hit[3]}"
    node = parse_expression(text)
    if node is None or not is_pure(node, set(domains)) or not free_names([node]) & set(domains):
        return None
    truth = isinstance(node, ast.Compare | ast.BoolOp) or is_call_of(node) in {"all", "any", "isinstance"}
    words = any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in getattr(node, "ops", ()))
    return node if truth and not (words and not isinstance(node, ast.BoolOp)) else None  # `xs is sorted` is English


def is_pure(node: ast.expr, variables: set[str]) -> bool:
    """Whether an expression reads only the variables and harmless builtins and calls nothing private."""
    if free_names([node]) - variables - ONLY_SAFE_BUILTINS:
        return False
    return not any(
        isinstance(inner, _IMPURE) or (isinstance(inner, ast.Attribute) and inner.attr.startswith("_"))
        for inner in ast.walk(node)
    )


def variable_of(words: str, domains: Mapping[str, Domain]) -> str | None:
    """The variable that "n", "the list", "items" or "input" stands for, where only one can be meant."""
    words = re.sub(r"^(?:the |an? |its )", "", words.strip().strip("`"), flags=re.IGNORECASE)
    for word in (words, words.removesuffix("s")):
        if word in domains:
            return word
        kinds = [name for name, domain in domains.items() if domain.kind == _KIND_OF_NOUN.get(word.lower())]
        if len(kinds) == 1:
            return kinds[0]
        if word.lower() in _ANYTHING and len(domains) == 1:
            return next(iter(domains))
    return None


def operand(text: str, domains: Mapping[str, Domain]) -> str | None:
    """A number, a variable, or a pure expression of them, as Python; None for anything else."""
    node = parse_expression(text.strip().replace("`", ""))
    if node is None or not is_pure(node, set(domains)):
        return None
    match node:
        case ast.Constant(value=int() | float()) | ast.UnaryOp():
            return source_of(node)
        case ast.Name(id=name):
            return name if name in domains else None  # a builtin's name alone is no number
        case ast.BinOp() | ast.Call() | ast.Subscript():
            return f"({source_of(node)})"
        case _:
            return None
