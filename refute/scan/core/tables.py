"""Reads the tables in which the scanner's knowledge stands, with the rows that an operator adds."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from refute.errors import UsageError

_TABLES: Final = Path(__file__).parents[1] / "tables"
ROLES: Final = frozenset(
    """read list write out delete tree rmdir mode mkdir connect host lookup location fetch url eval python tests run
    send text skip wipe move script program search edit tee upload hand remote target proxy
    start-python module open""".split()  # noqa: SIM905 - a table of names
)
"""What a command does with an operand or with an option's value."""
PRINTS: Final = frozenset(
    """content part changed kept listing input download secret name decoded nothing first processes running own
    unknown workspace object pair received""".split()  # noqa: SIM905 - a table of names
) | {""}
"""What a command prints; empty: not known before the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What a command means where its arguments look so; the first that fits counts."""

    args: str
    """Pattern, compiled when it is first asked for: most scans need few of them."""
    flag: str = ""
    """Rule of the finding; empty: there is none."""
    mild: bool = False
    detail: str = ""
    role: str = ""
    """What is done with the first group that the pattern has found; for `finds` alone."""
    reaches: str = ""
    """File of the workspace that then counts, and how, with `{}` for that group; for `finds` alone."""
    prints: str = ""
    """What the command then prints; for `finds` alone."""

    def fits(self, arguments: str) -> bool:
        """Whether arguments begin so."""
        return re.match(self.args, arguments) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A row about commands or Python calls that do the same."""

    names: tuple[str, ...]
    values: str = ""
    """Short options that take a value, one letter each."""
    long: frozenset[str] = frozenset()
    """Long options that take the next word as value."""
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
    decodes: str = ""
    """Pattern of arguments with which it decodes."""
    prints: str = ""
    handler: str = ""
    """The code that works out its effects, where a row cannot say them."""
    wraps: Mapping[str, Any] | None = None
    """How its own words end where it runs another command."""
    refuses: tuple[str, ...] = ()
    """Examples that must give a blocking finding."""
    spares: tuple[str, ...] = ()
    """Examples that must not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """All that the tables say about commands, Python calls and hosts."""

    commands: Mapping[str, Command]
    calls: Mapping[str, Command]
    public: frozenset[str]
    """Hosts of public source code; a leading dot stands for every host below."""


def read_table(name: str) -> Mapping[str, Any]:
    """A table of the package."""
    return _parsed(name)


