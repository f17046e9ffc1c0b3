"""Where the names of an example come from: the implementation, then builtins, then some of the standard library."""

import ast
import builtins
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import dotted, free_names, parse_expression
from refute.adversary.property.surface import Face, Surface

_LIBRARY: Final = (
    "base64 binascii bisect builtins calendar collections colorsys datetime decimal difflib fractions functools "
    "hashlib heapq html itertools json keyword math operator pathlib posixpath re shlex statistics string textwrap "
    "unicodedata urllib.parse zlib"
)
LIBRARY: Final = frozenset(_LIBRARY.split())
"""Modules whose functions answer by their arguments alone."""
_EFFECTS: Final = "asyncio copy csv inspect io os random sys tempfile threading time typing uuid"
STANDARD_MODULES: Final = LIBRARY.union(_EFFECTS.split())
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
            promised: a text; a name that occurs in it as a word and is called is imported from an implementation
                module though none defines it: the text promises it. Not beside names that one does define, as then
                it may be any other package's.

        Raises:
            NotTested: a name is nobody's, or nobody drives a coroutine.
        """
        nodes = list(nodes)
        if undriven := self._undriven(nodes):
            raise NotTested(f"calls `{undriven}`, which is async: write `asyncio.run({undriven}(…))`")
        found = {name: self._import_of(name, nodes, home=home) for name in sorted(free_names(nodes) - set(bound))}
        if not self._reached(found, nodes):
            missing = [name for name, line in found.items() if line is None]
            found |= {name: self._promised(name, nodes, promised) for name in missing}
        if missing := [name for name, line in found.items() if line is None]:
            names = ", ".join(f"`{name}`" for name in missing)
            raise NotTested(f"uses {names}, which is neither the code's nor built in: write its module too (`math.pi`)")
        imports = sorted({line for line in found.values() if line})
        return Resolved(imports=tuple(imports), reaches_implementation=self._reached(found, nodes))

    def _reached(self, found: Mapping[str, str | None], nodes: list[ast.AST]) -> bool:
        return any(map(self._is_ours, (*(line.split()[1] for line in found.values() if line), *_imported(nodes))))

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

    def _import_of(self, name: str, nodes: list[ast.AST], *, home: str) -> str | None:
        """An import line, empty for builtins, None where nothing defines the name."""
        face = self._face_with(name, home=home)
        if face is not None:
            return f"from {face.module} import {name}"
        module = self._module_called(name, nodes)
        if module:
            return f"import {module}"
        if hasattr(builtins, name):
            return ""
        if used := [one for one in STANDARD_MODULES if one.partition(".")[0] == name and _used_as_module(one, nodes)]:
            return f"import {used[0]}"
        if name in STANDARD_NAMES:
            return f"from {STANDARD_NAMES[name]} import {name}"
        importing = [one.module for one in self.surface.faces if name in one.names and not name.startswith("_")]
        opaque = [one.module for one in self.surface.faces if one.opaque]
        if not importing and name in _called(nodes) and len(opaque) == 1:
            importing = opaque
        return f"from {importing[0]} import {name}" if importing else None

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
        if any(one.opaque for one in self.surface.faces) or name not in _called(nodes):
            return None
        said = re.search(rf"(?<!\w){name}(?!\w)", promised)
        return f"from {self.surface.faces[0].module} import {name}" if said and self.surface.faces else None


def _called(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that are called."""
    calls = (node.func for tree in nodes for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {one.id for one in calls if isinstance(one, ast.Name)}


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
