"""Examples that claims publish are law: a test that contradicts one is wrong, one that repeats it needs no vote.

Votes have agreed on another value than the claim's own example gives. Docstrings are no law: they are part of what is
attacked, and a false one would put every right test aside.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from refute.adversary.attack import SourceModule, TriagedTest, TriageVerdict
from refute.adversary.oracle.ballot import equal
from refute.adversary.oracle.question import Form, Situation
from refute.adversary.oracle.shown import RESULT, literal
from refute.adversary.property.notation import read_inline
from refute.adversary.property.sessions import blank_out, read_sessions
from refute.adversary.property.values import Value
from refute.adversary.references import defined
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call whose value a claim gives."""

    call: str
    value: Any
    claim: Claim

    @property
    def situation(self) -> Situation:
        """The same as voters are asked."""
        return Situation(code=f"{RESULT} = {self.call}", form=Form.VALUE, expected=self.value)


Published = Mapping[str, Example]
"""A call with plain arguments, as `digits(235)` → what is published of it."""


def published_examples(claims: Iterable[Claim], modules: Iterable[SourceModule]) -> Published:
    """What the claims' texts and their `examples` give for calls of the implementation's own functions.

    A call for which they give two values is left out.
    """
    trees = filter(None, (parsed_or_none(one.source) for one in modules))
    known = frozenset(name for tree in trees for node in tree.body for name in defined(node))
    found: dict[str, Example] = {}
    contested: set[str] = set()
    for claim in claims:
        for text in (claim.text, *claim.examples):
            for call, value in _shown(text, known):
                if call in found and not equal(found[call].value, value):
                    contested.add(call)
                found.setdefault(call, Example(call=call, value=value, claim=claim))
    return {call: example for call, example in found.items() if call not in contested}


def decided_by_example(one: TriagedTest, situation: Situation, published: Published) -> TriagedTest | None:
    """A failing test with its verdict where a published example decides it; None where none is about its input."""
    call = _asked(situation)
    if call not in published:
        return None
    value = published[call].value
    example = f"the published example {call} == {value!r}"
    if equal(value, situation.expected):
        return replace(one, verdict=TriageVerdict.REFUTED, reason=f"{one.reason} (as {example} says)")
    return replace(one, verdict=TriageVerdict.INVALID, reason=f"the test is wrong: it contradicts {example}")


def _shown(text: str, known: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Each call of a text whose value it gives."""
    examples = [*read_sessions(text), *read_inline(blank_out(text), known)]
    steps = [step for example in examples for step in example.steps]
    pairs = [(step.statement.value, step.expected) for step in steps if isinstance(step.statement, ast.Expr)]
    for expression, expected in pairs:
        match expression:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if expected is None:
                call, value = _plain(left), literal(ast.unparse(right))
            case _:
                call = _plain(expression)
                value = literal(ast.unparse(expected.plain)) if isinstance(expected, Value) else None
        if call.partition("(")[0] in known and value is not None:
            yield call, value[0]


def _asked(situation: Situation) -> str:
    """The call that a situation asks about; empty where it is about more."""
    if situation.form is not Form.VALUE:
        return ""
    match parsed_or_none(situation.code):
        case ast.Module(body=[*imports, ast.Assign(targets=[ast.Name(id=name)], value=value)]) if name == RESULT:
            return _plain(value) if all(isinstance(one, ast.Import | ast.ImportFrom) for one in imports) else ""
    return ""


def _plain(node: ast.expr) -> str:
    """A call with plain arguments, its function by its last name; empty for all else.

    Without arguments it may well be a call whose answer depends on those before it.
    """
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return ""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if any(literal(ast.unparse(one)) is None for one in given):
        return ""
    name = ast.unparse(node.func).rpartition(".")[2]
    return ast.unparse(ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=node.args, keywords=node.keywords))
