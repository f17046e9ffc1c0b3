"""A claim's clauses against the rows of phrases.toml: a test where one is recognised, and why not where none is."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from refute.adversary.attack import Category, Origin
from refute.adversary.property.documented import read_sections
from refute.adversary.property.domain import Domain
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expressions import free_names, parse_expression, source_of
from refute.adversary.property.namespace import Namespace, Unresolved
from refute.adversary.property.phrase_table import Row, compiled, groups, rows
from refute.adversary.property.sentences import sentences
from refute.adversary.property.subject import (
    Setup,
    is_pure,
    operand,
    read_condition,
    set_up,
    subjects_of,
    variable_of,
)
from refute.adversary.property.surface import Function
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim, Ticket

DISAGREES: Final = 'f"expected {_shown(expected)}, got {_shown(got)}"'
_SMALL: Final = 5
"""Longest text and list where a reference tries everything: right code may do so, too."""
_ARGUMENTS: Final = re.compile(r"arguments?|inputs?|parameters?", re.IGNORECASE)
_NAME: Final = re.compile(r"^`?[\w.]+`?(?:\([^)]*\))?`?:\s+|^`?[\w.]+(?:\([^)]*\)`?|`) (?:\([^)]*\) )?")
_SPECIAL: Final = re.compile(
    r"\b(?:returns?|gives?|yields?|is)\b.*\b(?:if|when|for|on|unless|otherwise)\b"
    r"|\b(?:if|when|for|on|unless|otherwise)\b.*\b(?:returns?|gives?|yields?)\b",
    re.IGNORECASE,
)
"""What a function gives for some of its inputs."""
_EMPTY: Final = {"list": "[]", "string": "''", "dict": "{}", "tuple": "()"}
_TYPES: Final = frozenset({"dict", "list", "str", "set", "int", "float", "bytes", "tuple"})
_NUMBERS: Final = frozenset({"int", "float"})


def phrase_tests(claim: Claim, ticket: Ticket, namespace: Namespace) -> Iterator[Draft | Note]:
    """Tests for every recognised clause of a claim, and the reasons why recognised ones were left alone."""
    subjects = subjects_of(claim, namespace.surface)
    for clause, text, is_result in _said(claim):
        function = _leading(text, subjects) or (subjects[0] if len(subjects) == 1 else None)
        hit = _matches(text, is_result=is_result) if function is not None else None
        if function is None or hit is None or (not function.answers and (hit[0].expected or hit[0].check)):
            continue
        drafts = _drafts(claim, ticket, namespace, function, hit)
        if isinstance(drafts, str):
            yield Note(claim=claim, reason=drafts)
        else:
            yield from (replace(draft, quote=quote_of(claim, clause, hit[1][0])) for draft in drafts)


def _said(claim: Claim) -> Iterator[tuple[str, str, bool]]:
    """Each clause, but none whose sentence restricts it in words that no row understands."""
    for sentence in _sentences(claim.text):
        others = [plain for _, plain, is_result in sentence if _matches(plain, is_result=is_result) is None]
        if not any(compiled("{{doubt}}").search(plain) for plain in others):
            yield from sentence


def _sentences(text: str) -> Iterator[list[tuple[str, str, bool]]]:
    """The clauses of each sentence: as written, without blanks too many, and whether it describes the result."""
    sections = read_sections(text)
    for part, is_result in ((sections.returns, True), (sections.prose, False)):
        for sentence in sentences(part):
            clauses = [
                (one, " ".join(one.split()).strip(" .,;-*•"), is_result) for one in clauses_of(sentence.verbatim)
            ]
            yield [one for one in clauses if one[1]]


def _leading(text: str, subjects: tuple[Function, ...]) -> Function | None:
    """The function with which a clause begins."""
    word = re.match(r"`?([^\W\d][\w.]*)", text)
    return next((f for f in subjects if word and word[1] in {f.name, f.qualified, f"{f.module}.{f.qualified}"}), None)


def _matches(text: str, *, is_result: bool) -> tuple[Row, re.Match[str]] | None:
    """The first row that is all of a clause without its subject."""
    bare = text
    for _ in range(2):
        bare = _NAME.sub("", re.sub(compiled("^{{subject}}"), "", bare))
    for start in dict.fromkeys((text, bare, re.sub(r"^[a-z_][\w.]* ", "", text))):
        plain = re.sub(compiled("^{{subject}}"), "", start)
        plain = re.sub(compiled("{{quantifier}}$"), "", plain)
        described = re.sub(compiled("^{{describes}}"), "", plain)
        for row in rows():
            said = described if row.of == "result" and (is_result or described != plain) else plain
            hit = row.pattern.fullmatch(said) if row.of == "clause" or is_result or described != plain else None
            if hit is not None:
                return row, hit
    return None


def _drafts(
    claim: Claim, ticket: Ticket, namespace: Namespace, function: Function, hit: tuple[Row, re.Match[str]]
) -> list[Draft] | str:
    row, match = hit
    said = groups(match)
    vague = f"{match.string!r} is recognised as {row.name!r}, but not understood in full"
    drawn, other = function, said.pop("other", "")
    if other:
        found = namespace.surface.named(other)
        if found is None:
            return vague
        drawn = found
    setup = set_up(claim, drawn)
    if isinstance(setup, str):
        return setup
    if (row.expected or row.check) and any(_special_cases(drawn, ticket, match.string)):
        return f"{vague}: the text says what happens for some of the inputs"
    setup = replace(setup, refusals=_refusals(drawn, ticket, namespace))
    if condition := said.pop("cond", ""):
        read = read_condition(condition, setup.domains)
        if read is None:
            return vague
        setup = _under(setup, read)
    laws = [_law(row, said, setup, variables, function) for variables in _variables(row, said, setup)]
    drafts = [_draft(claim, row, law, namespace, function, said) for law in laws if law is not None]
    return [draft for draft in drafts if draft is not None] or vague


def _special_cases(function: Function, ticket: Ticket, clause: str) -> Iterator[str]:
    """Other clauses that say what the function gives for some inputs."""
    for text in (function.docstring, *(claim.text for claim in _about(function, ticket))):
        for _, plain, _ in (one for sentence in _sentences(text) for one in sentence):
            if clause not in plain and ">>>" not in plain and _SPECIAL.search(plain):
                yield plain


def _under(setup: Setup, condition: ast.expr) -> Setup:
    """Values for which a condition holds, also where they lie outside of what the parameter otherwise allows."""
    names = free_names([condition]) & set(setup.domains)
    domains = {name: domain.unbounded if name in names else domain for name, domain in setup.domains.items()}
    kept = tuple(assumed for assumed in setup.assumptions if not free_names([assumed]) & names)
    return replace(setup, domains=domains, assumptions=kept).assuming([condition])


def _about(function: Function, ticket: Ticket) -> list[Claim]:
    return [claim for claim in ticket.claims if len(ticket.claims) == 1 or function.name in claim.text]


def _refusals(function: Function, ticket: Ticket, namespace: Namespace) -> tuple[str, ...]:
    """The errors by which a function refuses inputs: those that its documentation, its claims or its body name."""
    told = "\n".join([function.docstring, *(claim.text for claim in _about(function, ticket))])
    named = {*re.findall(r"\b[A-Z]\w*(?:Error|Exception)\b", told), *function.refuses_with}
    trees = {name: tree for name in sorted(named) if (tree := parse_expression(name)) is not None}
    return tuple(name for name, tree in trees.items() if not isinstance(namespace.resolve([tree]), Unresolved))


def _variables(row: Row, said: dict[str, str], setup: Setup) -> list[dict[str, str]]:
    """Which arguments stand for `a` and `b`; several answers where each of several is meant."""
    domains = setup.domains
    if row.mutable:
        mutable, word = [name for name, domain in domains.items() if domain.mutable], said.pop("a")
        named_one = variable_of(word, domains)
        return [{"a": name} for name in mutable if name == named_one or _ARGUMENTS.fullmatch(word)]
    named = [variable_of(said.pop(group), domains) for group in ("a", "b") if group in said]
    variables = [name for name in named if name is not None] or list(domains)
    if None in named or (row.takes and len(variables) != len(row.takes)):
        return []
    if row.takes and [*map(_kind, row.takes, (domains[name] for name in variables))].count(False):
        return []
    return [dict(zip("ab", variables, strict=False))] if variables else []


def _kind(wanted: str, domain: Domain) -> bool:
    if wanted == "numbers":
        return domain.kind == "list" and domain.items[0].kind in _NUMBERS
    return domain.kind == wanted


def _law(
    row: Row, said: Mapping[str, str], setup: Setup, variables: Mapping[str, str], outer: Function
) -> tuple[Setup, str] | None:
    """The lines of a test, and how it draws its inputs."""
    setup = replace(setup, domains={name: _fitted(row, domain) for name, domain in setup.domains.items()})
    values: dict[str, Any] = dict(variables)
    for group, text in said.items():
        known = _read(group, text, setup, said.get("i", ""))
        if known is None:
            return None
        values[group] = known
    asked = [parse_expression(text.format(**values)) for text in row.assume]
    if "low" in values:
        asked.append(parse_expression(f"{values['low']} <= {values['high']}"))
    setup = setup.assuming([node for node in asked if node is not None and free_names([node]) & set(setup.domains)])
    values |= {"answer": setup.answer(), "call": setup.call(), "outer": outer.callee}
    values["again"] = setup.answer({variables.get("a", ""): "other"})
    body = row.body.strip() or f"got = {{answer}}\nassert {row.check}, _shown(got)"
    if row.expected:
        body = (
            f"expected = _defined(lambda: {row.expected})\ngot = {{answer}}\nassert _same(expected, got, exact=False), "
        )
        return setup, body.format(**values) + DISAGREES
    return setup, body.format(**values)


def _read(group: str, text: str, setup: Setup, index: str) -> str | None:  # noqa: PLR0911  # one per kind of group
    """What a group's words are as Python; None where they are not understood."""
    node = parse_expression(text)
    match group:
        case "low" | "high":
            return operand(text, setup.domains)
        case "expr" | "test":
            names = set(setup.domains) | ({index} if index else set())
            if node is None or isinstance(node, ast.Name | ast.Constant | ast.Tuple) or not is_pure(node, names):
                return None
            of_a_type = any(isinstance(n, ast.Attribute) and source_of(n.value) in _TYPES for n in ast.walk(node))
            return source_of(node) if free_names([node]) & set(setup.domains) and not of_a_type else None
        case "value":
            try:
                return repr(ast.literal_eval(_EMPTY.get(text.lower().removeprefix("an empty "), text)))
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                return None
        case "i":
            return None if text in setup.domains else text
        case _:
            return text


