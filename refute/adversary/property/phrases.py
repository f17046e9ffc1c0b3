"""A claim's clauses against the rows of phrases.toml: a test where one is recognised, and why not where none is."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from refute.adversary.attack import Category, Origin
from refute.adversary.property.documented import read_sections
from refute.adversary.property.draft import Draft, Note, NotTested, quote_of
from refute.adversary.property.expressions import free_names, parse_expression, source_of
from refute.adversary.property.given import drawn
from refute.adversary.property.kinds import Kind
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS, Namespace
from refute.adversary.property.phrase_table import Row, compiled, match_of
from refute.adversary.property.subject import Setup, is_pure, read_condition, set_up, variable_of
from refute.adversary.property.surface import Function
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim, Ticket

DISAGREES: Final = 'f"expected {_shown(expected)}, got {_shown(got)}"'
_ARGUMENTS: Final = re.compile(r"arguments?|inputs?|parameters?", re.IGNORECASE)
_SPECIAL: Final = re.compile(
    r"\b(?:returns?|gives?|yields?|is)\b.*\b(?:if|when|for|on|unless|otherwise)\b"
    r"|\b(?:if|when|for|on|unless|otherwise)\b.*\b(?:returns?|gives?|yields?)\b",
    re.IGNORECASE,
)
"""What a function gives for some of its inputs."""
_NUMBERS: Final = frozenset({"int", "float"})
_Clause = tuple[str, str, bool]
"""As written, without its subject and blanks too many, and whether it stands below a heading for the result."""


def phrase_tests(claim: Claim, ticket: Ticket, namespace: Namespace) -> Iterator[Draft | Note]:
    """Tests for every recognised clause of a claim, and the reasons why recognised ones were left alone."""
    subjects = namespace.surface.subjects(claim.text)
    only = subjects[0] if len(subjects) == 1 else None
    for sentence in _sentences(claim.text, subjects):
        read = [(clause, match_of(clause[1], is_result=clause[2])) for clause in sentence]
        if any(hit is None and compiled("{{doubt}}").search(clause[1]) for clause, hit in read):
            continue  # words that no row understands restrict all of it
        for clause, hit in read:
            function = _leading(clause[0], subjects) or only
            if hit is None or function is None or (not function.answers and (hit[0].expected or hit[0].check)):
                continue
            try:
                drafts = _Reading(claim, ticket, namespace, function, clause[1]).drafts(*hit)
                yield from (replace(draft, quote=quote_of(claim, clause[0], clause[1])) for draft in drafts)
            except NotTested as why:
                yield Note(claim=claim, reason=str(why))


def _sentences(text: str, subjects: tuple[Function, ...]) -> Iterator[list[_Clause]]:
    """The clauses of each sentence, first of those below a heading for the result."""
    sections = read_sections(text)
    for part, is_result in ((sections.returns, True), (sections.prose, False)):
        for paragraph in re.split(r"\n\s*\n", part):
            sentence: list[_Clause] = []
            for clause in clauses_of(paragraph):
                sentence += [(clause, bare, is_result)] if (bare := _bare(clause, subjects)) else []
                if clause.rstrip().endswith((".", ";", "!", "?")):
                    yield sentence
                    sentence = []
            yield sentence


def _bare(clause: str, subjects: tuple[Function, ...]) -> str:
    plain = " ".join(clause.split()).strip(" .,;-*•")
    function = _leading(plain, subjects)
    named = rf"`?[\w.]*\b{function.name}`?(?:\([^)]*\))?`?:? " if function else r"`?[\w.]+(?:\([^)]*\)`?|`):? "
    return re.sub(rf"^(?:the (?:function|method) )?{named}", "", plain, flags=re.IGNORECASE)


def _leading(text: str, subjects: tuple[Function, ...]) -> Function | None:
    """The function with which a clause begins."""
    word = re.match(r"\W*(?:the (?:function|method) )?`?([^\W\d][\w.]*)", text, re.IGNORECASE)
    return next((f for f in subjects if word and word[1] in {f.name, f.qualified, f"{f.module}.{f.qualified}"}), None)


class _Reading:
    """One clause of a claim on one function."""

    def __init__(self, claim: Claim, ticket: Ticket, namespace: Namespace, function: Function, clause: str) -> None:
        self._claim, self._namespace, self._function, self._clause = claim, namespace, function, clause
        self._told = [one.text for one in ticket.claims if len(ticket.claims) == 1 or function.name in one.text]

    def drafts(self, row: Row, said: dict[str, str]) -> list[Draft]:
        """The tests; or it says why there is none."""
        vague = NotTested(f"{self._clause!r} is recognised as {row.name!r}, but not understood in full")
        source = self._namespace.surface.named(said.pop("other")) if "other" in said else self._function
        if source is None:
            raise vague
        setup = set_up(self._claim, source, self._refusals(source))
        if (row.expected or row.check) and self._has_special_cases(setup.function):
            raise NotTested(f"{vague}: the text says what happens for some of the inputs")
        if condition := said.pop("cond", ""):
            read = read_condition(condition, setup.kinds)
            if read is None:
                raise vague
            names = free_names([read]) & set(setup.kinds)
            kept = tuple(one for one in setup.conditions if not free_names([one]) & names)
            setup = replace(setup, conditions=(*kept, read))
        laws = (_law(row, said, setup, chosen, self._function) for chosen in _variables(row, said, setup))
        if not (drafts := [self._draft(row, law, said.get("error", "")) for law in laws if law is not None]):
            raise vague
        return drafts

    def _has_special_cases(self, function: Function) -> bool:
        """Whether other clauses say what the function gives for some inputs."""
        clauses = [one for text in (function.docstring, *self._told) for part in _sentences(text, ()) for one in part]
        others = (plain for _, plain, _ in clauses if self._clause not in plain and ">>>" not in plain)
        return any(map(_SPECIAL.search, others))

    def _refusals(self, function: Function) -> tuple[str, ...]:
        """The errors by which a function refuses inputs: those that its documentation, its claims or its body name."""
        named = re.findall(r"\b[A-Z]\w*(?:Error|Exception)\b", "\n".join([function.docstring, *self._told]))
        return tuple(one for one in sorted({*named, *function.refuses_with}) if self._namespace.defines(one))

    def _draft(self, row: Row, law: tuple[Setup, str], error: str) -> Draft:
        setup, body = law
        used = [setup.function.qualified, self._function.qualified, *setup.refusals, *([error] if error else [])]
        found = self._namespace.resolve([tree for code in used if (tree := parse_expression(code)) is not None])
        given, left = drawn(setup.kinds, setup.conditions, small=True)
        never = row.name == "never raises"
        return Draft(
            claim=self._claim,
            quote=self._claim.text,
            category=Category.FAILURE_MODE if error or never else Category.EDGE,
            origin=Origin.FUZZ if never else Origin.PHRASE,
            label=f"raises {error}" if error else row.name,
            detail=f"recognised phrase: {row.name}",
            imports=found.imports,
            body=(*(f"assume({source_of(condition)})" for condition in left), *body.splitlines()),
            given=given,
        )


def _variables(row: Row, said: dict[str, str], setup: Setup) -> list[dict[str, str]]:
    """Which arguments stand for `a` and `b`; several answers where each of several is meant."""
    kinds = setup.kinds
    if row.name == "does not modify":
        word = said.pop("a")
        meant = [*kinds] if _ARGUMENTS.fullmatch(word) else [variable_of(word, kinds)]
        return [{"a": name} for name in meant if name is not None and kinds[name].mutable]
    named = [variable_of(said.pop(group), kinds) for group in ("a", "b") if group in said]
    variables = [name for name in named if name is not None] or list(kinds)
    if None in named or not variables or (row.takes and len(variables) != len(row.takes)):
        return []
    fit = all(_takes(wanted, kinds[name]) for wanted, name in zip(row.takes, variables, strict=False))
    return [dict(zip("ab", variables, strict=False))] if fit else []


def _takes(wanted: str, kind: Kind) -> bool:
    return (kind.name == "list" and kind.items[0].name in _NUMBERS) if wanted == "numbers" else kind.name == wanted


def _law(
    row: Row, said: Mapping[str, str], setup: Setup, variables: Mapping[str, str], outer: Function
) -> tuple[Setup, str] | None:
    """How a test draws its inputs, and its lines."""
    known = {group: _read(group, text, setup, said.get("i", "")) for group, text in said.items()}
    if None in known.values():
        return None
    values: dict[str, Any] = {**variables, **known}
    bounds = [f"{values['low']} <= {values['high']}"] if "low" in values else []
    asked = map(parse_expression, [*(text.format(**values) for text in row.assume), *bounds])
    asked_of_us = [node for node in asked if node is not None and free_names([node]) & set(setup.kinds)]
    kinds = {
        name: Kind(name="strategy", code=row.draws) if row.draws and kind.name == "str" else kind
        for name, kind in setup.kinds.items()
    }
    setup = replace(setup, kinds=kinds, conditions=(*setup.conditions, *asked_of_us))
    values |= {"answer": setup.answer(), "call": setup.call(), "outer": outer.qualified}
    values["again"] = setup.answer({variables.get("a", ""): "other"})
    body = row.body.strip() or f"got = {{answer}}\nassert {row.check}, _shown(got)"
    if row.expected:
        body = (
            f"expected = _defined(lambda: {row.expected})\ngot = {{answer}}\nassert _same(expected, got, exact=False)"
        )
        return setup, f"{body.format(**values)}, {DISAGREES}"
    return setup, body.format(**values)


def _read(group: str, text: str, setup: Setup, index: str) -> str | None:
    """What a group's words are as Python; None where they are not understood."""
    if group in {"error", "i"}:
        return None if text in setup.kinds else text
    node = parse_expression(text.replace("`", ""))
    if node is None or not is_pure(node, {*setup.kinds, index}):
        return None
    computed = not isinstance(node, ast.Name | ast.Constant | ast.Tuple)
    if group in {"expr", "test"}:
        attributes = (source_of(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Attribute))
        of_a_type = not ONLY_SAFE_BUILTINS.isdisjoint(attributes)  # `like str.upper` names no result
        return source_of(node) if computed and free_names([node]) & set(setup.kinds) and not of_a_type else None
    known = computed or isinstance(node, ast.Constant) or source_of(node) in setup.kinds
    return f"({source_of(node)})" if known else None  # a builtin's name alone is no number
