"""From a command's words to what is known about it: functions and aliases followed, unresolved words judged."""

import re
from dataclasses import replace
from typing import Final

from refute.scan.core import effects as e
from refute.scan.core import paths
from refute.scan.core import symbols as sym
from refute.scan.shell.builtins import BUILTINS
from refute.scan.shell.programs import PROGRAMS
from refute.scan.shell.roles import is_dangerous_operand, listed_by
from refute.scan.shell.rows import effects_of
from refute.scan.shell.state import Call, Walker

_HANDLERS: Final = {one.__name__.strip("_"): one for one in (*BUILTINS, *PROGRAMS)}
"""What works out what a row cannot say, by the name that a row gives."""
_GLOB: Final = re.compile(r"[*?\[]")
_INSTALLED: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z")
MAX_CALLS: Final = 40
"""Functions called within one another; the walk itself takes stack for each."""
MAX_RECURSION: Final = 2
"""How often a function may call itself, each time with other arguments."""


def dispatch(call: Call) -> str:
    """Judge one command; returns what it prints, as far as that is known."""
    word = call.argv[0]
    if word in call.scope.functions:
        return call_function(call)
    call.argv = ["" if argument == sym.EMPTY else argument for argument in call.argv]
    if alias := call.scope.variables.pop(f"alias {word}", None):
        text = " ".join([alias[0], *call.argv[1:]])
        return call.walker.embedded(text, call.node)
    if _unresolved(call):
        return sym.UNKNOWN
    name = word.rpartition("/")[2] if not word.endswith("/") else word
    commands = call.walker.report.knowledge.commands
    row = commands.get(name) or commands.get(re.sub(r"[\d.]+\Z", "", name))
    if "/" in word and not _INSTALLED.match(word) and word != name:
        _run(call, _run_path(call, word))
    if "PATH" in call.scope.variables:
        call.walker.report.reached.append((f"**/{name}", ""))
    known = replace(call, argv=[name, *call.argv[1:]], shown=" ".join(call.argv))
    return _run(known, _HANDLERS.get(row.handler, effects_of)(known, row)) if row else _run(call, _unlisted(call))


def _run(call: Call, effects: e.Effects) -> str:
    return str(call.walker.shared.engine.perform(effects, call))


def _run_path(call: Call, word: str) -> e.Effects:
    return (yield e.RunFile(word, arguments=tuple(call.argv[1:])))


def _unlisted(call: Call) -> e.Effects:
    """A command about which the tables say nothing."""
    yield from listed_by(call.argv[1:])
    if _INSTALLED.match(call.argv[0]):
        return (yield e.RunFile(call.argv[0]))
    return None


def _unresolved(call: Call) -> bool:
    """Judge a command word that is not known; True when nothing more can be said about the command."""
    word, judge = call.argv[0], call.judge
    if sym.DOWNLOAD in word or sym.DERIVED in word:
        judge.flag("pipe-to-shell")
        return True
    dangerous = any(is_dangerous_operand(call, argument) for argument in call.argv[1:])
    if _GLOB.search(word.rpartition("/")[2]) and not word.startswith("["):
        own = "/" in word and paths.inside_or_temporary(call.locate(word))
        if not own:
            judge.flag("unresolved-command", detail="The command word is a pattern for file names.")
        return not own
    if not sym.is_open(word) or sym.SECRET in word:
        if sym.NAME in word and "/" not in word and dangerous:
            judge.flag("unresolved-command")
        return False
    if word.startswith(sym.UNKNOWN) and "/" in word and not sym.is_open(word.rpartition("/")[2]):
        return False
    if dangerous:
        judge.flag("unresolved-command")
    return True


def walk_uncalled(walker: Walker) -> None:
    """Walk the functions that nothing has called."""
    shared = walker.shared
    for name, (_, place) in list(walker.scope.functions.items()):
        if name not in shared.called and not (place and place.holds):
            shared.called.add(name)
            shared.uncalled = not walker.stack
            _run_body(walker, name, None, "")
            shared.uncalled = False


def call_function(call: Call) -> str:
    """Run a function of the script with these arguments."""
    walker, (name, *arguments) = call.walker, call.argv
    walker.shared.called.add(name)
    inside = [given for caller, given in walker.stack if caller == name]
    if len(walker.stack) >= MAX_CALLS:
        walker.report.add("unanalysable", walker.spot(call.node), f"{name} is called too deeply")
    elif tuple(arguments) not in inside and (len(inside) < MAX_RECURSION or len(arguments) < len(inside[-1] or ())):
        # It may call itself to hand on the rest of what it was given: `run run rm`.
        return _run_body(walker, name, arguments, call.stdin)
    return sym.UNKNOWN


def _run_body(walker: Walker, name: str, arguments: list[str] | None, stdin: str) -> str:
    body, place = walker.scope.functions[name]
    inner = walker.fork(shares=True)
    inner.place = place
    inner.stack = (*walker.stack, (name, None if arguments is None else tuple(arguments)))
    with walker.scope.given(arguments):
        return inner.run(body, stdin)
