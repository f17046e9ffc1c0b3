"""Builtins of the shell that change what later commands mean, and what prints text of its own."""

import re
from typing import Final

from refute.scan.core.effects import Effects, Eval, Flag, RunFile
from refute.scan.core.symbols import HERE, OUTPUT, SECRET, UNKNOWN, capped, is_known, is_open
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.roles import in_role, listed_by
from refute.scan.shell.rows import split
from refute.scan.shell.scope import ENDED
from refute.scan.shell.state import Call
from refute.scan.shell.syntax import text_of
from refute.scan.shell.words import decode_escapes

_FORMAT: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[sdiouxXcbq])")
_MAX_ROUNDS: Final = 200


def _echo(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    flags = ""
    while words and re.fullmatch(r"-[neE]+" if call.argv[0] == "echo" else r"--|-[nrR]+", words[0]):
        flags += words.pop(0)
    yield from listed_by(call, words)
    output = " ".join(words)
    return (decode_escapes(output) if "e" in flags else output) + ("" if "n" in flags else "\n")


def _printf(call: Call, _row: Command) -> Effects:
    words = [word for index, word in enumerate(call.argv[1:]) if index or word != "--"]
    target = words[1] if words[:1] == ["-v"] and len(words) > 2 else ""  # noqa: PLR2004 - -v NAME FORMAT
    words = words[2:] if target else words
    yield from listed_by(call, words[1:])
    text = _format(words[0], words[1:]) if words else ""
    if target:
        call.scope.assign(target, (text,))
    return "" if target else text


def _format(template: str, arguments: list[str]) -> str:
    template = decode_escapes(template)
    per_round = len([found for found in _FORMAT.findall(template) if found != "%%"])
    rounds = max(1, -(-len(arguments) // per_round)) if per_round else 1
    queue = list(arguments)

    def one(match: re.Match[str]) -> str:
        kind = match.group()[-1]
        if kind == "%":
            return "%"
        value = queue.pop(0) if queue else ""
        return decode_escapes(value) if kind == "b" else value[:1] if kind == "c" else value

    return capped("".join(_FORMAT.sub(one, template) for _ in range(min(rounds, _MAX_ROUNDS))))


def _evaluate(call: Call, _row: Command) -> Effects:
    text = " ".join(word for word in call.argv[1:] if word != "--")
    return (yield Eval(Language.SHELL, text, inline=True)) if text else ""


def _source(call: Call, _row: Command) -> Effects:
    words = [word for word in call.argv[1:] if word != "--"]
    return (yield RunFile(words[0], Language.SHELL, tuple(words[1:]), inline=True)) if words else ""


def _trap(call: Call, _row: Command) -> Effects:
    """It runs late, when more may be known; a function is judged among those that nothing calls."""
    words = [word for word in call.argv[1:] if word != "--"]
    if len(words) > 1 and words[0] not in {"-", "", "-l", "-p"}:
        action, shared = words[0], call.walker.shared
        shared.called.discard(action)
        outer, shared.uncalled = shared.uncalled, True
        yield Eval(Language.SHELL, action)
        shared.uncalled = outer
    return ""


def _alias(call: Call, _row: Command) -> Effects:
    for word in call.argv[1:]:
        name, equals, text = word.partition("=")
        if name == "exit":
            yield Flag("unresolved-command", detail="Where a script ends is hidden.")
        if equals:
            call.scope.variables[f"alias {name}"] = (text,)  # no variable's own name holds a blank
            yield Eval(Language.SHELL, text)
    return ""


def _cd(call: Call, row: Command) -> Effects:
    _, operands = split(call, row)
    target = operands[0] if operands else call.scope.lookup("HOME")[0]
    yield from in_role(call, row, "cd", HERE if target == "-" else target, {})
    return ""


def _read(call: Call, row: Command) -> Effects:
    """`read`: the words of one line; the last name takes the rest."""
    yield from ()
    options, names = split(call, row)
    line, _, more = call.stdin.partition("\n")
    # What a program of this machine prints is less open than what a caller types.
    line = (UNKNOWN if more or not line else line).replace(UNKNOWN, UNKNOWN if is_known(call.stdin) else OUTPUT)
    values = [line] if is_open(line) else line.split(None, -1 if "a" in options else max(len(names) - 1, 0))
    for index, name in enumerate(names or ["REPLY"]):
        call.scope.assign(name, (values[index] if index < len(values) else line if is_open(line) else "",))
    for name in options.get("a", []):
        call.scope.arrays[name] = values
    return ""


def _shift(call: Call, _row: Command) -> Effects:
    yield from ()
    arguments = call.scope.arguments
    if arguments:
        count = int(call.argv[1]) if len(call.argv) > 1 and call.argv[1].isdigit() else 1
        # A word that is not known may stand for several, of which more are left.
        rest = [word for word in arguments[:count] if is_open(word)]
        call.scope.arguments = [*rest[-1:], *arguments[count:]]
    return ""


def _leave(call: Call, _row: Command) -> Effects:
    """`break`, `continue` and `return`: what holds here holds behind the loop or function too; `exit` ends it all."""
    yield from ()
    name, *words = call.argv
    if name != "exit":
        loops = _MAX_ROUNDS if name == "return" else int(words[0]) if words and words[0].isdigit() else 1
        call.scope.left.append((loops, dict(call.scope.variables)))
    elif len(words) < 2 and not any(map(is_open, words)) and text_of(call.node).startswith("exit"):  # noqa: PLR2004
        # The builtin by its own name, as it is written: `env exit` and `exit 1 2` end nothing.
        call.scope.variables[ENDED] = ()
    return ""


def _set(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    if words[:2] == ["+o", "history"]:
        yield Flag("history-tampering")
    if words[:1] == ["--"] or (words and not words[0].startswith(("-", "+"))):
        call.scope.arguments = words[words[0] == "--" :]
    return "" if words else SECRET


BUILTINS: Final = (_echo, _printf, _evaluate, _source, _trap, _alias, _cd, _read, _shift, _leave, _set)
