"""What tests give their objects: the shape of an argument that no claim names, and of which one test knows nothing."""

import ast
import re
from typing import Final

from refute.adversary.attack import Attack, AttackRun, Origin, TestRun
from refute.adversary.references import needed_by

LACKING: Final = re.compile(
    r"'(?:str|bytes|int|float|complex|bool|tuple|list|dict|set|frozenset)' object has no attribute '(?P<name>\w+)'"
)
"""Not of None: that is what code forgets, and no argument that a test would make up."""


def not_offered(attack: Attack, run: AttackRun) -> dict[str, str]:
    """A model's tests whose plain data lacks an attribute that another one of its tests speaks of → that attribute.

    Where no other test does, or that one fails for the same want, the code may well look for what nothing has.
    """
    lacks = {one.name: found["name"] for one in run.first if (found := _lacked(one))}
    tests = [test.name for test in attack.tests if test.origin is Origin.MODEL]
    told = {test: "\n".join(map(ast.unparse, needed_by(attack.source, [test]))) for test in (tests if lacks else ())}
    words = {test: set(re.findall(r"\w+", text)) for test, text in told.items()}
    return {
        test: name
        for test, name in lacks.items()
        if test in words
        and name not in words[test]
        and any(name in said and lacks.get(other) != name for other, said in words.items())
    }


def _lacked(run: TestRun) -> re.Match[str] | None:
    theirs = run.error_type == "AttributeError" and run.raised_in_implementation
    return LACKING.match(run.error_message) if theirs else None
