"""What of an implementation reaches outside its process, and what still does while a test replaces something."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from refute.ticket.mocks import Mock, dotted_name, imported_names
from refute.ticket.suite import Definition
from refute.ticket.systems import Kind, kind_of, replaced_kind

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One mention of something that reaches outside."""

    dotted: str
    kind: Kind
    injectable: bool
    """A default that a caller may replace: of a parameter, a field, or `given or default`."""


@dataclass(slots=True)
class _Part:
    """A function, a method, a class without its methods, or a name that holds something."""

    ways: set[_Way] = field(default_factory=set)
    mentions: set[str] = field(default_factory=set)


class OutsideUse:
    """How the functions of an implementation reach outside.

    Args:
        trees: of its modules.
        with_files: whether reading and writing files counts, even beside other ways outside.
    """

    def __init__(self, trees: Iterable[ast.Module], *, with_files: bool) -> None:
        # A name, or with a dot before it what an object keeps under that attribute.
        self._parts: dict[str, _Part] = {}
        self._methods: dict[str, set[str]] = {}
        for tree in trees:
            self._read(tree, imported_names(tree))
        kinds = {way.kind for part in self._parts.values() for way in part.ways}
        self._counted = kinds if with_files or kinds == {Kind.FILE} else kinds - {Kind.FILE}

    def reached(self, names: Iterable[str], mocks: Iterable[Mock]) -> bool:
        """Whether what bears one of these names still reaches outside while a test makes these replacements.

        Args:
            names: of functions, methods and classes that a test touches.
            mocks: all that it makes. A mock object that is passed in can only take the place of what callers may
                replace.
        """
        mocks = tuple(mocks)
        passed_in = any(not mock.target and not mock.library for mock in mocks)
        gone = {mock.target[-1] for mock in mocks if mock.target and replaced_kind(mock.target) is None}
        gone |= {name for owner in gone for name in (f".{owner}", *self._methods.get(owner, ()))}
        pending, seen = list(names), set(gone)
        while pending:
            name = pending.pop()
            if name in seen or name not in self._parts:
                continue
            seen.add(name)
            ways = [way for way in self._parts[name].ways if way.kind in self._counted]
            if any(not (way.injectable and passed_in) and not _replaced(way, mocks) for way in ways):
                return True
            pending += self._parts[name].mentions
        return False

    def _read(self, tree: ast.Module, imports: Mapping[str, str]) -> None:
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
                case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
                    self._note(f".{name}", [value], imports, held=True)
                case ast.AnnAssign(target=ast.Attribute(attr=name), value=ast.expr() as value):
                    self._note(f".{name}", [value], imports, held=True)
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._note(name, [value], imports, held=True)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._note(name, [value], imports, held=True)

    def _note(
        self,
        name: str,
        nodes: Iterable[ast.AST],
        imports: Mapping[str, str],
        *,
        injectable: bool = False,
        held: bool = False,
    ) -> None:
        part = self._parts.setdefault(name, _Part())
        pending = [(node, injectable) for node in nodes]
        while pending:
            node, replaceable = pending.pop()
            if not isinstance(node, ast.Name | ast.Attribute):
                pending += _below(node, replaceable=replaceable)
                continue
            attributes, base = _chain(node)
            dotted = dotted_name(node, imports)
            kind = kind_of(dotted) if isinstance(base, ast.Name) and base.id in {*imports, "open"} else None
            kind = kind or _kind_of_call(base, attributes, imports)
            if kind is None:
                kept = isinstance(node.ctx, ast.Store)  # `self.session = …` makes it, and does not use it
                part.mentions.update(attributes[kept:], [f".{name}" for name in attributes[kept:]])
                part.mentions.update([base.id] if isinstance(base, ast.Name) else [])
            elif held or dotted.rpartition(".")[2] not in _ON_USE:
                part.ways.add(_Way(dotted=dotted or attributes[0], kind=kind, injectable=replaceable))
            if not isinstance(base, ast.Name):
                pending.append((base, replaceable))


def _chain(node: ast.expr) -> tuple[list[str], ast.expr]:
    """The attributes of `base.x.y`, the last first, and the base."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return attributes, node


def _kind_of_call(base: ast.expr, attributes: list[str], imports: Mapping[str, str]) -> Kind | None:
    """`Path(x).read_text` and `requests.Session().get`: something done with what a call gave."""
    if attributes and attributes[0] in _FILE_METHODS:
        return Kind.FILE
    if attributes and isinstance(base, ast.Call):
        inner = _chain(base.func)[1]
        return kind_of(dotted_name(base, imports)) if isinstance(inner, ast.Name) and inner.id in imports else None
    return None


def _below(node: ast.AST, *, replaceable: bool) -> Iterator[tuple[ast.AST, bool]]:
    """What of a node runs, and whether it is only a default for what a caller may give."""
    if isinstance(node, ast.arg):
        return
    silent = [getattr(node, "returns", None), getattr(node, "annotation", None)]
    silent += [node.type] if isinstance(node, ast.ExceptHandler) else []
    defaults = _defaults(node)
    for child in ast.iter_child_nodes(node):
        if not any(child is other for other in silent):
            yield child, replaceable or any(child is other for other in defaults)


def _defaults(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.arguments():
            return [*node.defaults, *filter(None, node.kw_defaults)]
        case ast.BoolOp(op=ast.Or(), values=values):
            return [*values]
        case ast.IfExp(test=test) if _asks_for_none(test):
            return [node.body, node.orelse]
        case ast.If(test=test, body=body) if _asks_for_none(test):
            return [*body]
        case _:
            return []


def _asks_for_none(test: ast.expr) -> bool:
    return any(isinstance(part, ast.Constant) and part.value is None for part in ast.walk(test))


def _replaced(way: _Way, mocks: Iterable[Mock]) -> bool:
    """Whether one of a test's replacements stands where this way leads out."""
    root = way.dotted.partition(".")[0]
    for mock in mocks:
        outer = replaced_kind(mock.target)
        if mock.library:
            hit = _LIBRARY_KINDS.get(mock.library, "network") == way.kind
        elif not mock.target:
            hit = False
        elif mock.target[-1] in way.dotted.split("."):
            hit = True
        elif root in mock.target:  # subprocess.run stands for all of subprocess, os.getcwd not for os.system
            hit = root not in _WIDE or outer is way.kind
        else:
            hit = way.kind is Kind.NETWORK and outer is Kind.NETWORK and not _UNDER_NETWORK.isdisjoint(mock.target)
        if hit:
            return True
    return False


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
