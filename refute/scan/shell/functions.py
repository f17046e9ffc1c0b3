"""Functions of a shell script: called, read from other files, or left without a call."""

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from refute.scan.shell.call import Call
from refute.scan.shell.calls import state_of
from refute.scan.symbols import UNKNOWN, is_known, strip_symbols

if TYPE_CHECKING:
    from tree_sitter import Node

    from refute.scan.shell.walk import Walker

MAX_CALLS: Final = 40
"""Functions called within one another; the walk itself takes stack for each."""
MAX_RECURSION: Final = 2
"""How often a function may call itself, each time with other arguments."""
_MAX_FILES_DEEP: Final = 12
"""Files that read one another."""


def bodies(walker: "Walker") -> frozenset[int]:
    """The ids of the bodies of all functions that are known now."""
    return frozenset(body.id for body in walker.scope.functions.values())


def walk_uncalled(walker: "Walker", known: frozenset[int]) -> None:
    """Walk the functions that nothing has called, but for those with a body that was there before."""
    shared = walker.shared
    for name, body in list(walker.scope.functions.items()):
        if name not in shared.called and body.id not in shared.borrowed and body.id not in known:
            shared.called.add(name)
            shared.uncalled = not walker.stack
            _run_body(walker, name, body, None, "")
            shared.uncalled = False


def borrow(walker: "Walker", pattern: str, node: "Node") -> None:
    """Read the functions and variables that files of the workspace define; they are judged by themselves."""
    shared = walker.shared
    for path, data in shared.report.library.items():
        if path not in shared.inlined and walker.depth < _MAX_FILES_DEEP and fnmatchcase(path, pattern):
            shared.inlined.add(path)
            before = bodies(walker)
            inner = _at(walker, node, deeper=1)
            shared.report.muted += 1
            try:
                inner.run(inner.parsed(strip_symbols(data.decode("utf-8", "replace"))))
            finally:
                shared.report.muted -= 1
            shared.borrowed |= bodies(walker) - before


def call_function(call: Call) -> str:
    """Run a function of the script with these arguments."""
    walker = call.walker
    name, *arguments = call.argv
    walker.shared.called.add(name)
    inside = [given or () for caller, given in walker.stack if caller == name]
    rest = bool(inside) and _is_rest(inside[-1], tuple(arguments))
    if inside and not rest and not any(is_known(word) and word not in inside[-1] for word in arguments):
        walker.shared.cuts += 1
        return UNKNOWN
    if len(walker.stack) >= MAX_CALLS:
        walker.shared.cuts += 1
        walker.shared.report.add("unanalysable", walker.spot(call.node), f"{name} is called too deeply")
        return UNKNOWN
    if len(inside) >= MAX_RECURSION and not rest:
        walker.shared.cuts += 1
        _taken_for_commands(call, arguments)
        return UNKNOWN
    body = walker.scope.functions[name]
    if body.id in walker.shared.borrowed and walker.place is None:
        # Its lines are those of another file: what it does is shown at the call.
        walker = _at(walker, call.node)
    return _run_body(walker, name, body, arguments, call.stdin)


def _at(walker: "Walker", node: "Node", *, deeper: int = 0) -> "Walker":
    """A walker in the same scope that reports at this place."""
    inner = type(walker)(walker.shared, walker.scope, depth=walker.depth + deeper, place=walker.spot(node))
    inner.stack = walker.stack
    return inner


def _taken_for_commands(call: Call, arguments: list[str]) -> None:
    """What a function hands to itself again and again counts as something that it may run in the end."""
    from refute.scan.shell.dispatch import dispatch, is_dangerous_operand  # noqa: PLC0415 - it needs this module

    for position in range(len(arguments)):
        words = arguments[position:]
        if words[0] not in call.walker.scope.functions and words[0]:
            dispatch(Call(call.walker, words, call.node, ""))
    if any(is_dangerous_operand(call, word) for word in arguments):
        call.act.add("unresolved-command")


def _run_body(walker: "Walker", name: str, body: "Node", arguments: list[str] | None, stdin: str) -> str:
    scope, shared = walker.scope, walker.shared
    outer_arguments, outer_stack = scope.arguments, walker.stack
    given = None if arguments is None else tuple(arguments)
    state = None
    if outer_stack:
        mode = (shared.uncalled, shared.report.muted > 0)
        state = (body.id, given, stdin, walker.depth, mode, state_of(scope, shared.written))
        for key in (state, (*state, outer_stack)):
            if (output := shared.calls.find(key, scope, shared.written)) is not None:
                return output
    cuts = shared.cuts
    scope.arguments, walker.stack = arguments, (*outer_stack, (name, given))
    scope.enter()
    try:
        output = walker.run(body, stdin)
    finally:
        scope.leave()
        scope.arguments, walker.stack = outer_arguments, outer_stack
    if state is not None:
        # Where a call was left out because it is under way already, what surrounds this one counts as well.
        key = state if cuts == shared.cuts else (*state, outer_stack)
        shared.calls.keep(key, scope, shared.written, output)
    return output


def _is_rest(before: tuple[str, ...], arguments: tuple[str, ...]) -> bool:
    """Whether a function that calls itself only hands on the rest of what it was given: `run run rm`."""
    return len(arguments) < len(before) and before[len(before) - len(arguments) :] == arguments
