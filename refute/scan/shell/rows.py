"""From a row of the tables and a command's words to its effects."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from refute.scan.core import effects as e
from refute.scan.core import hosts, paths
from refute.scan.core.symbols import DECODED, DERIVED, DOWNLOAD, NAME, OTHER_PROCESS, OUTPUT, SECRET, UNKNOWN, is_known
from refute.scan.core.tables import Command, read_table
from refute.scan.rules import Language
from refute.scan.shell.options import split_options
from refute.scan.shell.state import Call

_NO_ADDRESS: Final = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|:?\d+(?:/.*)?|:/.*|\S+=.*)\Z")
"""Words of a client that are a verb, a port of this machine or data."""
Options = dict[str, list[str]]
_PRINTED: Final = {
    "download": DOWNLOAD,
    "secret": SECRET,
    "name": NAME,
    "decoded": DERIVED,
    "nothing": "",
    "processes": OTHER_PROCESS,
}


def split(call: Call, row: Command) -> tuple[Options, list[str]]:
    """A command's options with their values, and its operands."""
    return split_options(call.argv[1:], row.values, row.long, mixed=True)


def only_asks(call: Call) -> bool:
    """Whether a command is only asked for its version, help or state."""
    return len(call.argv) > 1 and all(word in read_table("commands")["queries"] for word in call.argv[1:])


def _weigh(call: Call, text: str) -> None:
    """Pay for patterns on a text: they may take time by the square of its length."""
    call.walker.report.budget.spend(len(text) ** 2 // 50_000)


def flags_of(call: Call, row: Command) -> e.Effects:
    """What a row says about arguments as a whole."""
    text = call.text
    _weigh(call, text if row.when else "")
    when = next((one for one in row.when if one.fits(text)), None)
    if when is not None and when.flag and not only_asks(call):
        yield e.Flag(when.flag, when.mild, when.detail)
    return None


def found_in(call: Call, row: Command, text: str) -> e.Effects:
    """What a row finds in a text, each match of its patterns."""
    _weigh(call, text if row.finds else "")
    for find in row.finds:
        for match in re.finditer(find.args, text):
            if find.flag:
                yield e.Flag(find.flag, find.mild, find.detail)
            value = next(filter(None, match.groups()), "")
            if find.role and value:
                yield from _in_role(call, find.role, value, {})
    return None


def effects_of(call: Call, row: Command) -> e.Effects:
    """All that a row says about a command."""
    yield from flags_of(call, row)
    yield from found_in(call, row, call.text)
    options, operands = split(call, row)
    content = ""
    for name, role in row.options.items():
        for value in options.get(name, []):
            yield from _in_role(call, role, value, options)
    for role, operand in _with_roles(row.operands, operands):
        if operand == "-":
            content += call.stdin
        else:
            content += (yield from _in_role(call, role, operand, options)) or ""
    return _printed(call, row, operands, content)


def _printed(call: Call, row: Command, operands: list[str], content: str) -> str | None:  # noqa: PLR0911
    """What a command prints that reads this content; None: not known."""
    if row.decodes and re.search(row.decodes, call.text):
        return DERIVED
    fed = call.stdin
    match row.prints:
        case "content":
            return content if any(operands) else fed or UNKNOWN
        case "part" | "changed" if content or not call.worked_out():
            return call.picked()
        case "part" | "changed":
            # What a filter leaves of a text that the script spells out is not worked out.
            return fed if not is_known(fed) else OUTPUT if row.prints == "part" else DECODED + NAME
        case "kept":
            return SECRET if SECRET in content + fed else UNKNOWN
        case "listing":
            # A directory's members are printed without it, what a pattern matches with its path.
            entries = [path if re.search(r"[*?]", path) else f"{path.rstrip('/')}/{NAME}" for path in operands]
            return "\n".join(entries if operands and entries == operands else [NAME, *entries])
        case "first":
            return (operands or [UNKNOWN])[0] + "\n"
        case "input":
            return fed or UNKNOWN
    return _PRINTED.get(row.prints)


def _with_roles(roles: tuple[str, ...], operands: list[str]) -> Iterator[tuple[str, str]]:
    """Each operand with its role: one with `*` takes all that those behind it leave."""
    left = list(operands)
    for index, role in enumerate(roles):
        count = max(0, len(left) - (len(roles) - index - 1)) if role.endswith("*") else 1
        for operand in left[:count]:
            yield role.rstrip("*"), operand
        left = left[count:]


def _in_role(call: Call, role: str, value: str, options: Options) -> e.Effects:
    """What a command does with one word; comes back as what is read."""
    if role in _SIMPLE:
        yield _SIMPLE[role](value)
    elif role == "read":
        return (yield e.Read(value, asks=call.silent))
    elif role == "list":
        # `ls -l /usr/bin/x` and `ls -d /` ask after one entry; only what is in a directory takes stock.
        alone = bool(options.keys() & {"d", "directory"}) and "*" not in value
        yield e.List(value, asks=alone or call.silent)
    elif role in {"delete", "tree", "rmdir"}:
        recursive = role == "tree" or bool(options.keys() & {"r", "R", "recursive"})
        yield e.Delete(value, recursive, empty=role == "rmdir")
    elif role == "text":
        yield e.Send((value, call.stdin))
    elif role == "send":
        yield e.List(value, asks=True)
        yield e.Send(((yield e.Read(value)),))
    elif role in {"connect", "fetch", "url"} and not _NO_ADDRESS.match(value):
        yield from _talk(call, role, value)
    elif role == "wipe" and call.locate(value).place in paths.ELSEWHERE:
        yield e.Flag("device-write", detail="Destroys data beyond recovery.")
    return None


_SIMPLE: Final[Mapping[str, Callable[[str], e.Effect]]] = MappingProxyType(
    {
        "write": e.Write,
        "out": lambda path: e.Write(path, DOWNLOAD),
        "mode": e.ChangeMode,
        "mkdir": e.MakeDirectory,
        "eval": lambda text: e.Eval(Language.SHELL, text),
        "python": lambda text: e.Eval(Language.PYTHON, text),
        "tests": lambda path: e.Reach(path, "tests"),
        "run": e.RunFile,
    }
)
"""Roles that need nothing but the word."""


def read_all(names: list[str], *, asks: bool = False) -> e.Effects:
    """What files hold, one behind the other."""
    content = ""
    for name in names:
        content += yield e.Read(name, asks)
    return content


def _talk(call: Call, role: str, value: str) -> e.Effects:
    if value.startswith("file:"):
        yield e.Read(value.removeprefix("file:").removeprefix("//"))
    else:
        host = hosts.host_of(value) if "://" in value else value.rpartition("@")[2].partition("/")[0]
        yield e.Connect(host, fetches=role == "fetch")
    yield e.Send((call.stdin, value))
    return None
