"""From a row of the tables and a command's words to its effects."""

import re
import shlex
from collections.abc import Iterator
from itertools import chain
from typing import Final

from refute.scan.core import effects as e
from refute.scan.core import paths
from refute.scan.core import symbols as sym
from refute.scan.core.tables import Command, read_table
from refute.scan.rules import Language
from refute.scan.shell.roles import in_role
from refute.scan.shell.state import ASSIGNMENT, Call, Options, split_options
from refute.scan.shell.statements import effects_of_setting

_PRINTED: Final = {
    "download": sym.DOWNLOAD,
    "secret": sym.SECRET,
    "name": sym.NAME,
    "decoded": sym.DERIVED,
    "nothing": "",
    "processes": sym.OTHER_PROCESS,
    "running": sym.PROCESS_LIST,
    "own": sym.OWN_PROCESS,
    "workspace": sym.HERE + "\n",
}
_CODE: Final = frozenset({"script", "program"})
_COMMENT: Final = re.compile(r"(?m)^\s*(?:#|//).*$")


def split(call: Call, row: Command) -> tuple[Options, list[str]]:
    """A command's options with their values, and its operands."""
    return split_options(call.argv[1:], row.valued, mixed=not row.stops)


def _weigh(call: Call, text: str) -> None:
    """Pay for patterns on a text: they may take time by the square of its length."""
    call.walker.report.spend(len(text) ** 2 // 50_000)


def flags_of(call: Call, row: Command) -> e.Effects:
    """What a row says about arguments as a whole, unless they only ask for a version, help or state."""
    _weigh(call, call.text if row.when else "")
    when = next((one for one in row.when if re.match(one.args, call.text)), None)
    queries = read_table("commands")["queries"]
    if when is not None and when.flag and not (call.argv[1:] and all(word in queries for word in call.argv[1:])):
        yield e.Flag(when.flag, when.mild, when.detail)
    return None


def found_in(call: Call, row: Command, text: str) -> e.Effects:
    """What a row finds in a text, each match of its patterns; comes back as how it then prints."""
    _weigh(call, text if row.finds else "")
    prints = ""
    for find in row.finds:
        for match in re.finditer(find.args, text):
            value = next(filter(None, match.groups()), "")
            prints = find.prints or prints
            if find.flag:
                yield e.Flag(find.flag, find.mild, find.detail)
            if find.reaches:
                path, how = find.reaches.replace("{}", value).split(" ", 1)
                yield e.Reach(path, how)
            if find.role and value:
                yield from in_role(call, row, find.role, value, {})
    return prints


def effects_of(call: Call, row: Command) -> e.Effects:
    """All that a row says about a command."""
    yield from flags_of(call, row)
    options, operands = split(call, row)
    roles = row.operands
    if roles[-1:] == ("command*",):
        yield from found_in(call, row, call.text)
        return (yield from _command(call, row, options, operands[len(roles) - 1 :]))
    given = _given(row, options)
    if roles[:1] and roles[0] in _CODE and any(role in _CODE for role, _ in given):
        roles = roles[1:]
    content = prints = ""
    for role, value in chain(given, _with_roles(roles, operands)):
        if role in _CODE:
            yield from _code(call, row, role, value)
        else:
            content += call.stdin if value == "-" else (yield from in_role(call, row, role, value, options)) or ""
    if not _CODE & {*roles, *row.options.values()}:
        prints = yield from found_in(call, row, call.text)
    elif row.operands[:1] == ("program",) and call.stdin and not (given or operands):
        yield from _fed(call, row)
    return _printed(call, row, prints or row.prints, operands, content)


def _given(row: Command, options: Options) -> list[tuple[str, str]]:
    return [(role, value) for name, role in row.options.items() for value in options.get(name, ())]


def _command(call: Call, row: Command, options: Options, words: list[str]) -> e.Effects:
    """The command that another one runs, behind its verb and further options of its own."""
    more: Options = {}
    verb = bool(words) and words[0] in row.verbs
    if row.verbs and not verb and "*" not in row.verbs:
        return None
    if verb or len(row.operands) > 1:
        more, words = split_options(words[verb:], row.valued)
    given = _given(row, {**options, **more})
    for role, value in given:
        if role == "word":
            return value + "\n"
        if role != "command":
            yield from in_role(call, row, role, value, options)
    while words and ASSIGNMENT.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        yield from effects_of_setting(name, value)
        # For the command alone; which of both values counts later is left open.
        call.scope.variables[name] = tuple(dict.fromkeys((value, *call.scope.lookup(name))))
    words = [*words[:1], *words[1 + (words[1:2] == ["--"]) :]]
    if text := [value for role, value in given if role == "command"]:
        words = [" ".join([*text, shlex.join(words[words[:1] == ["--"] :])]).strip()]
    if len(words) == 1 and any(map(str.isspace, words[0])):
        return (yield e.Eval(Language.SHELL, words[0]))
    if words and words[0].endswith(".py") and "/" not in words[0]:
        words = ["python", *words]
    return (yield e.Run(tuple(words), call.stdin)) if words else _PRINTED.get(row.prints, "")


def _code(call: Call, row: Command, role: str, value: str) -> e.Effects:
    """Code in a language that is not read, or a file of it: judged by what the row finds in it."""
    text = value
    foreign = row.operands[:1] == ("program",)
    if role == "program":
        held = call.held(value)
        if foreign:
            yield e.Reach(value, call.argv[0])
        elif held is None:
            held = call.walker.report.content_of(paths.as_pattern(call.locate(value)))
        text = held or ""
    if foreign and (sym.DOWNLOAD in text or sym.DERIVED in text):
        yield e.Flag("pipe-to-shell")
    yield from found_in(call, row, _COMMENT.sub("", text))
    return None


def _fed(call: Call, row: Command) -> e.Effects:
    """An interpreter that reads its program as input."""
    if sym.is_open(call.stdin):
        yield e.Eval(Language.SHELL, call.stdin, fed=True)
    else:
        yield from _code(call, row, "script", call.stdin)
    return None


def _printed(call: Call, row: Command, prints: str, operands: list[str], content: str) -> str | None:  # noqa: PLR0911
    """What a command prints that reads this content; None: not known."""
    fed = call.stdin
    if prints == "kept":
        if sym.SECRET in content + fed:
            return sym.SECRET
        prints = row.prints
    if prints == "lines":
        # Lines of a listing of the workspace lie in the workspace.
        return content or (fed if fed.startswith((sym.HERE, sym.TEMP)) else _filtered(fed, "part"))
    if prints in {"part", "changed"}:
        return content or _filtered(fed, prints)
    match prints:
        case "content":
            return content if any(operands) else fed or sym.UNKNOWN
        case "listing":
            # A directory's members are printed without it, what a pattern matches with its path.
            entries = [path if re.search(r"[*?]", path) else f"{path.rstrip('/')}/{sym.NAME}" for path in operands]
            return "\n".join(entries if operands and entries == operands else [sym.NAME, *entries])
        case "first":
            return (operands or [sym.UNKNOWN])[0] + "\n"
        case "input":
            return fed or sym.UNKNOWN
    return _PRINTED.get(prints)


def _filtered(fed: str, prints: str) -> str:
    """What a filter leaves: of a text that the script spells out it is not worked out, of others whence it comes."""
    if fed and sym.is_known(fed):
        return sym.UNKNOWN if prints == "part" else sym.DERIVED
    kinds = (sym.DOWNLOAD, sym.PROCESS_LIST, sym.OTHER_PROCESS, sym.OWN_PROCESS)
    return next((kind for kind in kinds if kind in fed), sym.UNKNOWN)


def _with_roles(roles: tuple[str, ...], operands: list[str]) -> Iterator[tuple[str, str]]:
    """Each operand with its role: one with `*` takes all that those behind it leave."""
    left = list(operands)
    for index, role in enumerate(roles):
        count = max(0, len(left) - (len(roles) - index - 1)) if role.endswith("*") else 1
        for operand in left[:count]:
            yield role.rstrip("*"), operand
        left = [] if role == "program" else left[count:]  # what follows is the program's own
