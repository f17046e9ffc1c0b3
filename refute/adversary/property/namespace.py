"""Where the names of an example come from: the implementation, then builtins, then some of the standard library."""

import ast
import builtins
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import dotted, free_names, parse_expression
from refute.adversary.property.surface import Face, Function, Surface
from refute.wording import first_names

_LIBRARY: Final = (
    "base64 binascii bisect builtins calendar collections colorsys datetime decimal difflib fractions functools "
    "hashlib heapq html itertools json keyword math operator pathlib posixpath re shlex statistics string textwrap "
    "unicodedata urllib.parse zlib"
)
LIBRARY: Final = frozenset(_LIBRARY.split())
"""Modules whose functions answer by their arguments alone."""
_EFFECTS: Final = "asyncio copy csv inspect io ipaddress os random sys tempfile threading time typing uuid zoneinfo"
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
AMBIGUOUS: Final = STANDARD_MODULES.intersection(STANDARD_NAMES)
"""Names of a module and of what it holds (`datetime`): their use tells which is meant."""

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


@dataclass(frozen=True, kw_only=True)
class Namespace:
    """The names that examples may use."""

    surface: Surface
    files: tuple[str, ...] = ()
    """Every file of the ticket, as POSIX paths relative to its workspace."""

    def holds_file(self, path: str) -> bool:
        """Whether a path, as an example writes it, leads to a file or directory of the ticket."""
        wanted = path.removeprefix("./").rstrip("/")
        return any(file == wanted or file.startswith(f"{wanted}/") for file in self.files)

    @cached_property
    def _modules(self) -> tuple[str, ...]:
        """The implementation's modules, then those beside them in their packages."""
        ours = [face.module for face in self.surface.faces]
        packages = {name.partition(".")[0] for name in ours}
        files = (file.removesuffix(".py") for file in self.files if file.endswith(".py"))
        paths = [file.removesuffix("/__init__").split("/") for file in files]
        beside = (".".join(path[path.index(top) :]) for path in paths for top in packages.intersection(path))
        return tuple(dict.fromkeys([*ours, *beside]))

    @cached_property
    def _file_names(self) -> frozenset[str]:
        """Of files, without their suffix, and of folders."""
        return frozenset(part.removesuffix(".py") for file in self.files for part in file.split("/"))

    def defines(self, name: str, *, home: str = "") -> bool:
        """Whether a (dotted) name is known."""
        try:
            self.resolve(filter(None, [parse_expression(name)]), home=home)
        except NotTested:
            return False
        return True

    def resolve(
        self, nodes: Iterable[ast.AST], *, home: str = "", bound: Iterable[str] = (), promised: str = ""
    ) -> Resolved:
        """Find every free name.

        Args:
            nodes: parsed code.
            home: the module that the code speaks of, or in which it stands; its names win, private ones too.
            bound: names that the caller binds (given variables, earlier statements).
            promised: a text; a name that occurs in it as a word and is called is imported from an implementation
                module though none defines it: the text promises it. Not beside names that one does define, as then
                it may be any other package's.

        Raises:
            NotTested: a name is nobody's, or may be of several modules, or nobody drives a coroutine.
        """
        nodes = list(nodes)
        if undriven := self._undriven(nodes):
            raise NotTested(f"calls `{undriven}`, which is async: write `asyncio.run({undriven}(…))`")
        if unbound := self._unbound(nodes):
            raise NotTested(f"calls `{unbound.qualified}` on its class: write `{unbound.owner}(…).{unbound.name}(…)`")
        found = {name: self._import_of(name, nodes, home=home) for name in sorted(free_names(nodes) - set(bound))}
        if not self._reached(found, nodes):
            missing = [name for name, line in found.items() if line is None]
            found |= {name: self._promised(name, nodes, promised) for name in missing}
        if missing := [name for name, line in found.items() if line is None]:
            names = ", ".join(f"`{name}`" for name in missing)
            advice = "write its module too (`math.pi`), or an example session that imports it"
            raise NotTested(f"uses {names}, which is neither the code's nor built in: {advice}")
        imports = sorted({line for lines in found.values() if lines for line in lines.splitlines()})
        return Resolved(imports=tuple(imports), reaches_implementation=self._reached(found, nodes))

    def _reached(self, found: Mapping[str, str | None], nodes: list[ast.AST]) -> bool:
        lines = (line for lines in found.values() for line in (lines or "").splitlines())
        return any(map(self._is_ours, (*(line.split()[1] for line in lines), *_imported(nodes))))

    def _is_ours(self, name: str) -> bool:
        """Whether a module is the implementation's, or a package that holds it."""
        return any(f"{face.module}.".startswith(f"{name}.") for face in self.surface.faces)

    def _undriven(self, nodes: list[ast.AST]) -> str:
        """How an async function is called without handing what it gives to another call; empty where none is."""
        calls = [node for tree in nodes for node in ast.walk(tree) if isinstance(node, ast.Call)]
        driven = {id(one) for call in calls if dotted(call.func) not in ONLY_SAFE_BUILTINS for one in call.args}
        theirs = (node for tree in nodes for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef))
        driven |= {id(one.value) for node in theirs for one in ast.walk(node) if isinstance(one, ast.Await)}
        for call in (one for one in calls if id(one) not in driven):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else dotted(call.func) or ""
            named = [one for one in self.surface.callables() if one.name == name]
            if named and all(one.is_async for one in named):
                return ast.unparse(call.func)
        return ""

    def _unbound(self, nodes: list[ast.AST]) -> Function | None:
        """A method that is called on its class, where nothing that is passed can be the instance."""
        methods = [one for one in self.surface.callables() if one.owner and not one.node.decorator_list]
        plain = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.JoinedStr
        calls = (node for tree in nodes for node in ast.walk(tree) if isinstance(node, ast.Call))
        alone = {dotted(call.func) for call in calls if not call.args or isinstance(call.args[0], plain)}
        return next((one for one in methods if not alone.isdisjoint(one.names)), None)

    def _import_of(self, name: str, nodes: list[ast.AST], *, home: str) -> str | None:
        """Import lines, empty for builtins, None where nothing defines the name."""
        modules = self._modules_called(name, nodes, home)
        if not modules and (lines := self._of_library(name, home)):
            return lines
        is_module = self._is_module(name, nodes) or self._is_standard(name, nodes)
        face = None if is_module else self._face_with(name, home=home)
        if face is not None:
            return f"from {face.module} import {name}"
        if modules or hasattr(builtins, name):
            return "\n".join(modules)
        if used := _standard(name, nodes):
            return f"import {used}"
        if name in STANDARD_NAMES:
            return f"from {STANDARD_NAMES[name]} import {name}"
        importing = [one.module for one in self.surface.faces if name in one.names and not name.startswith("_")]
        opaque = [one.module for one in self.surface.faces if one.opaque]
        if not importing and (name in _called(nodes) or name[:1].isupper()):
            importing = [home] if home in opaque else opaque if len(opaque) == 1 else []
        return f"from {importing[0]} import {name}" if importing else None

    def _of_library(self, name: str, home: str) -> str:
        """What imports a name as `home` does, from modules of Python's own; empty where a file may hide one of them.

        Through `home` the implementation would have a hand in what is expected of it.
        """
        if name in AMBIGUOUS:
            return ""
        lines = next((one.library.get(name, "") for one in self.surface.faces if one.module == home), "")
        modules = {line.split()[1] for line in lines.splitlines()}
        hidden = not self._file_names.isdisjoint(module.partition(".")[0] for module in modules)
        return lines if modules <= STANDARD_MODULES and not hidden else ""

    def _is_module(self, name: str, nodes: list[ast.AST]) -> bool:
        """Whether `slugify.slugify(…)` means the module `slugify`, not the function of that name in it."""
        read = _read_of(name, nodes)
        return any(read and read <= face.names and face.module.split(".")[-1] == name for face in self.surface.faces)

    def _is_standard(self, name: str, nodes: list[ast.AST]) -> bool:
        """Whether `calendar.isleap(…)` means Python's module, though an implementation has a function of its name."""
        theirs = {one.name for one in self.surface.callables() if one.owner == name}
        defined = any(name in face.defined for face in self.surface.faces)
        return defined and theirs.isdisjoint(_read_of(name, nodes)) and _standard(name, nodes) == name

    def _face_with(self, name: str, *, home: str) -> Face | None:
        faces = self.surface.faces
        known = {one.module: one.defined if name in AMBIGUOUS else one.names for one in faces}
        at_home = [one for one in faces if one.module == home and name in known[home]]
        defining = [one for one in faces if name in one.defined and not name.startswith("_")]
        above = [face for face in faces if name in face.names and face.module in map(_package_of, defining)]
        exporting = [one for one in faces if name in one.exported][:1]
        found = at_home or (above if len(above) == 1 < len(defining) else defining) or exporting
        if len(found) > 1 and not at_home:
            modules = first_names(f"`{face.module}`" for face in found)
            written = f"{found[0].module.rpartition('.')[2]}.{name}"
            raise NotTested(f"uses `{name}`, which {modules} define: write which is meant (`{written}`)")
        return next(iter(found), None)

    def _modules_called(self, name: str, nodes: list[ast.AST], home: str) -> list[str]:
        """What imports `name` as a module of the implementation or beside it, or as a package that holds one.

        People write a module's whole name, or the end of it: `pkg.uk.csv.rows`, `uk.csv.rows`, `csv.rows`.
        """
        lines = set[str]()
        for chain in (one for one in _chains(nodes) if one.partition(".")[0] == name):
            parts = chain.split(".")
            paths = (".".join(parts[:at]) for at in range(len(parts), 0, -1))
            meant = ((path, module) for path in paths if (module := self._meant(path, chain, home)))
            path, module = next(meant, ("", ""))
            lines.add(f"import {module}")
            if path != module:
                lines.add(f"from {module.removesuffix(path)[:-1]} import {name}")
        return sorted(lines - {"import "}, reverse=True)

    def _meant(self, path: str, chain: str, home: str) -> str:
        """The module that the start of a chain names; empty where none does, or Python's own is meant."""
        if path in self._modules:
            return path
        if path == chain or hasattr(builtins, path) or _standard(path, filter(None, [parse_expression(chain)])):
            return ""
        ending = [one for one in self._modules if one.endswith(f".{path}")]
        ours = [face.module for face in self.surface.faces if face.module in ending]
        return next((one for one in ([home] if home in ending else [], ours, ending) if len(one) == 1), [""])[0]

    def _promised(self, name: str, nodes: list[ast.AST], promised: str) -> str | None:
        if any(one.opaque for one in self.surface.faces) or name not in _called(nodes):
            return None
        said = re.search(rf"(?<!\w){name}(?!\w)", promised)
        return f"from {self.surface.faces[0].module} import {name}" if said and self.surface.faces else None