@lru_cache(maxsize=16)
def _parsed(name: str) -> Mapping[str, Any]:
    return tomllib.loads((_TABLES / f"{name}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=8)
def knowledge(extra: Path | None = None) -> Knowledge:
    """What is known, with an operator's own rows, which replace ours of the same name.

    Args:
        extra: a TOML file with tables `command`, `call` and `hosts.public`, as in `refute/scan/tables`.

    Raises:
        UsageError: the file cannot be read, or a row is wrong; names the row, what was got and what is expected.
    """
    shell, python, hosts = (read_table(name) for name in ("commands", "python", "hosts"))
    tables = [(_rows(shell, "command"), _rows(python, "call"), hosts["public"])]
    if extra is not None:
        tables.append(_own(extra))
    commands, calls = ({}, {})  # type: tuple[dict[str, Command], dict[str, Command]]
    public: set[str] = set()
    for number, (own_commands, own_calls, own_hosts) in enumerate(tables):
        for rows, found in ((own_commands, commands), (own_calls, calls)):
            for row in rows:
                made = _command(row, str(extra or "ours"), own=number > 0)
                found.update(dict.fromkeys(made.names, made))
        public.update(own_hosts)
    return Knowledge(commands=MappingProxyType(commands), calls=MappingProxyType(calls), public=frozenset(public))


def _rows(table: Mapping[str, Any], kind: str) -> list[Any]:
    """A table's rows: first the names of which one thing is to say, then those with more."""
    rows: list[Any] = []
    for title, field_name in (("handlers", "handler"), ("operands", "operands"), ("prints", "prints")):
        rows += [{"names": names, field_name: value} for value, names in table.get(title, {}).items()]
    for title, grade in (("flags", "flag"), ("notes", "note")):
        rows += [{"names": names, "when": [{grade: rule}]} for rule, names in table.get(title, {}).items()]
    return [*rows, *table[kind]]


def _own(path: Path) -> tuple[Any, Any, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"scan tables {path}: {error}", hint=_HINT) from error
    unknown = table.keys() - {"command", "call", "hosts"}
    hosts = table.get("hosts", {})
    if unknown or not isinstance(hosts, dict) or hosts.keys() - {"public"}:
        got = ", ".join(sorted(unknown)) or "hosts"
        raise UsageError(f"scan tables {path}: unknown table `{got}`", hint=_HINT)
    for row in (*table.get("command", ()), *table.get("call", ())):
        if "handler" in row:
            raise UsageError(f"scan tables {path}: `handler` names code of refute itself; leave it out", hint=_HINT)
    return table.get("command", ()), table.get("call", ()), hosts.get("public", ())


_HINT: Final = (
    "Expected rows `[[command]]` or `[[call]]` with `names`, and `[hosts] public = [...]`; docs/scan-rules.md."
)
_FIELDS: Final = frozenset(
    "names values operands options when finds tightens stops decodes prints handler wraps refuses spares".split()  # noqa: SIM905
)


def _command(row: Any, where: str, *, own: bool) -> Command:
    """A row, checked."""
    name = row.get("names", "") if isinstance(row, dict) else ""
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"scan tables: {where}: a row without `names`", hint=_HINT)
    try:
        return _checked(row, own=own)
    except (KeyError, TypeError, ValueError, AttributeError, re.error) as error:
        raise UsageError(f"scan tables: {where}: row `{name.split()[0]}`: {error}", hint=_HINT) from error


def _checked(row: dict[str, Any], *, own: bool) -> Command:
    if unknown := sorted(row.keys() - _FIELDS):
        raise ValueError(f"unknown field `{unknown[0]}`; expected one of {', '.join(sorted(_FIELDS))}")
    words = row.get("values", "").split()
    roles = tuple(row.get("operands", "").split())
    options = dict(row.get("options", {}))
    for role in (*(role.rstrip("*") for role in roles), *options.values()):
        if role not in ROLES:
            raise ValueError(f"unknown role `{role}`; expected one of {', '.join(sorted(ROLES))}")
    if row.get("prints", "") not in PRINTS:
        raise ValueError(f"unknown `prints` {row['prints']!r}; expected one of {', '.join(sorted(PRINTS - {''}))}")
    letters = "".join(word for word in words if word.startswith("-")).replace("-", "")
    when, finds = (tuple(map(_when, row.get(name, ()))) for name in ("when", "finds"))
    if own:
        for one in (*when, *finds):
            re.compile(one.args)
    return Command(
        names=tuple(row["names"].split()),
        values=letters + "".join(name for name in options if len(name) == 1),
        long=frozenset({word for word in words if not word.startswith("-")} | {n for n in options if len(n) > 1}),
        operands=roles,
        options=MappingProxyType(options),
        when=when,
        finds=finds,
        tightens=row.get("tightens", ""),
        stops=row.get("stops", False),
        decodes=row.get("decodes", ""),
        prints=row.get("prints", ""),
        handler=row.get("handler", ""),
        wraps=MappingProxyType(row["wraps"]) if "wraps" in row else None,
        refuses=tuple(row.get("refuses", ())),
        spares=tuple(row.get("spares", ())),
    )


def _when(row: dict[str, Any]) -> When:
    if unknown := sorted(row.keys() - {"args", "flag", "note", "detail", "as", "reaches", "prints"}):
        raise ValueError(
            f"unknown field `{unknown[0]}` of `when`; expected args, flag, note, detail, as, reaches, prints"
        )
    rule = row.get("flag") or row.get("note") or ""
    if rule and rule not in read_table("rules"):
        raise ValueError(f"unknown rule `{rule}` in `when`")
    if (role := row.get("as", "")) and role not in ROLES:
        raise ValueError(f"unknown role `{role}`; expected one of {', '.join(sorted(ROLES))}")
    return When(
        args=row.get("args", ""),
        flag=rule,
        mild="note" in row,
        detail=row.get("detail", ""),
        role=role,
        reaches=row.get("reaches", ""),
        prints=row.get("prints", ""),
    )
