"""What tests give their objects: the shape of an argument that no claim names, and of which one test knows nothing."""

import ast
import re
from collections.abc import Sequence
from typing import Final

from refute.adversary.attack import Attack, Origin, TestRun
from refute.adversary.suite_source import SuiteSource
from refute.python_syntax import UNPARSABLE

LACKING: Final = re.compile(
    r"'(?:str|bytes|int|float|complex|bool|tuple|list|dict|set|frozenset)' object has no attribute '(?P<name>\w+)'"
)
"""Not of None: that is what code forgets, and no argument that a test would make up."""


class Offers:
    """Which attributes the tests of an attack give to their objects.

    Args:
        attack: its source may be anything; what cannot be parsed offers nothing.
        runs: the first run of every test.
    """

    def __init__(self, attack: Attack, runs: Sequence[TestRun]) -> None:
        self._attack = attack
        self._lacks = {run.name: _lacked(run) for run in runs}
        self._offered: dict[str, frozenset[str]] | None = None

    def lacking(self, run: TestRun) -> str:
        """The attribute for want of which plain data was refused, while another test of the model offers it.

        Empty where the code failed otherwise, where this test itself gives that attribute to an object, and where no
        other test does: then the code may well look for what nothing has.
        """
        name = _lacked(run) if run.raised_in_implementation else ""
        if not name:
            return ""
        offered = self._offers()
        known = any(name in given and self._lacks.get(test) != name for test, given in offered.items())
        return name if known and name not in offered.get(run.name, ()) else ""

    def _offers(self) -> dict[str, frozenset[str]]:
        if self._offered is None:
            tests = [test.name for test in self._attack.tests if test.origin is Origin.MODEL]
            try:
                suite = SuiteSource(self._attack.source)
            except UNPARSABLE:
                tests = []
            self._offered = {test: _given(suite.closure(test)) for test in tests}
        return self._offered


def _lacked(run: TestRun) -> str:
    found = LACKING.match(run.error_message) if run.error_type == "AttributeError" else None
    return found["name"] if found is not None else ""


def _given(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Names that objects get: by assignment, in a class's body, or as a keyword of what makes them."""
    names: set[str] = set()
    for node in (part for statement in statements for part in ast.walk(statement)):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.ClassDef(body=body):
                names.update(_in_class(body))
            case ast.Call(keywords=keywords):
                names.update(keyword.arg for keyword in keywords if keyword.arg)
    return frozenset(names)


def _in_class(body: Sequence[ast.stmt]) -> set[str]:
    names = set()
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=targets):
                names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names
