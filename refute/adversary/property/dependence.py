"""What a function does beside computing with plain arguments, read from its source without running it."""

import ast
from collections import Counter, deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from refute.adversary.property.expressions import bound_names, dotted, literals_in
from refute.adversary.tables import of_kind
from refute.python_syntax import FUNCTION

MAX_SEEDS: Final = 24
_CONDITIONAL: Final = ast.If | ast.IfExp | ast.BoolOp | ast.Lambda | ast.ExceptHandler
_OF_PLAIN_DATA: Final = (str, bytes, int, float, complex, list, tuple, dict, set, deque, Counter, datetime, timedelta)
_PLAIN: Final = frozenset(name for kind in _OF_PLAIN_DATA for name in dir(kind))


@dataclass(slots=True)
class Beside:
    """What calls of a function do, those that it makes itself included."""

    reads: set[str]
    """What its answer hangs on: `files`, `callers`, the `moment`."""
    raises: set[str]
    """Exceptions by name: its way to refuse inputs."""
    calls: set[str]
    literals: set[str | int | float]
    """What stands in its code, and in the constants that it names: inputs there are treated in their own way."""
    recurses: bool = False
    """Whether something in it calls itself: how deep may hang on the size of a number."""

    @property
    def seeds(self) -> list[str | int | float]:
        """Some of its literals, the shortest first."""
        return sorted(self.literals, key=lambda one: (len(repr(one)), repr(one)))[:MAX_SEEDS]


def beside(tree: ast.Module) -> dict[str, Beside]:
    """Function or method name → what it does, through the functions of the module that it calls.

    A clock that a parameter may replace does not count: it is asked only under a condition.
    """
    found: dict[str, Beside] = {}
    assigned = (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    constants = {name: set(literals_in(node)) for node in assigned for name in bound_names([node])}
    for function in (node for node in ast.walk(tree) if isinstance(node, FUNCTION)):
        nodes = [*ast.walk(function)]
        at_times = {id(one) for node in nodes if isinstance(node, _CONDITIONAL) for one in ast.walk(node)}
        made = [node for node in nodes if isinstance(node, ast.Call)]
        calls, always = {called(one) for one in made}, {called(one) for one in made if id(one) not in at_times}
        errors = (node.exc for node in nodes if isinstance(node, ast.Raise) and node.exc is not None)
        raised = {dotted(error.func if isinstance(error, ast.Call) else error) for error in errors}
        own = found.setdefault(function.name, Beside(set(), set(), set(), set()))
        own.calls |= {name.removeprefix("self.").removeprefix("cls.") for name in calls}
        own.calls |= {node.id for node in nodes if isinstance(node, ast.Name)}  # `key=f` calls it, too
        own.recurses |= function.name in own.calls
        own.literals |= set(literals_in(function)).union(*(constants.get(name, ()) for name in own.calls))
        own.raises |= {name for name in raised if name and name[:1].isupper()}
        own.reads |= {one for name in calls for one in reads(name) if one != "moment" or name in always}
    size = -1
    while size != (
        size := sum(len(one.reads) + len(one.raises) + len(one.literals) + one.recurses for one in found.values())
    ):
        for one in found.values():
            for other in one.calls & found.keys():
                one.reads |= found[other].reads
                one.raises |= found[other].raises
                one.literals |= found[other].literals
                one.recurses |= found[other].recurses
    return found


def called(call: ast.Call) -> str:
    """What is called, by its dotted name; for a method of whatever was computed (`Path(x).read_text`) `.read_text`."""
    return dotted(call.func) or (f".{call.func.attr}" if isinstance(call.func, ast.Attribute) else "")


def reads(name: str) -> set[str]:
    """What the answer of a function hangs on that Python itself offers."""
    return {row["reads"] for row in of_kind("calls") if row["pattern"].fullmatch(name)}


def wants_objects(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether an attribute is read of an argument, or of what it is assigned to, that plain data lacks: `.next`.

    Problem statements write such an argument as a list (`Input: head = [1, 2]`), which is no call that could be made.
    """
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)} - {"self", "cls"}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and not any(isinstance(one, ast.Call) for one in ast.walk(node.value)):
            names |= {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    read = (node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr not in _PLAIN)
    return any(isinstance(node.value, ast.Name) and node.value.id in names for node in read)
