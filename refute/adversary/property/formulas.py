"""Laws that a claim writes as code over variables: `` `decode(encode(x)) == x` for every string x ``."""

import ast
import re
from collections.abc import Iterator

from refute.adversary.attack import Category, Origin
from refute.adversary.property.bounds import absorb
from refute.adversary.property.conditions import read_condition
from refute.adversary.property.domain import Domain
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expressions import dotted, free_names, parse_expression, source_of
from refute.adversary.property.law import DISAGREES
from refute.adversary.property.namespace import Namespace, Resolved, Unresolved
from refute.adversary.property.sections import Sentence, sentences
from refute.adversary.property.subject import Setup, set_up
from refute.adversary.property.surface import Function
from refute.adversary.property.wording import read_parameter
from refute.ticket.record import Claim

_CODE = re.compile(
    r"`(?P<span>[^`\n]+)`|(?P<bare>(?<![\w.`])[A-Za-z_][\w.]*\([^`]*?\) (?:==|<=|>=|<|>) "
    r"(?:[^`()]|\((?:[^`()]|\([^`()]*\))*\))*?)(?=$|[.,;:](?:\s|$)| for | holds| when | if )"
)
_FOR_ALL = re.compile(
    r"\bfor (?:any|all|every|each) (?P<type>[\w\s-]+?) (?P<names>`?[a-z]\w*`?(?:(?:,| and|, and) "
    r"`?[a-z]\w*`?)*)(?=$|[.,;:]| )"
)
_FOR_EVERY_ONE = re.compile(
    r"`? ?for (?:any|all|every|each) (?P<names>`?[a-z]\w*`?(?:(?:, and|,| and) `?[a-z]\w*`?)*)(?=$|[.,;:])"
)
"""`… for every text and k`: the variables themselves, with no word about their kind."""
_UNDER = re.compile(r"^`? ?(?:for|when|if|whenever|where|provided(?: that)?|as long as) (?P<cond>.+)$")
_DOUBT = re.compile(
    r"\b(?:not|never|unless|except|may|might|sometimes|unlike|instead|after|before|once)\b", re.IGNORECASE
)


def formula_tests(
    claim: Claim, namespace: Namespace, refusals: tuple[tuple[str, ...], tuple[str, ...]]
) -> Iterator[Draft | Note]:
    """A test per law that the claim's text writes as code with free variables.

    Args:
        claim: the claim.
        namespace: the names of the implementation.
        refusals: exceptions by which its functions refuse inputs, and the imports of these.
    """
    for sentence in sentences(claim.text):
        for hit in _CODE.finditer(sentence.plain):
            node = parse_expression(hit["span"] or hit["bare"])
            if isinstance(node, ast.Compare) and not _DOUBT.search(sentence.plain):
                yield from _formula(claim, sentence, hit, node, namespace, refusals)


def _formula(
    claim: Claim,
    sentence: Sentence,
    hit: re.Match[str],
    node: ast.Compare,
    namespace: Namespace,
    refusals: tuple[tuple[str, ...], tuple[str, ...]],
) -> Iterator[Draft | Note]:
    unresolved = namespace.resolve([node])
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and namespace.surface.named(dotted(n.func) or "")]
    if isinstance(unresolved, Resolved) or not calls:
        return  # without variables it is an example
    variables = set(unresolved.names)
    found = namespace.resolve([node], bound=variables)
    if isinstance(found, Unresolved):
        return
    quantified = _quantified(sentence.plain)
    if loose := sorted(_loose(node, variables) - set(quantified)):
        reason = f"`{source_of(node)}` holds for which `{loose[0]}`? What it has to do with the rest is not said."
        yield Note(claim=claim, reason=reason)
        return
    domains, conditions = _domains(claim, calls, namespace, variables)
    domains |= {name: domain for name, domain in quantified.items() if name in variables}
    missing = sorted(variables - set(domains))
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        yield Note(claim=claim, reason=f"`{source_of(node)}` holds for which {names}? Their values are not known.")
        return
    condition = _condition(sentence.plain[hit.end() :], domains)
    if isinstance(condition, str):
        yield Note(claim=claim, reason=f"`{source_of(node)}` holds under {condition!r}, which is not understood")
        return
    narrowed, left = absorb(domains, [*conditions, *condition])
    setup = Setup(
        claim_id=claim.id,
        function=calls_function(calls[0], namespace),
        domains={name: narrowed[name] for name in sorted(narrowed)},
        assumptions=tuple(left),
        refusals=refusals[0],
        refusal_imports=refusals[1],
    )
    yield Draft(
        claim=claim,
        quote=quote_of(claim, sentence.verbatim),
        category=Category.EDGE,
        origin=Origin.PHRASE,
        label="law",
        detail=source_of(node),
        imports=tuple(sorted({*found.imports, *setup.refusal_imports})),
        body=(*setup.assumes, *_lines(node, setup)),
        given=setup.given,
    )


