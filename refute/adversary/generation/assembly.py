"""One ordinary pytest file out of a model's answers."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.attack import Attack, AttackTest, Brief, Origin, Untested, without_test
from refute.adversary.generation.answer import WrittenTest, WrittenTests
from refute.adversary.joining import join, self_contained, statements_of
from refute.adversary.property.render import file_name, header
from refute.guardrails.plain_text import printable
from refute.python_syntax import nests_deeper
from refute.ticket.record import ClaimId
from refute.wording import counted

PYTEST: Final = "import pytest"
MAX_DEPTH: Final = 100
"""Levels of a test's syntax tree: what goes through trees, here and in pytest, comes to no end in deeper ones."""
HYPOTHESIS: Final = "from hypothesis import HealthCheck, assume, example, given, settings, strategies as st"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One answer with where it came from."""

    name: str
    """Of the prompt, with its version."""
    answer: WrittenTests
    unusable: str = ""
    """Why nothing that the model said could be used; empty where something could."""


def assemble(brief: Brief, rounds: Sequence[Round], *, tester: str) -> Attack:
    """Put the tests of all rounds into one file.

    A test whose code is no Python function is part of the attack without being in the file, so that the screen
    rejects it, with its reason, like any other.

    Args:
        brief: of the ticket.
        rounds: in the order of asking.
        tester: who wrote them.
    """
    pieces, tests = [statements_of(f"{PYTEST}\n{HYPOTHESIS}")], []
    for one in rounds:
        preamble = _preamble(one.answer.preamble)
        for written in one.answer.tests:
            pieces.append(_function(written, preamble, f"{written.claim_id}, {written.category}, {one.name}"))
            name = written.name if pieces[-1] else f"{written.name}_unread_{len(pieces)}"
            tests.append(
                AttackTest(
                    name=name,
                    claim_id=ClaimId(written.claim_id),
                    quote=written.quote,
                    category=written.category,
                    origin=Origin.MODEL,
                    tester=tester,
                    round=one.name,
                )
            )
    source, renamed = join(pieces)
    tests = [replace(test, name=to.get(test.name, test.name)) for test, to in zip(tests, renamed[1:], strict=True)]
    told = f"Strategy: written by {tester} in {counted(len(rounds), 'round')}: {', '.join(one.name for one in rounds)}."
    return Attack(
        file_name=file_name(brief),
        source=f"{header(brief, {test.claim_id for test in tests}, [told])}\n\n{source}",
        tests=tuple(tests),
        untestable=_untestable(brief, tests, rounds),
        tester=tester,
    )


def _preamble(text: str) -> list[ast.stmt]:
    """The imports and helpers of an answer; what does not parse would take every test with it."""
    return [node for node in statements_of(text) if not nests_deeper(node, MAX_DEPTH)]


def _function(written: WrittenTest, preamble: Sequence[ast.stmt], told: str) -> list[ast.stmt]:
    """The test, saying what it is for, with what it uses; nothing where its code is not one function of its name."""
    body = statements_of(written.function)
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == written.name]
    if len(functions) != 1 or any(nests_deeper(node, MAX_DEPTH) for node in body):
        return []
    (function,) = functions
    own = ast.get_docstring(function, clean=False)
    words = "\n\n".join(filter(None, [_one_line(f"{told}: {written.quote}"), own]))
    function.body[: own is not None] = [ast.Expr(ast.Constant(words))]
    made = self_contained(function, [*preamble, *(node for node in body if node is not function)])
    try:
        ast.unparse(ast.Module(body=made, type_ignores=[]))
    except ValueError:  # what Python 3.11 reads and cannot write: a line break between the braces of an f-string
        return []
    return made


def _untestable(brief: Brief, tests: Sequence[AttackTest], rounds: Sequence[Round]) -> tuple[Untested, ...]:
    told = {given_up.claim_id: given_up.reason for one in rounds for given_up in one.answer.untestable}
    unusable = [one.unusable for one in rounds]
    otherwise = "the model wrote no test for it"
    if any(unusable) and not any(one.answer.tests for one in rounds):
        otherwise = f"no test came of the model's answers: {', '.join(dict.fromkeys(filter(None, unusable)))}"
    return without_test(brief, tests, lambda claim: _one_line(told.get(claim.id, "")) or otherwise)


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()), keep_newlines=False)
