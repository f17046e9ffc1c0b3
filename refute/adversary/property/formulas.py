"""Laws that a claim writes as code over variables: `` `decode(encode(x)) == x` for every string x ``."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from refute.adversary.attack import Category, Origin
from refute.adversary.property.awaiting import awaited_apart
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
    r"`(?P<span>[^`\n]+)`|(?P<bare>(?<![\w.`])[^\W\d][\w.]*\([^`]*?\) (?:==|<=|>=|<|>) "
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
_EACH = re.compile(
    r"(?:(?:any|all|every|each) )?(?:(?P<adjective>[a-z-]+) )?"
    r"`?(?P<name>[a-z]\w*)`?(?P<bound> ?(?:[<>]=?|!=|≥|≤) ?[^ ]+)?`?"
)
"""One part of "for every total >= 0 and all positive ratios"."""
_OF_NUMBERS = re.compile(r"(?:non-?)?(?:positive|negative|zero)|even|odd")
_KIND = re.compile(r"(?:(?:any|all|every|each) )?(?P<kind>lists?|strings?|dicts?|texts?)(?P<of> of \w+)?")
_UNDER = re.compile(r"^`? ?(?:for|when|if|whenever|where|provided(?: that)?|as long as) (?P<cond>.+)$")
_DOUBT = re.compile(
    r"\b(?:not|never|unless|except|may|might|sometimes|unlike|instead|after|before|once)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Formula:
    """A law as a sentence writes it."""

    claim: Claim
    sentence: Sentence
    node: ast.Compare
    rest: str
    """What the sentence says after it."""
    imports: tuple[str, ...]
    variables: frozenset[str]
    calls: tuple[ast.Call, ...]
    """Those of the implementation; at least one."""

    @property
    def shown(self) -> str:
        return f"`{source_of(self.node)}`"


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
                formula = _read(claim, sentence, hit, node, namespace)
                if formula is not None:
                    yield _tested(formula, namespace, refusals)


def _read(
    claim: Claim, sentence: Sentence, hit: re.Match[str], node: ast.Compare, namespace: Namespace
) -> _Formula | None:
    """None where the names are not known, or where there are no variables: then it is an example."""
    unresolved = namespace.resolve([node])
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and namespace.surface.named(dotted(n.func) or "")]
    if isinstance(unresolved, Resolved) or not calls:
        return None
    variables = frozenset(unresolved.names)
    found = namespace.resolve([node], bound=set(variables))
    if isinstance(found, Unresolved):
        return None
    return _Formula(
        claim=claim,
        sentence=sentence,
        node=node,
        rest=sentence.plain[hit.end() :],
        imports=tuple(found.imports),
        variables=variables,
        calls=tuple(calls),
    )


def _tested(formula: _Formula, namespace: Namespace, refusals: tuple[tuple[str, ...], tuple[str, ...]]) -> Draft | Note:
    setup = _set_up(formula, namespace, refusals)
    if isinstance(setup, str):
        return Note(claim=formula.claim, reason=setup)
    return Draft(
        claim=formula.claim,
        quote=quote_of(formula.claim, formula.sentence.verbatim, source_of(formula.node)),
        category=Category.EDGE,
        origin=Origin.PHRASE,
        label="law",
        detail=source_of(formula.node),
        imports=tuple(sorted({*formula.imports, *setup.refusal_imports})),
        body=(*setup.assumes, *_lines(awaited_apart(formula.node, namespace), setup)),
        given=setup.given,
    )


def _set_up(formula: _Formula, namespace: Namespace, refusals: tuple[tuple[str, ...], tuple[str, ...]]) -> Setup | str:
    """Values of the variables, or why they are not known."""
    variables = set(formula.variables)
    quantified = _quantified(formula.sentence.plain)
    if loose := sorted(_loose(formula.node, variables) - set(quantified)):
        return f"{formula.shown} holds for which `{loose[0]}`? What it has to do with the rest is not said."
    domains, conditions = _domains(formula.claim, list(formula.calls), namespace, variables)
    domains |= {name: domain for name, domain in quantified.items() if name in variables}
    if missing := sorted(variables - set(domains)):
        names = ", ".join(f"`{name}`" for name in missing)
        return f"{formula.shown} holds for which {names}? Their values are not known."
    condition = _condition(formula.rest, domains)
    if isinstance(condition, str):
        return f"{formula.shown} holds under {condition!r}, which is not understood"
    narrowed, left = absorb(domains, [*conditions, *condition])
    return Setup(
        claim_id=formula.claim.id,
        function=calls_function(formula.calls[0], namespace),
        domains={name: narrowed[name] for name in sorted(narrowed)},
        assumptions=tuple(left),
        refusals=refusals[0],
        refusal_imports=refusals[1],
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


def _lines(node: ast.expr, setup: Setup) -> tuple[str, ...]:
    refusals = "".join(f", {name}" for name in setup.refusals)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
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
    each = _for_each(rest, domains)
    if each is not None:
        return each
    without = _FOR_ALL.sub("", rest).strip(" ,")
    if re.fullmatch(r"(?:(?:always )?holds|is (?:always )?true|always|for (?:any|all|every|each) \w+|,|:|`)?", without):
        return []
    under = _UNDER.match(without)
    condition = read_condition(under["cond"], domains) if under else None
    return [condition] if condition is not None else without


def _for_each(rest: str, domains: dict[str, Domain]) -> list[ast.expr] | None:
    """As "for every total >= 0 and all positive ratios"; None where a part is not understood or names no variable."""
    if not re.match(r"for (?:any|all|every|each) ", rest):
        return None
    found: list[ast.expr] = []
    for part in re.split(r", and |, | and ", rest.removeprefix("for ")):
        if _is_kind(part, domains):
            continue
        hit = _EACH.fullmatch(part.strip())
        domain = domains.get(hit["name"]) if hit else None
        if hit is None or domain is None:
            return None
        said = [f"{hit['name']}{hit['bound']}"] if hit["bound"] else []
        if hit["adjective"] and domain.kind == "list" and _OF_NUMBERS.fullmatch(hit["adjective"]):
            items = {"x": domain.items[0]}
            inner = read_condition(f"x is {hit['adjective']}", items)
            said += [f"all({source_of(inner)} for x in {hit['name']})"] if inner is not None else [""]
        elif hit["adjective"]:
            said.append(f"{hit['name']} is {hit['adjective']}")
        read = [read_condition(text, domains) for text in said]
        known = [condition for condition in read if condition is not None]
        if len(known) != len(read):
            return None
        found += known
    return found


def _is_kind(part: str, domains: dict[str, Domain]) -> bool:
    """Whether "all lists" or "any list of ints" says no more of a variable than what is known of it."""
    hit = re.fullmatch(
        r"(?:(?:any|all|every|each) )?(?P<kind>lists?|strings?|dicts?|texts?)(?P<of> of \w+)?", part.strip()
    )
    if hit is None:
        return False
    kind = {"list": "list", "string": "str", "text": "str", "dict": "dict"}[hit["kind"].removesuffix("s")]
    items = read_parameter("", f"list{hit['of']}") if hit["of"] else None
    return any(domain.kind == kind and (items is None or items == domain) for domain in domains.values())
