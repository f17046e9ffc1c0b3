"""What says openly that code hangs on a clock, on chance or on the machine's speed."""

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from refute.adversary.references import needed_by

MODULES: Final = frozenset({"_thread", "concurrent", "multiprocessing", "random", "secrets", "time", "timeit"})
NAMES: Final = frozenset(
    {"Thread", "Timer", "fork", "getrandom", "now", "today", "urandom", "utcnow", "uuid1", "uuid4"}
)
"""By which a program comes to clock, chance or a race without one of these modules; a lock alone is none."""
RACES: Final = frozenset({"asyncio", "signal", "threading"})
"""Modules with which a test may, beside those, wait for less long than a slow machine needs."""


def named_chance(nodes: Iterable[ast.AST], modules: frozenset[str] = MODULES) -> Iterator[str]:
    """The names of clocks, random numbers and races anywhere in these."""
    for node in (part for top in nodes for part in ast.walk(top)):
        match node:
            case ast.Import(names=aliases):
                yield from modules & {alias.name.partition(".")[0] for alias in aliases}
            case ast.ImportFrom(module=module, names=aliases, level=level):
                yield from modules & {(module or "").partition(".")[0]} if not level else ()
                yield from NAMES & {alias.name for alias in aliases}
            case ast.Attribute(attr=name) if name in NAMES:
                yield name
            case _:
                continue


def left_to_chance(source: str, test: str) -> bool:
    """Whether a test itself may end otherwise each time: it, or what it uses of its file, names chance or a race.

    Args:
        source: the test file; one that cannot be parsed says nothing.
        test: its function.
    """
    return any(named_chance(needed_by(source, [test]), MODULES | RACES))
