"""The critic that needs no model: it reads text alone, and what it says is advice, never a verdict."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import Final

from refute.adversary.attack import Brief
from refute.critics.focus import Focus
from refute.critics.material import promises_of
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, Standing
from refute.python_syntax import parsed_or_none

CRITIC_ID: Final = "text-1"
NOTE: Final = "no model criticised: the text alone was read"
CALL: Final = re.compile(r"(?<![\w.])(?P<name>[a-z_]\w{2,})\(")
"""A call, as claims name functions; one behind a dot is an object's."""


def read_text(brief: Brief) -> Review:
    """The review of what the text alone shows: functions that promises name and the code does not have."""
    known = {name for one in brief.modules for name in _names(one.source)} | set(dir(builtins))
    failures = tuple(
        ReviewFailure(
            severity=Severity.MINOR,
            description=f"{promise.id} speaks of {name}(), which the code does not have",
            evidence=promise.text,
            standing=Standing.UNCONFIRMED,
            reason="read off the text",
        )
        for promise in promises_of(brief.ticket)
        for name in dict.fromkeys(match["name"] for match in CALL.finditer(promise.text))
        if name not in known
    )
    verdict = ReviewVerdict.CONDITIONAL_PASS if failures else ReviewVerdict.PASS
    return Review(critic_id=CRITIC_ID, focus=Focus.SPEC_COMPLIANCE, verdict=verdict, failures=failures, note=NOTE)


def _names(source: str) -> Iterator[str]:
    tree = parsed_or_none(source)
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name) | ast.arg(arg=name) | ast.alias(name=name):
                yield name
            case ast.Attribute(attr=name):
                yield name
