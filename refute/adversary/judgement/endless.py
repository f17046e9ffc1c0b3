"""Calls on small input that never come back. What a claim promises as their result is then missing (ADR 16)."""

import ast
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from refute.adversary.attack import TestRun
from refute.adversary.counterexample import arguments
from refute.adversary.references import function_of
from refute.python_syntax import parse_python

SMALL_NUMBER: Final = 1_000
SMALL_SIZE: Final = 200
"""Items and characters of all input together."""
IMPLEMENTATION_FRAME: Final = re.compile(
    r'^\s*File "/workspace/(?P<path>[^"]+)", line \d+ in (?P<name>\S+)', re.MULTILINE
)
"""As faulthandler writes the stack of the subject."""


def endless(run: TestRun, source: str, limit: str) -> bool:
    """Whether a limit was reached on input so small that more time or depth would not have helped.

    A recursion was tried with ten times Python's own limit. A loop had the test's time in every run, and is believed
    to have no end only where it computed all the while (code that waits may be about to answer) and where the stack
    holds no function twice: branching recursion may be slow on small input.

    Args:
        run: that reached the limit inside the implementation.
        source: the test file.
        limit: `recursion` or `time`.
    """
    if limit not in {"recursion", "time"} or not _small_input(run, source):
        return False
    return limit == "recursion" or (run.computed and not _recursive(run.traceback))


def _small_input(run: TestRun, source: str) -> bool:
    given = arguments(run.smallest_input)
    if run.smallest_input:
        return given is not None and _small(_parsed(value) for value in given.values())
    function = function_of(source, run.name)
    drawn = function is not None and any("given" in ast.unparse(one) for one in function.decorator_list)
    return function is not None and not drawn and _small([function])


def _parsed(expression: str) -> ast.AST:
    return parse_python(expression.strip(), mode="eval")


def _small(nodes: Iterable[ast.AST]) -> bool:
    """Whether constants, their number, and what is made of them stay small."""
    size = 0
    for tree in nodes:
        docstring = ast.get_docstring(tree, clean=False) if isinstance(tree, ast.FunctionDef) else None
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=int() | float() as number) if abs(number) > SMALL_NUMBER:
                    return False
                case ast.BinOp(op=ast.Mult() | ast.Pow() | ast.LShift()) | ast.Call(func=ast.Name(id="range")):
                    return False
                case ast.comprehension() | ast.For() | ast.While():
                    return False
                case ast.Constant(value=str() | bytes() as text) if text != docstring:
                    size += len(text)
            size += isinstance(node, ast.Constant)
    return size <= SMALL_SIZE


def _recursive(traceback: str) -> bool:
    """Whether a function of the implementation stands on the stack more than once, or none is seen there at all."""
    frames = Counter((match["path"], match["name"]) for match in IMPLEMENTATION_FRAME.finditer(traceback))
    return not frames or max(frames.values()) > 1