def _fitted(row: Row, domain: Domain) -> Domain:
    """Texts of the row's alphabet, and no longer than its reference can bear."""
    items = tuple(_fitted(row, item) for item in domain.items)
    code = repr(row.alphabet) if row.alphabet and domain.kind == "str" and not domain.code else domain.code
    size = max(_SMALL, domain.min_size) if row.small and domain.kind in {"str", "list"} else domain.max_size
    return replace(domain, items=items, code=code, max_size=size)


def _draft(
    claim: Claim, row: Row, law: tuple[Setup, str], namespace: Namespace, outer: Function, said: Mapping[str, str]
) -> Draft | None:
    setup, body = law
    error = said.get("error", "")
    used = [setup.function.callee, outer.callee, *setup.refusals, *([error] if error else [])]
    trees = [tree for code in used if (tree := parse_expression(code)) is not None]
    found = namespace.resolve(trees)
    if isinstance(found, Unresolved):
        return None
    fails = error or row.name == "never raises"
    return Draft(
        claim=claim,
        quote=claim.text,
        category=Category.FAILURE_MODE if fails else Category.EDGE,
        origin=Origin.FUZZ if row.name == "never raises" else Origin.PHRASE,
        label=f"raises {error}" if error else row.name,
        detail=f"recognised phrase: {row.name}",
        imports=found.imports,
        body=(*setup.assumes, *body.splitlines()),
        given=setup.given,
    )
