"""Where the names of an example come from: the implementation, then builtins, then some of the standard library."""

import ast
import builtins
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import dotted, free_names, parse_expression
from refute.adversary.property.surface import Face, Surface

_STANDARD_MODULES: Final = (
    "asyncio base64 bisect collections copy csv datetime decimal fractions functools hashlib heapq inspect io "
    "itertools json math operator os pathlib random re statistics string sys tempfile textwrap threading time "
    "typing unicodedata uuid"
)
STANDARD_MODULES: Final = frozenset(_STANDARD_MODULES.split())
"""Modules that an example may name without importing them, as people do in prose."""

_STANDARD_NAMES = {
    "collections": "Counter OrderedDict defaultdict deque",
    "datetime": "date datetime time timedelta timezone",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "math": "inf isclose nan pi sqrt",
    "pathlib": "Path PosixPath PurePath PurePosixPath",
    "pytest": "approx raises",
    "uuid": "UUID",
}
STANDARD_NAMES = {name: module for module, names in _STANDARD_NAMES.items() for name in names.split()}
"""Names that people use as if imported, and where they live."""

_ONLY_SAFE_BUILTINS: Final = (
    "abs all any bin bool bytes chr complex dict divmod enumerate filter float format frozenset hash hex int "
    "isinstance issubclass iter len list map max min next oct ord pow range repr reversed round set slice "
    "sorted str sum tuple type zip True False None"
)
ONLY_SAFE_BUILTINS: Final = frozenset(_ONLY_SAFE_BUILTINS.split())
"""Builtins without effects: what conditions and reference expressions from prose may use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Import lines that define every free name of some code."""

    imports: tuple[str, ...]
    reaches_implementation: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """The names that examples may use."""

    surface: Surface
    files: tuple[str, ...] = ()
    """Every file of the ticket, as POSIX paths relative to its workspace."""

    def holds_file(self, path: str) -> bool:
        """Whether a path, as an example writes it, leads to a file or directory of the ticket."""
        wanted = path.removeprefix("./").rstrip("/")
        return any(file == wanted or file.startswith(f"{wanted}/") for file in self.files)

    def defines(self, name: str) -> bool:
        """Whether a (dotted) name is known."""
        try:
            self.resolve(filter(None, [parse_expression(name)]))
        except NotTested:
            return False
        return True

    def resolve(
        self, nodes: Iterable[ast.AST], *, home: str = "", bound: Iterable[str] = (), promised: str = ""
    ) -> Resolved:
        """Find every free name.

        Args:
            nodes: parsed code.
            home: the module whose docstring the code stands in; its names win, private ones too.
            bound: names that the caller binds (given variables, earlier statements).
            promised: a text; a name that occurs in it as a word and is called is imported from the only
                implementation module even where that module does not define it: the text promises it.

        Raises:
            NotTested: nothing defines a name, or nobody drives a coroutine.
        """
        nodes = list(nodes)
        if undriven := self._undriven(nodes):
            raise NotTested(f"calls `{undriven}`, which is async: write `asyncio.run({undriven}(…))`")
        imports: set[str] = set()
        missing: list[str] = []
        for name in sorted(free_names(nodes) - set(bound)):
            line = self._import_of(name, nodes, home=home, promised=promised)
            if line is None:
                missing.append(name)
            elif line:
                imports.add(line)
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            raise NotTested(f"uses {names}, which neither the implementation nor Python defines")
        reaches = any(self._is_ours(name) for name in (*(line.split()[1] for line in imports), *_imported(nodes)))
        return Resolved(imports=tuple(sorted(imports)), reaches_implementation=reaches)

    def _is_ours(self, name: str) -> bool:
        """Whether a module is the implementation's, or a package that holds it."""
        return any(f"{face.module}.".startswith(f"{name}.") for face in self.surface.faces)

    def _undriven(self, nodes: list[ast.AST]) -> str:
        """An async function that is called without handing what it gives to another call; empty where none is."""
        calls = [node for tree in nodes for node in ast.walk(tree) if isinstance(node, ast.Call)]
        driven = {id(one) for call in calls if dotted(call.func) not in ONLY_SAFE_BUILTINS for one in call.args}
        for call in (one for one in calls if id(one) not in driven):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else dotted(call.func) or ""
            named = [one for one in self.surface.callables() if one.name == name]
            if named and all(one.is_async for one in named):
                return name
        return ""

    def _import_of(self, name: str, nodes: list[ast.AST], *, home: str, promised: str) -> str | None:
        """An import line, empty for builtins, None where nothing defines the name."""
        face = self._face_with(name, home=home)
        if face is not None:
            return f"from {face.module} import {name}"
        module = self._module_called(name, nodes)
        if module:
            return f"import {module}"
        if hasattr(builtins, name):
            return ""
        if name in STANDARD_NAMES and not (name in STANDARD_MODULES and _used_as_module(name, nodes)):
            return f"from {STANDARD_NAMES[name]} import {name}"
        if name in STANDARD_MODULES:
            return f"import {name}"
        return self._promised(name, nodes, promised)

    def _face_with(self, name: str, *, home: str) -> Face | None:
        faces = self.surface.faces
        ambiguous = name in STANDARD_NAMES and name in STANDARD_MODULES  # `datetime`: use tells what is meant
        at_home = [one for one in faces if one.module == home and name in (one.defined if ambiguous else one.names)]
        defining = [one for one in faces if name in one.defined and not name.startswith("_")]
        return next(iter([*at_home, *defining]), None)

    def _module_called(self, name: str, nodes: list[ast.AST]) -> str | None:
        """`name` as an implementation module, or as the package that holds one (`pkg.mod.f` → `pkg.mod`)."""
        modules = [face.module for face in self.surface.faces]
        chains = [dotted(n) or "" for tree in nodes for n in ast.walk(tree) if isinstance(n, ast.Attribute | ast.Name)]
        used = [
            m for m in modules if m.partition(".")[0] == name and any((c + ".").startswith(m + ".") for c in chains)
        ]
        if used:
            return max(used, key=len)
        return name if name in modules else None

    def _promised(self, name: str, nodes: list[ast.AST], promised: str) -> str | None:
        called = {
            n.func.id for t in nodes for n in ast.walk(t) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        opaque = [face.module for face in self.surface.faces if face.opaque]
        if importing := [face.module for face in self.surface.faces if name in face.names and not name.startswith("_")]:
            return f"from {importing[0]} import {name}"
        if name in called and (opaque or re.search(rf"(?<!\w){name}(?!\w)", promised)):
            candidates = opaque or [face.module for face in self.surface.faces]
            if len(candidates) == 1:
                return f"from {candidates[0]} import {name}"
        return None


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The modules that code imports itself."""
    for node in (part for tree in nodes for part in ast.walk(tree)):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=str(module)):
                yield module


def _used_as_module(name: str, nodes: list[ast.AST]) -> bool:
    """`datetime.timedelta` reads the module, `datetime(2020, 1, 1)` and `datetime.now()` the class."""
    attributes = (n for tree in nodes for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    used = [one.attr for one in attributes if dotted(one.value) == name]
    return bool(used) and hasattr(importlib.import_module(name), used[0])
