"""Functions that a claim names and none of its tests calls: one is easily attacked and the other forgotten."""

import ast
import re
from collections.abc import Sequence
from typing import Final

from refute.adversary.attack import AttackTest, Brief
from refute.adversary.references import names_in, needed_by
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim, Kind

NAMED: Final = re.compile(
    r"`([^\W\d][\w.]*)(?:\([^`]*\))?`|(?<![\w.])([^\W\d][\w.]*)\(|(?<![\w.])([a-z]\w*_\w+)(?![\w.])"
)
"""How a claim names a function: in backticks, as a call, or by a name with an underscore."""
FEWEST: Final = 2
"""A claim that names one function alone speaks of that, by whichever way a test reaches it."""


def uncalled(claim: Claim, tests: Sequence[AttackTest], source: str, brief: Brief) -> tuple[str, ...]:
    """The functions of the code that a claim names and none of these tests calls, in the claim's order.

    Args:
        claim: names one function: then none is told, since a test may well reach it through others.
        tests: of the claim, those that count.
        source: the file that holds them.
        brief: its modules define the functions.
    """
    found = NAMED.findall(claim.text)
    spoken = dict.fromkeys(name.rpartition(".")[2] for names in found for name in names if name)
    if len(spoken) < FEWEST or brief.ticket.kind is Kind.CLI:
        return ()
    functions = _functions(brief)
    named = [name for name in spoken if name in functions]
    if len(named) < FEWEST:
        return ()
    called = {name for part in needed_by(source, (test.name for test in tests)) for name in names_in(part)}
    return tuple(name for name in named if name not in called)


def _functions(brief: Brief) -> set[str]:
    trees = [parsed_or_none(one.source) for one in brief.modules]
    nodes = (node for tree in trees if tree for node in ast.walk(tree))
    found = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name in found if not name.startswith("_")}
