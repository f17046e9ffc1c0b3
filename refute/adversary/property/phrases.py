"""A claim's clauses against the rows of phrases.toml: a test where one is recognised, and why not where none is."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from refute.adversary.attack import Category, Origin, Untested
from refute.adversary.promises import ERROR_NAME
from refute.adversary.property.arguments import Arguments, arguments_of, is_pure, parts_of
from refute.adversary.property.checks import DISAGREES
from refute.adversary.property.draft import Draft, NotTested, quote_of
from refute.adversary.property.expressions import free_names, parse_expression
from refute.adversary.property.given import drawn
from refute.adversary.property.kinds import Kind
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS, Namespace
from refute.adversary.property.surface import Function
from refute.adversary.tables import of_kind, said
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim, Ticket

_NUMBERS: Final = frozenset({"int", "float"})
_EVERY: Final = re.compile(r"arguments?|inputs?|parameters?", re.IGNORECASE)
_ANY: Final = re.compile(
    r"list|array|sequence|string|text|number|integer|int|input|argument|it|value|parameter", re.IGNORECASE
)
"""What a text may call the only parameter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    written: str
    bare: str
    """Without its subject and blanks too many."""
    function: Function | None
    """With which it begins."""
    sentence: int
    row: Mapping[str, Any] | None = None
    said: Mapping[str, str]
    """The row's groups (`a2` is another place of `a`)."""


def phrase_tests(claim: Claim, ticket: Ticket, namespace: Namespace) -> Iterator[Draft | Untested]:
    """Tests for every recognised clause of a claim, and the reasons why recognised ones were left alone."""
    subjects = namespace.surface.subjects(claim.text)
    clauses = [*_clauses(claim.text, subjects)]
    doubted = {one.sentence for one in clauses if one.row is None and said("doubt", one.bare)}
    for clause in clauses:
        function = clause.function or (subjects[0] if len(subjects) == 1 else None)
        if clause.row is None or clause.sentence in doubted or function is None:
            continue
        others = [one.text for one in ticket.claims if len(ticket.claims) == 1 or function.name in one.text]
        try:
            yield from _Reading(claim, clause, clause.row, function, others, namespace).drafts()
        except NotTested as why:
            yield Untested(claim=claim, reason=str(why))


def _clauses(text: str, subjects: Sequence[Function]) -> Iterator[_Clause]:
    """Each clause of what a text says of the result, and of its prose."""
    parts, sentence = parts_of(text), 0
    names = {name: one for one in subjects for name in (one.name, *one.names)}
    named = "".join(rf"{re.escape(name)}(?!\w)|" for name in sorted(names, key=len, reverse=True))
    subject = re.compile(
        rf"(?:the (?:function|method) )?`?(?P<name>{named}[\w.]+(?=\([^)]*\)|`:? ))`?(?:\([^)]*\))?`?:? ", re.IGNORECASE
    )
    paragraphs = ((part, one) for part in ("result", "prose") for one in re.split(r"\n\s*\n", parts[part]))
    for part, paragraph in paragraphs:
        for written in clauses_of(paragraph):
            plain = " ".join(written.split()).strip(" .,;-*•")
            hit = subject.match(plain)
            bare, function = plain[hit.end() if hit else 0 :], names.get(hit["name"]) if hit else None
            row, groups = _row_of(bare, is_result=part == "result")
            yield _Clause(written=written, bare=bare, function=function, sentence=sentence, row=row, said=groups)
            sentence += written.rstrip().endswith((".", ";", "!", "?"))
        sentence += 1


def _row_of(text: str, *, is_result: bool) -> tuple[Mapping[str, Any] | None, dict[str, str]]:
    """The first row that reads all of a clause; below a heading for results no verb is needed."""
    for row in (*of_kind("concept"), *of_kind("phrase")):
        hit = row["pattern"].fullmatch(text)
        if hit is None and is_result and row.get("of") != "clause":
            hit = row["pattern"].fullmatch(f"is {text}")
        if hit is not None:
            return row, {name.rstrip("2"): value for name, value in hit.groupdict().items() if value is not None}
    return None, {}


