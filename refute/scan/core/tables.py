"""Reads the tables in which the scanner's knowledge stands, with the rows that an operator adds."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from refute.errors import UsageError

_TABLES: Final = Path(__file__).parents[1] / "tables"
_HINT: Final = (
    "Expected rows `[[command]]` or `[[call]]` with `names`, and `[hosts] public = [...]`; docs/scan-rules.md."
)


@lru_cache(maxsize=16)
def read_table(name: str) -> Mapping[str, Any]:
    """A table of the package."""
    return tomllib.loads((_TABLES / f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What a command means where its arguments look so; the first that fits counts."""

    args: str = ""
    """Pattern, compiled when it is first asked for: most scans need few of them."""
    flag: str = ""
    """Rule of the finding; empty: there is none."""
    mild: bool = False
    """Whether it is the milder form."""
    detail: str = ""
    role: str = ""
    """What is done with the first group that the pattern has found; for `finds` alone."""
    reaches: str = ""
    """File of the workspace that then counts, and how, with `{}` for that group; for `finds` alone."""
    prints: str = ""
    """What the command then prints; for `finds` alone."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A row about commands or Python calls that do the same."""

    names: tuple[str, ...]
    values: tuple[str, ...] = ()
    """Options that take a value: letters behind a dash, and long ones."""
    operands: tuple[str, ...] = ()
    """Roles by position; one with `*` takes all that the others leave."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Option → role of its value."""
    when: tuple[When, ...] = ()
    finds: tuple[When, ...] = ()
    """What every match means, wherever it is."""
    tightens: str = ""
    """Pattern of arguments that only take rights away, or leave them to the owner."""
    stops: bool = False
    """Whether the first operand ends the options."""
    prints: str = ""
    handler: str = ""
    """The code that works out its effects, where a row cannot say them."""
    verbs: tuple[str, ...] = ()
    """First words behind which another command stands; `*`: it may stand there without one."""
    refuses: tuple[str, ...] = ()
    """Examples that must give a blocking finding."""
    spares: tuple[str, ...] = ()
    """Examples that must not."""

    @cached_property
    def valued(self) -> frozenset[str]:
        """The names, without dashes, of all options that take a value."""
        return frozenset(self.options).union(*(word[1:] if word[0] == "-" else [word] for word in self.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """All that the tables say about commands, Python calls and hosts."""

    commands: Mapping[str, Command]
    calls: Mapping[str, Command]
    public: frozenset[str]
    """Hosts of public source code; a leading dot stands for every host below."""


@lru_cache(maxsize=8)
def knowledge(extra: Path | None = None) -> Knowledge:
    """What is known, with an operator's own rows, which replace ours of the same name.

    Args:
        extra: a TOML file with tables `command`, `call` and `hosts.public`, as in `refute/scan/tables`.

    Raises:
        UsageError: the file cannot be read, or a row is wrong; names the row, what was got and what is expected.
    """
    own = _own(extra) if extra is not None else {}
    found: list[dict[str, Command]] = []
    for table, kind in (("commands", "command"), ("python", "call")):
        ours = [*map(_command, _rows(read_table(table), kind))]
        rows = [*ours, *_checked(own.get(kind, ()), extra, ours)]
        found.append({name: row for row in rows for name in row.names})
    public = frozenset([*read_table("hosts")["public"], *own.get("hosts", {}).get("public", ())])
    return Knowledge(commands=found[0], calls=found[1], public=public)


def _rows(table: Mapping[str, Any], kind: str) -> list[Any]:
    """A table's rows: first the names of which one thing is to say, then those with more."""
    rows: list[Any] = []
    for title in ("handlers", "operands", "prints", "flags", "notes"):
        one = title if title in Command.__dataclass_fields__ else title.removesuffix("s")
        rows += [{"names": names, one: value} for value, names in table.get(title, {}).items()]
    return [*rows, *table[kind]]


def _own(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"scan tables {path}: {error}", hint=_HINT) from error
    hosts = table.get("hosts", {})
    unknown = sorted(table.keys() - {"command", "call", "hosts"})
    if unknown or not isinstance(hosts, dict) or hosts.keys() - {"public"}:
        raise UsageError(f"scan tables {path}: unknown table `{', '.join(unknown) or 'hosts'}`", hint=_HINT)
    return table


def _checked(rows: Iterable[Any], path: Path | None, ours: list[Command]) -> Iterable[Command]:
    """An operator's rows, with their patterns compiled; what none of ours does nobody would carry out."""
    for row in rows:
        names = _words(row.get("names", "")) if isinstance(row, dict) else []
        told = f"scan tables {path}: {f'row `{names[0]}`' if names else 'a row without `names`'}"
        try:
            made = _command(row)
            _require("role", _roles([made]), _roles(ours))
            _require("`prints`", _prints([made]), _prints(ours))
            for one in (*made.when, *made.finds):
                re.compile(one.args)
        except (KeyError, TypeError, ValueError, AttributeError, re.error) as error:
            raise UsageError(f"{told}: {error}", hint=_HINT) from error
        if made.handler or not names:
            fault = ": `handler` names code of refute itself; leave it out" if made.handler else ""
            raise UsageError(f"{told}{fault}", hint=_HINT)
        yield made


def _command(given: dict[str, Any]) -> Command:
    row = dict(given)
    _require("field", row, {*Command.__dataclass_fields__, *_GRADES})
    worded = ("names", "values", "verbs", "operands")
    made: dict[str, Any] = {name: tuple(_words(row[name])) for name in worded if name in row}
    options = row.get("options", {})
    if isinstance(options, list):
        # `["out o output"]` stands for `{ o = "out", output = "out" }`.
        options = {name: role for role, *names in (line.split() for line in options) for name in names}
    otherwise = [{name: row.pop(name)} for name in _GRADES if name in row]
    when = tuple(map(_when, [*row.get("when", ()), *otherwise]))
    finds = tuple(map(_when, row.get("finds", ())))
    return Command(**{**row, **made, "options": options, "when": when, "finds": finds})


def _words(value: str | list[str]) -> list[str]:
    return value.split() if isinstance(value, str) else value


_GRADES: Final = ("flag", "note")
"""Fields of a row that count where no `when` fits."""
_WHEN: Final = frozenset({"args", "detail", "reaches", "prints", "as", *_GRADES})


def _when(row: dict[str, Any]) -> When:
    _require("field of `when`", row, _WHEN)
    _require("rule", {row.get("flag", ""), row.get("note", "")}, read_table("rules"))
    same = {name: row[name] for name in ("args", "detail", "reaches", "prints") if name in row}
    rule = row.get("flag") or row.get("note", "")
    return When(**same, flag=rule, mild="note" in row, role=row.get("as", ""))


def _roles(rows: Iterable[Command]) -> set[str]:
    found = (role for row in rows for role in (*row.operands, *row.options.values(), *(one.role for one in row.finds)))
    return {role.rstrip("*") for role in found}


def _prints(rows: list[Command]) -> set[str]:
    return {row.prints for row in rows} | {find.prints for row in rows for find in row.finds}


def _require(what: str, got: Iterable[str], known: Collection[str]) -> None:
    """Raise a ValueError that names what is not known."""
    if unknown := [name for name in got if name and name not in known]:
        raise ValueError(f"unknown {what} `{unknown[0]}`; expected one of {', '.join(sorted(filter(None, known)))}")
