"""What of an implementation reaches outside its process, and what still does while a test replaces something."""

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Final

from refute.ticket.mocks import Mock, dotted_name, imported_names
from refute.ticket.suite import Definition

_NO_CALL: Final = ("Error", "Exception", "Expired", "Warning", "CompletedProcess", "Response")
_FILE_METHODS: Final = frozenset(
    {"read_text", "write_text", "read_bytes", "write_bytes", "iterdir", "rglob", "touch", "unlink", "mkdir"}
)
_ON_USE: Final = frozenset(
    {"Session", "Client", "AsyncClient", "ClientSession", "PoolManager", "build_opener", "Redis", "HTTPConnection"}
    | {"HTTPSConnection", "create_engine", "Http", "Request"}
)
"""What only prepares: making one reaches nothing yet."""
_WIDE: Final = frozenset({"os", "asyncio", "http", "urllib"})
"""Modules that do much else."""
_UNDER_NETWORK: Final = frozenset({"socket", "ssl", "http"})
"""What every client library goes through."""
_LIBRARY_KINDS: Final = {"fake_process": "process", "fp": "process", "pyfakefs": "file", "fs": "file"}


class Kind(StrEnum):
    """What is outside."""

    PROCESS = "process"
    NETWORK = "network"
    DATABASE = "database"
    FILE = "file"
    OTHER = "other"


@cache
def _rows() -> tuple[tuple[Kind, tuple[str, ...]], ...]:
    """The rows of `outside.toml`: what is outside, and the beginnings of names that reach it."""
    text = resources.files("refute.ticket").joinpath("outside.toml").read_text(encoding="utf-8")
    return tuple((Kind(row["kind"]), tuple(row["names"].split())) for row in tomllib.loads(text)["row"])


def kind_of(dotted: str) -> Kind | None:
    """What a dotted name reaches when it is called; None where that is nothing outside."""
    last = dotted.rpartition(".")[2]
    if last.isupper() or last.endswith(_NO_CALL):
        return None
    for kind, roots in _rows():
        for root in roots:
            family = "." in root and kind is not Kind.FILE and dotted.startswith(root)  # os.spawn: os.spawnvp
            if family or f"{dotted}.".startswith(f"{root}."):
                return kind
    return None