@dataclass(frozen=True, slots=True)
class _Reading:
    """One clause of a claim on one function, as a row reads it."""

    claim: Claim
    clause: _Clause
    row: Mapping[str, Any]
    function: Function
    others: Sequence[str]
    """Every claim that may speak of the function."""
    namespace: Namespace

    def drafts(self) -> list[Draft]:
        """The tests; or it says why there is none."""
        vague = NotTested(f"{self.clause.bare!r} is recognised as {self.row['name']!r}, but not understood in full")
        self._only_where_nothing_else_is_said()
        arguments = arguments_of(self.function, [self.function.docstring, self.claim.text])
        if (variables := self._variables(arguments.kinds)) is None:
            raise vague
        found = [self._draft(arguments, dict(zip("ab", names, strict=False))) for names in variables]
        if not found or None in found:
            raise vague
        return [one for one in found if one is not None]

    def _only_where_nothing_else_is_said(self) -> None:
        """Raise where other words restrict the inputs, or say what is given for some of them."""
        of_answers = bool(self.row.get("expected") or self.row.get("check"))
        if of_answers and not self.function.answers:
            raise NotTested(f"`{self.function.qualified}` returns nothing")
        own = (self.function.docstring, self.claim.text)
        for text in dict.fromkeys([*own, *self.others]):
            for one in (one for one in _clauses(text, ()) if ">>>" not in one.written):
                if one.row is None and text in own and said("restricts", one.bare):
                    raise NotTested(f"the precondition {one.bare!r} is not understood")
                if of_answers and self.clause.bare not in one.bare and said("special", one.bare):
                    raise NotTested(f"{one.bare!r} says what happens for some of the inputs")

    def _variables(self, kinds: Mapping[str, Kind]) -> list[tuple[str, ...]] | None:
        """Which arguments stand for `a` and `b`; several answers where each of several is meant."""
        words = [self.clause.said[group] for group in ("a", "b") if group in self.clause.said]
        each = self.row["name"] == "does not modify"
        if each and _EVERY.fullmatch(words[0]):
            return [(name,) for name in kinds if kinds[name].mutable]
        named = [name for word in words if (name := variable_of(word, kinds))]
        variables, takes = tuple(named or kinds), self.row.get("takes", ())
        if len(named) < len(words) or not variables or (takes and len(variables) != len(takes)):
            return None
        fit = all(_takes(wanted, kinds[name]) for wanted, name in zip(takes, variables, strict=False))
        return [variables] if fit and (not each or kinds[variables[0]].mutable) else None

    def _draft(self, arguments: Arguments, variables: Mapping[str, str]) -> Draft | None:
        """The test, of known variables; None where a group of the row is not understood."""
        row, kinds, name = self.row, arguments.kinds, self.row["name"]
        groups = {group: one for group, one in self.clause.said.items() if group not in "ab"}
        told = {group: _read(group, one, kinds, groups.get("i", "")) for group, one in groups.items()}
        if None in told.values():
            return None
        texts = "\n".join([self.function.docstring, *self.others])
        errors = sorted({*ERROR_NAME.findall(texts), *self.function.does.raises})
        refusals = [one for one in errors if self.namespace.defines(one, home=self.function.module)]
        body = _body(row, {**variables, **told}, arguments, refusals)
        if "draws" in row:
            drawn_texts = Kind(name="strategy", code=row["draws"])
            kinds = {name: drawn_texts if kind.name == "str" else kind for name, kind in kinds.items()}
        used = (self.function.qualified, *refusals)
        trees = [tree for code in used if (tree := parse_expression(code)) is not None]
        found = self.namespace.resolve(trees, home=self.function.module)
        given, left = drawn(kinds, arguments.conditions, small=True)
        return Draft(
            claim=self.claim,
            quote=quote_of(self.claim, self.clause.written, self.clause.bare),
            category=Category.FAILURE_MODE if name == "never raises" else Category.EDGE,
            origin=Origin.FUZZ if name == "never raises" else Origin.PHRASE,
            label=name,
            detail=f"recognised phrase: {name}",
            imports=found.imports,
            body=(*(f"assume({ast.unparse(condition)})" for condition in left), *body.splitlines()),
            given=given,
        )


def _body(
    row: Mapping[str, Any], values: Mapping[str, str | None], arguments: Arguments, refusals: Sequence[str]
) -> str:
    """The lines of a test; an input that the function refuses says nothing, but for `{call}`."""
    call, again = arguments.call({}), arguments.call({values.get("a") or "": "other"})
    answer, again = (f"_answer(lambda: {', '.join([one, *refusals])})" for one in (call, again))
    lines = row.get("body") or f"got = {{answer}}\nassert {row.get('check')}, _shown(got)"
    if expected := row.get("expected"):
        told = DISAGREES.replace("{", "{{").replace("}", "}}")
        lines = f"_expected = _defined(lambda: {expected})\n_got = {{answer}}\n"
        lines += f"assert _same(_expected, _got, exact=False), {told}"
    return str(lines).strip().format(**values, call=call, answer=answer, again=again)


def variable_of(words: str, kinds: Mapping[str, Kind]) -> str | None:
    """The variable that "n", "the items" or "input" stands for, where only one can be meant."""
    named = (word for word in (words, words.removesuffix("s")) if word in kinds)
    alone = next(iter(kinds)) if len(kinds) == 1 and _ANY.fullmatch(words.removesuffix("s")) else None
    return next(named, alone)


def _takes(wanted: str, kind: Kind) -> bool:
    return (kind.name == "list" and kind.items[0].name in _NUMBERS) if wanted == "numbers" else kind.name == wanted


def _read(group: str, text: str, kinds: Mapping[str, Kind], index: str) -> str | None:
    """What a group's words are as Python; None where they are not understood."""
    if group == "i":
        return None if text in kinds else text
    node = parse_expression(text.replace("`", ""))
    if node is None or not is_pure(node, {*kinds, index}):
        return None
    if group == "value":
        return ast.unparse(node)
    computed = not isinstance(node, ast.Name | ast.Constant | ast.Tuple)
    attributes = (ast.unparse(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Attribute))
    of_a_type = not ONLY_SAFE_BUILTINS.isdisjoint(attributes)  # `like str.upper` names no result
    return ast.unparse(node) if computed and free_names([node]) & set(kinds) and not of_a_type else None
