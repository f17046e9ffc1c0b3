"""Functions of a shell script: called, read from other files, or left without a call."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import UNKNOWN, is_known, strip_symbols
from refute.scan.shell.memory import state_of
from refute.scan.shell.operands import is_dangerous_operand
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
    walker = call.walker
    name, *arguments = call.argv
    walker.shared.called.add(name)
    inside = [given or () for caller, given in walker.stack if caller == name]
    rest = bool(inside) and _is_rest(inside[-1], tuple(arguments))
    if inside and not rest and not any(is_known(word) and word not in inside[-1] for word in arguments):
        walker.shared.memory.cuts += 1
        return UNKNOWN
    if len(walker.stack) >= MAX_CALLS:
        walker.shared.memory.cuts += 1
        walker.report.add("unanalysable", walker.spot(call.node), f"{name} is called too deeply")
        return UNKNOWN
    if len(inside) >= MAX_RECURSION and not rest:
        walker.shared.memory.cuts += 1
        _taken_for_commands(call, arguments)
        return UNKNOWN
    body = walker.scope.functions[name]
    if body.id in walker.shared.borrowed and walker.place is None:
        # Its lines are those of another file: what it does is shown at the call.
        walker = walker.fork(place=replace(walker.spot(call.node), holds=True), shares=True)
    return _run_body(walker, name, body, arguments, call.stdin)


def _taken_for_commands(call: Call, arguments: list[str]) -> None:
    """What a function hands to itself again and again counts as something that it may run in the end."""
    for position in range(len(arguments)):
        words = arguments[position:]
        if words[0] not in call.scope.functions and words[0]:
            call.walker.command(Call(call.walker, words, call.node))
    if any(is_dangerous_operand(call, word) for word in arguments):
        call.frame.judge.flag("unresolved-command")


def _run_body(walker: Walker, name: str, body: Node, arguments: list[str] | None, stdin: str) -> str:
    scope, shared = walker.scope, walker.shared
    outer_arguments, outer_stack = scope.arguments, walker.stack
    given = None if arguments is None else tuple(arguments)
    state = None
    if outer_stack:
        mode = (shared.uncalled, walker.report.muted > 0)
        state = (body.id, given, stdin, walker.depth, mode, state_of(scope, walker.report.written))
        for key in (state, (*state, outer_stack)):
            if (output := shared.memory.find(key, scope, walker.report.written)) is not None:
                return output
    cuts = shared.memory.cuts
    scope.arguments, walker.stack = arguments, (*outer_stack, (name, given))
    scope.enter()
    try:
        output = walker.run(body, stdin)
    finally:
        scope.leave()
        scope.arguments, walker.stack = outer_arguments, outer_stack
    if state is not None:
        # Where a call was left out because it is under way already, what surrounds this one counts as well.
        key = state if cuts == shared.memory.cuts else (*state, outer_stack)
        shared.memory.keep(key, scope, walker.report.written, output)
    return output


def _is_rest(before: tuple[str, ...], arguments: tuple[str, ...]) -> bool:
    """Whether a function that calls itself only hands on the rest of what it was given: `run run rm`."""
    return len(arguments) < len(before) and before[len(before) - len(arguments) :] == arguments
