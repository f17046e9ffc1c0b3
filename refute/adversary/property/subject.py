"""What a function that a claim speaks of can be called with: values, and what must hold of them."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.documented import Sections, described, implied, read_sections
from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import free_names, is_call_of, parse_expression
from refute.adversary.property.kinds import Kind, kind_of
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS
from refute.adversary.property.phrase_table import table
from refute.adversary.property.surface import Function
from refute.ticket.clauses import clauses_of
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
_ANY: Final = re.compile(
    r"list|array|sequence|string|text|number|integer|int|input|argument|it|value|parameter", re.IGNORECASE
)
"""What a text may call the only parameter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A function that can be called with drawn values."""

    function: Function
    kinds: Mapping[str, Kind]
    conditions: tuple[ast.expr, ...] = ()
    """What must hold of the values."""
    refusals: tuple[str, ...] = ()
    """Exceptions by which the function refuses inputs."""

    def call(self, values: Mapping[str, str] | None = None) -> str:
        """The call; every mutable value is passed as a copy, so that checks see the original.

        Args:
            values: parameter → Python, where something else than the drawn value is passed.
        """
        arguments = []
        for parameter in self.function.parameters:
            name = parameter.name
            if name in self.kinds:
                copied = f"copy.deepcopy({name})" if self.kinds[name].mutable else name
                value = (values or {}).get(name, copied)
                arguments.append(f"{name}={value}" if parameter.keyword_only else value)
        code = f"{self.function.qualified}({', '.join(arguments)})"
        return f"asyncio.run({code})" if self.function.is_async else code

    def answer(self, values: Mapping[str, str] | None = None) -> str:
        """Python for the result of a call, generators read to their end; a known refusal counts as not tried."""
        return f"_answer(lambda: {', '.join([self.call(values), *self.refusals])})"


def set_up(claim: Claim, function: Function, refusals: tuple[str, ...]) -> Setup:
    """How to call the function with every value that the claim and its docstring allow.

    Raises:
        NotTested: the values are not known well enough: an input outside of a precondition refutes nothing.
    """
    if function.owner and not function.is_static:
        raise NotTested(f"`{function.qualified}` needs an instance, and only examples say how to make one")
    told = [read_sections(text) for text in (function.docstring, claim.text)]
    kinds, conditions = _kinds_of(function, told)
    unknown = [p.name for p in function.parameters if not p.variadic and p.default is None and p.name not in kinds]
    if unknown:
        names = ", ".join(f"`{name}`" for name in unknown)
        raise NotTested(f"no values can be made for {names}; annotate it, or give an example")
    conditions += [one for sections in told for one in (*sections.preconditions, *_restricting(sections.prose))]
    read = [read_condition(text, kinds) for text in conditions]
    if None in read:
        raise NotTested(f"the precondition {conditions[read.index(None)]!r} is not understood")
    return Setup(function=function, kinds=kinds, conditions=tuple(filter(None, read)), refusals=refusals)


def _kinds_of(function: Function, told: Sequence[Sections]) -> tuple[dict[str, Kind], list[str]]:
    """Required parameter → its values, where annotation or description are understood; and what holds of them."""
    texts = {name: text for sections in told for name, text in sections.parameters.items()}
    by_conditions = implied(text for sections in told for text in sections.preconditions)
    found, conditions = dict[str, Kind](), list[str]()
    for parameter in function.parameters:
        if parameter.variadic or parameter.default is not None:
            continue
        name, (written, text) = parameter.name, texts.get(parameter.name, ("", ""))
        kind = kind_of(parameter.annotation or parse_expression(written))
        if text:
            kind, holds = described(name, text, kind, [one for one in found.values() if one.name == "list"])
            conditions += holds
        if (kind := kind or by_conditions.get(name)) is not None:
            found[name] = kind
    return found, conditions


def _restricting(prose: str) -> Iterable[str]:
    """Clauses that may restrict the inputs."""
    said = (" ".join(one.split()) for one in clauses_of(prose) if ">>>" not in one)
    return (clause for clause in said if _RESTRICTS.search(clause) and not _ABOUT_THE_CODE.match(clause))


def read_condition(text: str, variables: Iterable[str]) -> ast.expr | None:
    """A condition that is written as Python over the variables, or says in words how one compares; else None."""
    text, names = text.strip().rstrip(".;,").replace("`", ""), set(variables)
    kinds = "|".join(table()["quality"])
    if (hit := re.fullmatch(rf"(?:an? |the )?({kinds}) (\w+)|(?:the )?(\w+) is ({kinds})", text)) is not None:
        text = table()["quality"][hit[1] or hit[4]].format(hit[2] or hit[3])
    elif (hit := re.fullmatch(rf"(\w+) is ({'|'.join(table()['compared'])}) (-?\w+(?:\.\d+)?)", text)) is not None:
        text = f"{hit[1]} {table()['compared'][hit[2]]} {hit[3]}"
    node = parse_expression(text)
    if node is None or not is_pure(node, names) or not free_names([node]) & names:
        return None
    truth = isinstance(node, ast.Compare | ast.BoolOp) or is_call_of(node) in {"all", "any", "isinstance"}
    words = any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in getattr(node, "ops", ()))
    return node if truth and not (words and not isinstance(node, ast.BoolOp)) else None  # `xs is sorted` is English


def is_pure(node: ast.expr, variables: Iterable[str]) -> bool:
    """Whether an expression reads only the variables and harmless builtins and calls nothing private."""
    if free_names([node]) - set(variables) - ONLY_SAFE_BUILTINS:
        return False
    return not any(
        isinstance(inner, _IMPURE) or (isinstance(inner, ast.Attribute) and inner.attr.startswith("_"))
        for inner in ast.walk(node)
    )


def variable_of(words: str, kinds: Mapping[str, Kind]) -> str | None:
    """The variable that "n", "the items" or "input" stands for, where only one can be meant."""
    for word in (words, words.removesuffix("s")):
        if word in kinds:
            return word
        if _ANY.fullmatch(word) and len(kinds) == 1:
            return next(iter(kinds))
    return None
