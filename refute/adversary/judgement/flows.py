"""What a value in a test file is made of, and which of Python's words say so: the knowledge behind `provenance.py`."""

import ast
from collections import ChainMap
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

Env = ChainMap[str, "Flow"]
Code = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
NOTHING: Final[frozenset[int]] = frozenset()


class Grade(IntEnum):
    """Who has had a say in a value, the least trusted last."""

    OWN = 0
    """The test's own: literals, drawn inputs, what it computes."""
    HANDED = 1
    """Its own plain data, which the implementation was given and may have changed."""
    THEIRS = 2
    """The implementation's answer; or whether it agrees with what is the test's own."""
    LAW = 3
    """Whether two answers agree: both sides are the implementation's. Or nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One value."""

    grade: Grade = Grade.OWN
    plain: bool = True
    """Whether it is built-in data: what the implementation does to it, the driver sees."""
    answers: frozenset[int] = NOTHING
    """Numbers of the questions that it answers; two for one that is asked again and again."""
    keys: frozenset[str] = frozenset()
    """The test's own expressions that it is, or that were handed over for it."""
    through: frozenset[str] = frozenset()
    """Of these, those that went through two answers: the implementation was handed one of its own."""
    distinct: bool = False
    """A set of several answers: how many it holds says whether they agree."""
    code: tuple[Code, Env] | None = field(default=None, compare=False)
    """The test file's own function or class, with the names that it sees."""
    fixed: bool = False
    """A module, function or class of the test's: handing it over changes nothing of it."""

    @property
    def is_theirs(self) -> bool:
        """Whether the implementation made it, or a part of it."""
        return self.grade >= Grade.THEIRS

    def at_least(self, grade: Grade) -> "Flow":
        """The same with another's say in it."""
        return self if self.grade >= grade else replace(self, grade=grade)

    def computed(self) -> "Flow":
        """What a computation makes of it: where it is the test's own, none of the expressions that it was made of."""
        return self if self.is_theirs else replace(self, keys=frozenset())


OWN: Final = Flow()
OBJECT: Final = Flow(plain=False)
"""An object of the test's: an implementation that it is handed to may do anything to it, unseen."""
UNCLEAR: Final = Flow(grade=Grade.LAW, plain=False)
THEIRS: Final = Flow(grade=Grade.THEIRS, plain=False)

CAPTURING: Final = frozenset({"capsys", "capfd", "capsysbinary", "capfdbinary", "caplog", "recwarn"})
"""Fixtures that hold what the implementation prints, logs or warns of."""
RUNNING: Final = frozenset({"subprocess", "runpy", "pexpect", "pty"})
"""Modules by which a test runs the implementation as a program."""
GATHERING: Final = frozenset(
    {
        "zip", "map", "filter", "enumerate", "chain", "list", "tuple", "dict", "set", "frozenset", "sorted", "reversed",
        "sum", "max", "min", "len", "range", "str", "repr", "format", "join", "append", "extend", "add", "update",
        "insert", "setdefault", "get", "getattr", "gather", "wait", "run", "next", "iter", "print", "any", "all",
        "partial", "Thread", "submit", "create_task", "int", "float", "round", "put", "raises", "groupby", "deepcopy",
        "format_exception", "copy", "bytes", "abs", "Decimal", "Fraction", "date", "datetime", "timedelta", "Path",
    }
)  # fmt: skip
"""Functions that put answers together; any other that is handed two may compare them."""
COPYING: Final = frozenset(
    {
        "list", "tuple", "dict", "set", "frozenset", "sorted", "reversed", "copy", "deepcopy", "str", "bytes",
        "bytearray", "repr", "int", "float", "Decimal", "Fraction", "Path",
    }
)  # fmt: skip
"""Functions whose result is what they are given, in another order or type."""
READING: Final = frozenset({"open", "exists", "stat", "glob", "iterdir", "listdir", "is_file", "is_dir", "getvalue"})
"""Functions that tell what is in files and streams, as those do whose names begin with `read`."""
COMPARING: Final = (ast.Sub, ast.Mod, ast.Div, ast.FloorDiv, ast.BitXor)
"""Operators whose result tells whether their sides agree: `f(x) - g(x) == 0`."""
SETS: Final = frozenset({"set", "frozenset"})
BLOCKS: Final = ("raises", "warns", "deprecated_call")
"""Context managers that fail unless their block does what they say."""


def joined(flows: Iterable[Flow]) -> Flow:
    """What is made of several."""
    parts = list(flows)
    if len(parts) == 1:
        return replace(parts[0], code=None, fixed=False)
    return Flow(
        grade=max((one.grade for one in parts), default=Grade.OWN),
        plain=all(one.plain for one in parts),
        answers=NOTHING.union(*(one.answers for one in parts)),
        keys=frozenset().union(*(one.keys for one in parts)),
        through=frozenset().union(*(one.through for one in parts)),
    )


def compared(left: Flow, right: Flow) -> Flow:
    """The outcome of holding one value against another.

    Predicates over one plain answer are the test's own computation (`all(a <= b for a, b in zip(out, out[1:]))`).
    What goes in at one end and is expected at the other, the implementation can have kept: a round trip is a law.
    """
    whole = joined((left, right))
    theirs, clean = (left, right) if left.grade >= right.grade else (right, left)
    if whole.grade == Grade.LAW or not theirs.is_theirs:
        return whole
    if clean.is_theirs:
        one_answer = left.answers == right.answers and len(left.answers) == 1
        return whole if one_answer else whole.at_least(Grade.LAW)
    if clean.keys & theirs.through:
        return whole.at_least(Grade.LAW)
    return whole


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    """Names of a function's parameters, those that are only given by name last."""
    return [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
