"""Attributes, items, imports and calls: from what stands in the text to the check that knows it."""

# ruff: noqa: SIM905 - long tables of names read best as words

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import ast
from dataclasses import dataclass
from typing import Any, Final

from refute.scan.core.symbols import DERIVED, DOWNLOAD, HERE, HOME, NAME, OUTPUT, TEMP, UNKNOWN, is_known, is_open
from refute.scan.python import folding
from refute.scan.python.decoders import DECODERS
from refute.scan.python.imports import canonical, member
from refute.scan.python.state import Walker
from refute.scan.python.values import (
    PROCESS,
    PROCESSES,
    UNK,
    Choice,
    Class,
    FileValue,
    Function,
    Instance,
    PathValue,
    Ref,
    as_text,
)


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A method together with what it belongs to."""

    owner: Any
    name: str


_CLIMBING: Final = frozenset(
    """__subclasses__ __globals__ __builtins__ f_globals f_builtins gi_frame cr_frame tb_frame f_back __code__
        func_globals __closure__""".split()
)


_LADDER: Final = frozenset({"__base__", "__bases__", "__mro__", "mro"})


POWERFUL: Final = frozenset(
    {"os", "subprocess", "builtins", "sys", "ctypes", "shutil", "importlib", "pty", "socket", "code", "runpy"}
)
"""Modules by which a computed name can do anything."""


_MAX_ITEMS: Final = 4096


def attribute(walker: Walker, owner: Any, name: str, node: ast.AST) -> Any:
    """`owner.name`."""
    if name in _CLIMBING:
        _judge_climb(walker, name, node)
    if name == "__call__":
        return owner
    match owner:
        case Ref():
            return _member_of(owner, name)
        case PathValue():
            return _path_attribute(owner, name)
        case Instance() | Class():
            return _object_attribute(owner, name)
        case FileValue(path=path):
            return path if name == "name" else Bound(owner, name)
        case Function() if name in _CLIMBING:
            return UNK
    return Bound(owner, name)


def _member_of(owner: Ref, name: str) -> Any:
    if owner == PROCESSES or (owner == PROCESS and name in {"pid", "info"}):
        return PROCESSES
    if owner.name == "download()":
        return (
            Bound(DOWNLOAD, name)
            if name in {"read", "json", "decode", "iter_content", "readlines", "iter_lines"}
            else DOWNLOAD
        )
    if owner.name in {"tempdir()", "tempfile.TemporaryDirectory()"} and name == "name":
        return TEMP
    if owner.name == "tmp_path_factory":
        return Ref(f"tmp_path_factory.{name}")
    if owner.name.endswith("__dict__") or owner.name in {"globals()", "os.environ", "sys.modules"}:
        return Bound(owner, name)
    if (
        owner.name in {"builtins.str", "builtins.bytes", "builtins.int"}
        and f"{owner.name}.{name}" not in folding.PURE
        and f"{owner.name}.{name}" not in DECODERS
    ):
        return Ref(f"unbound.{name}")
    return member(f"{owner.name}.{name}")


def _path_attribute(owner: PathValue, name: str) -> Any:
    head, _, tail = owner.text.rstrip("/").rpartition("/")
    match name:
        case "parent":
            return PathValue(
                head or ("/" if owner.text.startswith("/") else owner.text if len(owner.text) == 1 else ".")
            )
        case "name":
            return tail
        case "stem":
            return tail.rpartition(".")[0] or tail
        case "suffix":
            return tail[tail.rfind(".") :] if "." in tail else ""
        case "parents":
            return (
                Ref("parents()")
                if is_open(owner.text)
                else [PathValue(head), *[PathValue(head.rsplit("/", up)[0]) for up in range(1, 5)]]
            )
    return Bound(owner, name)


def _object_attribute(owner: Instance | Class, name: str) -> Any:
    of = owner.of if isinstance(owner, Instance) else owner
    if name in of.attributes:
        return of.attributes[name]
    if name in of.methods:
        method = of.methods[name]
        return method if isinstance(owner, Instance) else Function(method.node, method.env)
    if name == "__dict__":
        return dict(of.attributes)
    return Bound(owner, name)


def _judge_climb(walker: Walker, name: str, node: ast.AST) -> None:
    chain: set[str] = set()
    current: ast.AST = node
    while isinstance(current, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(current, ast.Attribute):
            chain.add(current.attr)
        current = current.func if isinstance(current, ast.Call) else current.value
    literal = isinstance(current, ast.Constant | ast.Tuple | ast.List | ast.Dict | ast.Lambda | ast.JoinedStr)
    to_object = isinstance(current, ast.Name) and current.id == "object"
    climbs = bool(chain & _LADDER) or to_object
    # Frames and globals are ordinary in tools that inspect code; from a literal upwards only an escape goes.
    blocks = (name == "__subclasses__" and (climbs or literal)) or (
        name in {"__globals__", "func_globals", "f_globals"} and (literal or "__init__" in chain)
    )
    if blocks or name in {"__subclasses__", "__globals__", "f_globals", "gi_frame", "cr_frame"}:
        walker.report.add("introspection-escape", walker.spot(node), f"….{name}", mild=not blocks)


def item(walker: Walker, owner: Any, index: Any, node: ast.AST) -> Any:
    """`owner[index]`."""
    if isinstance(owner, Ref):
        return _item_of_reference(walker, owner, index, node)
    if isinstance(owner, dict):
        if isinstance(index, str | int | bytes | bool):
            return owner.get(index, UNK)
        values = list(owner.values())
        return Choice(tuple(values[:6])) if len(values) > 1 else (values[0] if values else UNK)
    if isinstance(owner, list | tuple | str | bytes):
        if isinstance(index, str):
            return UNK
        try:
            return owner[index]
        except Exception:  # noqa: BLE001 - a wrong index or one that is not known
            return DERIVED if isinstance(owner, str) and not is_open(owner) and len(owner) > 8 else UNK  # noqa: PLR2004
    if isinstance(owner, Bound) and owner.name in {"__globals__", "f_globals", "__builtins__", "f_builtins"}:
        telling = isinstance(index, str) and (
            index in POWERFUL or index.startswith("__") or index in {"eval", "exec", "open"}
        )
        walker.report.add("introspection-escape", walker.spot(node), f"….{owner.name}[…]", mild=not telling)
        return Ref(canonical(index)) if isinstance(index, str) else UNK
    return UNK


def _item_of_reference(walker: Walker, owner: Ref, index: Any, node: ast.AST) -> Any:
    if owner == PROCESSES:
        return PROCESSES
    if owner.name == "os.environ":
        return environment_value(index)
    if owner.name == "sys.argv":
        return UNKNOWN if not isinstance(index, slice) else UNK
    if owner.name in {"sys.modules", "globals()"}:
        if not isinstance(index, str):
            return Ref("?import") if owner.name == "sys.modules" else UNK
        return Ref(canonical(index)) if owner.name == "sys.modules" else walker.lookup(index)
    base = owner.name.removesuffix(".__dict__")
    if base != owner.name or base == "builtins":
        if isinstance(index, str) and not is_open(index):
            return member(f"{base}.{index}")
        if base in POWERFUL:
            walker.report.add("dynamic-name", walker.spot(node), f"{owner.name}[…]")
        return Ref("?import")
    return UNK


def environment_value(name: Any) -> str:
    """A variable of the environment."""
    known = {"HOME": HOME, "TMPDIR": TEMP, "TEMP": TEMP, "TMP": TEMP, "USER": NAME}
    return known.get(name, UNKNOWN) if isinstance(name, str) else UNKNOWN


def iterated(value: Any) -> Any:
    """The elements of an iterable as a list, or one value that stands for any of them."""
    if isinstance(value, list | tuple | dict):
        return list(value)
    if isinstance(value, bytes | range) or (isinstance(value, str) and is_known(value)):
        return list(value[:_MAX_ITEMS])
    if isinstance(value, Choice):
        return iterated(value.options[0])
    if isinstance(value, Ref) and value.name == "psutil.process_iter()":
        return PROCESS
    if isinstance(value, str):
        if value.startswith((TEMP, HERE)):
            return f"{value}/{NAME}"
        return UNKNOWN if UNKNOWN in value else OUTPUT
    return value if isinstance(value, PathValue) or value == PROCESSES else UNK


def entered(value: Any) -> Any:
    """What `with value as x` binds."""
    if isinstance(value, Ref) and value.name in {"tempfile.TemporaryDirectory()", "tempdir()"}:
        return TEMP
    # A generator that is entered is a context manager, which binds what it yields.
    return value[0] if isinstance(value, list) and value else value


def join_paths(left: Any, right: Any) -> PathValue:
    """`left / right` as pathlib joins."""
    head, tail = as_text(left), as_text(right)
    return PathValue(tail if tail.startswith(("/", HOME, TEMP)) else f"{head.rstrip('/')}/{tail}")


def percent(template: str, values: Any) -> str:
    """`template % values` with unknown parts."""
    queue = list(values) if isinstance(values, tuple) else [values]
    *parts, last = template.replace("%%", "\x00").split("%s")
    filled = [part + (as_text(queue[index]) if index < len(queue) else UNKNOWN) for index, part in enumerate(parts)]
    return "".join([*filled, last]).replace("\x00", "%")
