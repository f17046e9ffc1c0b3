"""Functions of a shell script: called, read from other files, or left without a call."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import UNKNOWN, is_known, strip_symbols
from refute.scan.shell.state import Call, Walker

MAX_CALLS: Final = 40
"""Functions called within one another; the walk itself takes stack for each."""
MAX_RECURSION: Final = 2
"""How often a function may call itself, each time with other arguments."""
_MAX_FILES_DEEP: Final = 12
"""Files that read one another."""


def bodies(walker: Walker) -> frozenset[int]:
    """The ids of the bodies of all functions that are known now."""
    return frozenset(body.id for body in walker.scope.functions.values())


def walk_uncalled(walker: Walker, known: frozenset[int]) -> None:
    """Walk the functions that nothing has called, but for those with a body that was there before."""
    shared = walker.shared
    for name, body in list(walker.scope.functions.items()):
        if name not in shared.called and body.id not in shared.borrowed and body.id not in known:
            shared.called.add(name)
            shared.uncalled = not walker.stack
            _run_body(walker, name, body, None, "")
            shared.uncalled = False


def borrow(walker: Walker, pattern: str, node: Node) -> None:
    """Read the functions and variables that files of the workspace define; they are judged by themselves."""
    shared, report = walker.shared, walker.report
    for path, data in report.library.items():
        if path not in shared.inlined and walker.depth < _MAX_FILES_DEEP and fnmatchcase(path, pattern):
            shared.inlined.add(path)
            before = bodies(walker)
            report.muted += 1
            try:
                text = strip_symbols(data.decode("utf-8", "replace"))
                walker.fork(deeper=1, place=walker.spot(node), shares=True).embedded(text, node, forked=False)
            finally:
                report.muted -= 1
            shared.borrowed |= bodies(walker) - before


def call_function(call: Call) -> str:
    """Run a function of the script with these arguments."""
    walker, (name, *arguments) = call.walker, call.argv
    walker.shared.called.add(name)
    inside = [given or () for caller, given in walker.stack if caller == name]
    # A function may call itself to hand on the rest of what it was given: `run run rm`.
    shorter = bool(inside) and len(arguments) < len(inside[-1])
    repeats = tuple(arguments) in inside or not (shorter or any(map(is_known, arguments)) or not inside)
    deep = len(walker.stack) >= MAX_CALLS
    if repeats or deep or (len(inside) >= MAX_RECURSION and not shorter):
        if deep and not repeats:
            walker.report.add("unanalysable", walker.spot(call.node), f"{name} is called too deeply")
        return UNKNOWN
    body = walker.scope.functions[name]
    if body.id in walker.shared.borrowed and walker.place is None:
        # Its lines are those of another file: what it does is shown at the call.
        walker = walker.fork(place=replace(walker.spot(call.node), holds=True), shares=True)
    return _run_body(walker, name, body, arguments, call.stdin)


def _run_body(walker: Walker, name: str, body: Node, arguments: list[str] | None, stdin: str) -> str:
    outer = walker.stack
    walker.stack = (*outer, (name, None if arguments is None else tuple(arguments)))
    with walker.scope.given(arguments), walker.scope.function():
        try:
            return walker.run(body, stdin)
        finally:
            walker.stack = outer