def _package_of(face: Face) -> str:
    return face.module.rpartition(".")[0]


def _chains(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name and every attribute of one, dotted."""
    parts = (part for tree in nodes for part in ast.walk(tree) if isinstance(part, ast.Attribute | ast.Name))
    whole = {chain for part in parts if (chain := dotted(part))}
    return {one for one in whole if not any(other.startswith(f"{one}.") for other in whole)}


def _read_of(name: str, nodes: Iterable[ast.AST]) -> set[str]:
    """Attributes that are read of a name."""
    return {chain.split(".")[1] for chain in _chains(nodes) if chain.startswith(f"{name}.")}


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


def _standard(name: str, nodes: Iterable[ast.AST]) -> str:
    """The standard module that begins with a name and is used as one; empty where none is."""
    nodes = list(nodes)
    return next((m for m in STANDARD_MODULES if m.partition(".")[0] == name and _used_as_module(m, nodes)), "")


def _used_as_module(name: str, nodes: list[ast.AST]) -> bool:
    """`datetime.timedelta` reads the module, `datetime(2020, 1, 1)` and `datetime.now()` the class."""
    attributes = (n for tree in nodes for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    used = [one.attr for one in attributes if dotted(one.value) == name]
    return bool(used) and hasattr(importlib.import_module(name), used[0])