def replaced_kind(target: tuple[str, ...]) -> Kind | None:
    """The kind of what a patch replaces, where that is no part of the implementation: `vcs.subprocess.run`."""
    ends = [target[start:] for start in range(len(target)) if len(target) - start > 1 or start == 0]
    return next((kind for end in ends if (kind := kind_of(".".join(end)))), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One mention of something that reaches outside."""

    dotted: str
    kind: Kind
    injectable: bool
    """A default that a caller may replace: of a parameter, a field, or `given or default`."""

    def closed_by(self, mock: Mock) -> bool:
        """Whether a replacement stands where this way leads out."""
        if mock.library:
            return _LIBRARY_KINDS.get(mock.library, "network") == self.kind
        if not mock.target:  # an object that is passed in
            return self.injectable
        root, parts = self.dotted.partition(".")[0], self.dotted.split(".")
        outer = replaced_kind(mock.target)
        if mock.target[-1] in parts:
            return True
        if root in mock.target:  # subprocess.run stands for all of subprocess, os.getcwd not for os.system
            return root not in _WIDE or outer is self.kind
        network = self.kind is Kind.NETWORK and outer is Kind.NETWORK
        return network and not _UNDER_NETWORK.isdisjoint(mock.target)


class OutsideUse:
    """How the functions of an implementation reach outside.

    Args:
        trees: of its modules.
        with_files: whether reading and writing files counts, even beside other ways outside.
        replaced: parts of the names that tests replace; what of these is a third party's library is outside too.
    """

    def __init__(self, trees: Iterable[ast.Module], *, with_files: bool, replaced: set[str]) -> None:
        # A name, or with a dot before it what an object keeps under that attribute.
        self.ways: dict[str, set[Way]] = {}
        self._mentions: dict[str, set[str]] = {}
        self._methods: dict[str, set[str]] = {}
        read = [(tree, imported_names(tree)) for tree in trees]
        roots = {origin.partition(".")[0] for _, imports in read for origin in imports.values()}
        self._libraries = (replaced & roots) - sys.stdlib_module_names
        for tree, imports in read:
            self._read(tree, imports)
        kinds = {way.kind for ways in self.ways.values() for way in ways}
        if not (with_files or kinds == {Kind.FILE}):
            self.ways = {name: {way for way in ways if way.kind is not Kind.FILE} for name, ways in self.ways.items()}

    def open_ways(self, names: Iterable[str], mocks: Iterable[Mock]) -> set[Way]:
        """The ways on which what bears one of these names reaches outside, in spite of a test's replacements.

        Args:
            names: of functions, methods and classes that the test touches.
            mocks: all that it makes.
        """
        mocks = tuple(mocks)
        gone = {mock.target[-1] for mock in mocks if mock.target and self._is_own(mock.target)}
        gone |= {name for owner in gone for name in (f".{owner}", *self._methods.get(owner, ()))}
        pending, seen, found = list(names), set(gone), set[Way]()
        while pending:
            name = pending.pop()
            if name not in seen and name in self.ways:
                seen.add(name)
                found |= self.ways[name]
                pending += self._mentions[name]
        return {way for way in found if not any(map(way.closed_by, mocks))}

    def _is_own(self, target: tuple[str, ...]) -> bool:
        """Whether what is replaced is a part of the implementation, and not of something that it uses."""
        foreign = self._libraries | sys.stdlib_module_names
        return replaced_kind(target) is None and foreign.isdisjoint(target[:-1])

    def _read(self, tree: ast.Module, imports: Mapping[str, str]) -> None:
        top = {id(node) for node in tree.body}
        for node in ast.walk(tree):
            match node:
                case ast.ClassDef(name=name, body=body):
                    methods = [item for item in body if isinstance(item, Definition)]
                    self._methods.setdefault(name, set()).update(method.name for method in methods)
                    made = [method for method in methods if _is_special(method.name)]
                    self._note(name, [*node.bases, *node.decorator_list, *made], imports)
                    fields = [item for item in body if not isinstance(item, Definition | ast.ClassDef)]
                    self._note(name, fields, imports, injectable=True)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if not _is_special(name):
                    self._note(name, [node], imports)
                case (
                    ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value)
                ):
                    if isinstance(target, ast.Attribute):
                        self._note(f".{target.attr}", [value], imports, held=True)
                    elif isinstance(target, ast.Name) and id(node) in top:
                        self._note(target.id, [value], imports, held=True)

    def _note(
        self,
        name: str,
        nodes: Iterable[ast.AST],
        imports: Mapping[str, str],
        *,
        injectable: bool = False,
        held: bool = False,
    ) -> None:
        ways, mentions = self.ways.setdefault(name, set()), self._mentions.setdefault(name, set())
        pending = [(node, injectable) for node in nodes]
        while pending:
            node, replaceable = pending.pop()
            if not isinstance(node, ast.Name | ast.Attribute):
                pending += _below(node, replaceable=replaceable)
                continue
            attributes, base = _chain(node)
            dotted = dotted_name(node, imports)
            kind = self._kind(node, dotted, imports)
            if kind is None:
                kept = isinstance(node.ctx, ast.Store)  # `self.session = …` makes it, and does not use it
                mentions.update(attributes[kept:], [f".{name}" for name in attributes[kept:]])
                mentions.update([base.id] if isinstance(base, ast.Name) else [])
            elif held or dotted.rpartition(".")[2] not in _ON_USE:
                ways.add(Way(dotted=dotted or attributes[0], kind=kind, injectable=replaceable))
            if not isinstance(base, ast.Name):
                pending.append((base, replaceable))

    def _kind(self, node: ast.Name | ast.Attribute, dotted: str, imports: Mapping[str, str]) -> Kind | None:
        """What a chain reaches that begins with something imported, or with what a call of that gave."""
        if isinstance(node, ast.Attribute) and node.attr in _FILE_METHODS:
            return Kind.FILE
        base: ast.AST = node
        while isinstance(base, ast.Attribute | ast.Call):
            base = base.value if isinstance(base, ast.Attribute) else base.func
        if not (isinstance(base, ast.Name) and base.id in {*imports, "open"}):
            return None
        return kind_of(dotted) or (Kind.OTHER if dotted.partition(".")[0] in self._libraries else None)


def _chain(node: ast.expr) -> tuple[list[str], ast.expr]:
    """The attributes of `base.x.y`, the last first, and the base."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return attributes, node


def _below(node: ast.AST, *, replaceable: bool) -> Iterator[tuple[ast.AST, bool]]:
    """What of a node runs, and whether it is only a default for what a caller may give."""
    asks = isinstance(node, ast.If | ast.IfExp) and any(
        isinstance(part, ast.Constant) and part.value is None for part in ast.walk(node.test)
    )
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"} or (name == "type" and isinstance(node, ast.ExceptHandler)):
            continue
        default = name in {"defaults", "kw_defaults"} or isinstance(node, ast.BoolOp)
        default = default or (asks and (name == "body" or isinstance(node, ast.IfExp)))
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child, replaceable or default


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
