"""The smallest failing input, read out of the notes that Hypothesis adds to an exception."""

import ast
import re
from collections.abc import Sequence

from refute.python_syntax import expression_or_none

CALL = re.compile(r"^(?:Falsifying|Failing)[^\n:]*:\s*(?P<call>[A-Za-z_]\w*\(.*)\Z", re.DOTALL)
"""`Falsifying example: test_x(…)`, `Failing test case: test_x(…)`, `Falsifying explicit example: …`.
Source: hypothesis 6.170, https://hypothesis.readthedocs.io/en/latest/reference/api.html, 2026-11."""
DRAW = re.compile(r"^Draw (?P<label>\d+(?: \([^)\n]*\))?): (?P<value>.*)\Z", re.DOTALL)
INPUT_CHARS = 4_000


def smallest_input(notes: Sequence[str]) -> str:
    """The shrunk counterexample.

    Args:
        notes: `__notes__` of the exception, as text.

    Returns:
        `name=value` per line, values as Python expressions where they are some; empty without a counterexample.
    """
    lines: list[str] = []
    for note in notes:
        if match := CALL.match(note):
            lines += _arguments(match["call"])
        elif match := DRAW.match(note):
            lines.append(f"draw {match['label']}={' '.join(match['value'].split())}")
    return "\n".join(lines)[:INPUT_CHARS]


def arguments(smallest: str) -> dict[str, str] | None:
    """The counterexample as name → Python expression; None where a line of it is no expression."""
    found = {}
    for line in smallest.splitlines():
        name, equals, value = line.partition("=")
        if not equals or not name.isidentifier() or expression_or_none(value) is None:
            return None
        found[name] = value
    return found


def _arguments(call: str) -> list[str]:
    tree = expression_or_none(call)
    if isinstance(tree, ast.Call) and not tree.args:
        try:
            return [f"{argument.arg}={ast.unparse(argument.value)}" for argument in tree.keywords if argument.arg]
        except RecursionError:
            return [" ".join(call.split())]
    inner = call.partition("(")[2].rpartition(")")[0]
    return [line for raw in inner.splitlines() if (line := re.sub(r",(?:\s+# .*)?$", "", raw.strip()))]
