"""What needs no vote: published examples are law, and two mistakes of tests expect more than any claim could mean.

Votes have agreed on another value than the claim's own example gives. Docstrings are no law: they are part of what is
attacked, and a false one would put every right test aside.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from refute.adversary.attack import SourceModule, TriagedTest, TriageVerdict
from refute.adversary.oracle.ballot import equal
from refute.adversary.oracle.question import RESULT, Situation, literal
from refute.adversary.property.notation import read_inline
from refute.adversary.property.sessions import blank_out, read_sessions
from refute.adversary.property.values import Value
from refute.adversary.references import body_of, defined
from refute.ticket.record import Claim

FLOAT: Final = re.compile(r"\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)")
EXACT: Final = re.compile(
    r"\bexact|\bround|\bdecimal|\bdigit|\bprecis|\bplaces\b|\bcents?\b|\btruncat|\bfloor|\bceil", re.IGNORECASE
)
"""Claims for which the last digit may matter."""
SPEAKS: Final = re.compile(
    r"\b(?:message|wording|text|sa(?:ys?|ying)|tell|nam(?:es|ing)|mention|expla|descri|hint|clear)", re.IGNORECASE
)
"""Claims that may be about what an error says."""
WORD: Final = re.compile(r"[^\W_]{2,}")

Published = dict[str, tuple[Claim, Situation]]
"""A call with plain arguments, as `digits(235)` → what is published of it, asked as of a failing test."""


def published_examples(claims: Iterable[Claim], modules: Iterable[SourceModule]) -> Published:
    """What the claims' texts and their `examples` give for calls of the implementation's own functions.

    A call for which they give two values is left out.
    """
    known = frozenset(name for one in modules for node in body_of(one.source) for name in defined(node))
    found: Published = {}
    contested: set[str] = set()
    for claim in claims:
        for call, value in (pair for text in (claim.text, *claim.examples) for pair in _examples(text, known)):
            said = Situation(code=f"{RESULT} = {call}", expected=value)
            if not equal(found.setdefault(call, (claim, said))[1].expected, value):
                contested.add(call)
    return {call: example for call, example in found.items() if call not in contested}


def decided_without_vote(
    one: TriagedTest, situation: Situation, published: Published, claims: Sequence[str]
) -> TriagedTest | None:
    """A failing test with its verdict, where nobody need be asked; None where somebody must.

    Args:
        one: the test.
        situation: in which it failed.
        published: as `published_examples` gives it.
        claims: texts of the ticket's claims.
    """
    wrong = ""
    if example := published.get(_call(situation)):
        value = example[1].expected
        told = f"the published example {_call(situation)} == {value!r}"
        if equal(value, situation.expected):
            return replace(one, verdict=TriageVerdict.REFUTED, reason=f"{one.reason} (as {told} says)")
        wrong = f"it contradicts {told}"
    elif situation.error_text and not any(_may_say(claim, situation.error_text) for claim in claims):
        wrong = f"it expects words of an error's message that no claim gives: {one.reason}"
    elif not any(map(EXACT.search, claims)) and _rounded(situation):
        wrong = f"it compares numbers that differ by no more than rounding: {one.reason}"
    return replace(one, verdict=TriageVerdict.INVALID, reason=f"the test is wrong: {wrong}") if wrong else None


def _rounded(situation: Situation) -> bool:
    """Whether what came differs from what is expected by no more than calculating with binary fractions loses."""
    told = (situation.came, repr(situation.expected))
    came, expected = (FLOAT.sub(lambda found: f"{round(float(found[0]), 12):.9g}", text) for text in told)
    return came == expected and "'" not in came  # a text that differs by a digit is another text


def _may_say(claim: str, expected: str) -> bool:
    """Whether a claim may be what gives an error's words: it has them, or is about what something says."""
    wanted, said = ({word.lower() for word in WORD.findall(text)} for text in (expected, claim))
    return wanted <= said or SPEAKS.search(claim) is not None


def _examples(text: str, known: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Each call of a text whose value it gives."""
    examples = [*read_sessions(text), *read_inline(blank_out(text), known)]
    for step in (step for example in examples for step in example.steps):
        match step.statement, step.expected:
            case ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])), None:
                call, value = _plain(left), literal(ast.unparse(right))
            case ast.Expr(value=left), Value(plain=right):
                call, value = _plain(left), literal(ast.unparse(right))
            case _:
                continue
        if call.partition("(")[0] in known and value is not None:
            yield call, value[0]


def _call(situation: Situation) -> str:
    """The call that a situation asks about; empty where it is about more."""
    match [node for node in body_of(situation.code) if not isinstance(node, ast.Import | ast.ImportFrom)]:
        case [ast.Assign(targets=[ast.Name(id="result")], value=value)]:
            return _plain(value)
    return ""


def _plain(node: ast.expr) -> str:
    """A call with plain arguments, its function by its last name; empty for all else.

    Without arguments it may well be a call whose answer depends on those before it.
    """
    match node:
        case ast.Call(func=function, args=args, keywords=keywords) if args or keywords:
            given = [*args, *(keyword.value for keyword in keywords)]
            if all(literal(ast.unparse(one)) is not None for one in given):
                name = ast.Name(id=ast.unparse(function).rpartition(".")[2])
                return ast.unparse(ast.Call(func=name, args=args, keywords=keywords))
    return ""