def _loose(node: ast.Compare, variables: set[str]) -> set[str]:
    """Variables like the `n` of `matmul(m, identity(n)) == m`: alone in a call inside a call on one side only."""
    sides = [node.left, *node.comparators]
    found: set[str] = set()
    for number, side in enumerate(sides):
        elsewhere = free_names([other for place, other in enumerate(sides) if place != number])
        outer = [call for call in ast.walk(side) if isinstance(call, ast.Call)]
        inner = [part for call in outer for part in call.args if isinstance(part, ast.Call)]
        for call in inner:
            alone = free_names(call.args) & variables
            rest = (free_names([side]) & variables) - alone
            if len(alone) == 1 and rest and not alone & elsewhere:
                found |= alone
    return found


def calls_function(call: ast.Call, namespace: Namespace) -> Function:
    """The function of the implementation that a call names (the caller has made sure that there is one)."""
    function = namespace.surface.named(dotted(call.func) or "")
    if function is None:
        raise LookupError(source_of(call.func))
    return function


def _lines(node: ast.Compare, setup: Setup) -> tuple[str, ...]:
    refusals = "".join(f", {name}" for name in setup.refusals)
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        return (
            f"got = _answer(lambda: {source_of(node.left)}{refusals})",
            f"expected = _answer(lambda: {source_of(node.comparators[0])}{refusals})",
            f"assert _same(expected, got, exact=False), {DISAGREES}",
        )
    return (f"got = _answer(lambda: {source_of(node)}{refusals})", "assert got, _shown(got)")


def _domains(
    claim: Claim, calls: list[ast.Call], namespace: Namespace, variables: set[str]
) -> tuple[dict[str, Domain], list[ast.expr]]:
    """Variables take the place of parameters, so they take the parameters' values and preconditions."""
    domains: dict[str, Domain] = {}
    conditions: list[ast.expr] = []
    for call in calls:
        function = calls_function(call, namespace)
        positional = [p.name for p in function.parameters if not p.variadic]
        passed = dict(zip(positional, call.args, strict=False))
        passed |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        names = {parameter: value.id for parameter, value in passed.items() if isinstance(value, ast.Name)}
        ready = set_up(claim, function, wanted=names)
        if not isinstance(ready, Setup):
            continue
        for parameter, name in names.items():
            if name in variables and parameter in ready.domains:
                domains.setdefault(name, ready.domains[parameter])
        for condition in ready.assumptions:
            read = free_names([condition]) & set(ready.domains)
            if read <= set(names):
                conditions.append(_renamed(condition, names))
    return domains, conditions


def _renamed(node: ast.expr, names: dict[str, str]) -> ast.expr:
    copied = parse_expression(source_of(node))
    for inner in ast.walk(copied) if copied is not None else ():
        if isinstance(inner, ast.Name):
            inner.id = names.get(inner.id, inner.id)
    return copied if copied is not None else node


def _quantified(plain: str) -> dict[str, Domain]:
    """What "for any string s" and "for all ints a and b" say about variables."""
    found: dict[str, Domain] = {}
    for hit in _FOR_ALL.finditer(plain):
        domain = read_parameter("", hit["type"].strip()) or read_parameter("", hit["type"].strip().removesuffix("s"))
        if domain is not None:
            found |= dict.fromkeys(re.findall(r"[a-z]\w*", re.sub(r"\band\b", ",", hit["names"])), domain)
    return found


def _condition(rest: str, domains: dict[str, Domain]) -> list[ast.expr] | str:
    """What the sentence says after the formula: nothing, a known quantifier, or a condition that is understood."""
    rest = rest.strip().rstrip(".").strip()
    named = _FOR_EVERY_ONE.match(f" {rest}")
    if named and set(re.findall(r"\w+", re.sub(r"\band\b", ",", named["names"]))) <= set(domains):
        rest = rest[named.end() - 1 :].strip(" ,")
    without = _FOR_ALL.sub("", rest).strip(" ,")
    if re.fullmatch(r"(?:(?:always )?holds|is (?:always )?true|always|for (?:any|all|every|each) \w+|,|:|`)?", without):
        return []
    under = _UNDER.match(without)
    condition = read_condition(under["cond"], domains) if under else None
    return [condition] if condition is not None else without
