"""What an implementation offers to its importers: functions, classes, names, docstrings."""

import ast
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a function."""

    name: str
    annotation: ast.expr | None
    default: ast.expr | None
    keyword_only: bool = False
    variadic: bool = False
    """`*args` or `**kwargs`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A public function of a module, or a public method of a public class."""

    module: str
    """Dotted import name."""
    name: str
    owner: str = ""
    """The class that holds a method; empty for a function."""
    parameters: tuple[Parameter, ...]
    """Without `self` and `cls`."""
    docstring: str
    form: str
    """All of it as syntax, by which versions are compared."""
    is_async: bool
    is_static: bool = False
    """A static or class method: called on the class itself."""
    writes_output: bool = False
    """Whether its body prints: an example may then show what is printed instead of what is returned."""
    answers: bool = True
    """Whether it returns or yields a value at all."""
    wants_objects: bool = False
    """Whether it reads attributes of its arguments that no list, text or number has."""
    refuses_with: tuple[str, ...] = ()
    """Exceptions that its body raises by name: its way to refuse inputs."""
    depends_on: frozenset[str] = frozenset()
    """What its answer hangs on besides its arguments: `files`, the `moment`."""

    @property
    def qualified(self) -> str:
        """`name` or `Class.name`: Python for what is called."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Documented:
    """A docstring and where it stands."""

    module: str
    subject: str
    """`""` for the module itself, else `function`, `Class` or `Class.method`."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """One module as its importers see it."""

    module: str
    names: frozenset[str] = frozenset()
    """Every name bound at the top level, private and imported ones too."""
    defined: frozenset[str] = frozenset()
    """Those that the module itself defines (not imports)."""
    functions: tuple[Function, ...] = ()
    """Public functions, then public methods, in source order."""
    classes: frozenset[str] = frozenset()
    docstrings: tuple[Documented, ...] = ()
    opaque: bool = True
    """Its names cannot all be known without running it (star import, `__getattr__`, source that does not parse)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """All implementation modules of a ticket, in the ticket's order."""

    faces: tuple[Face, ...]

    def functions(self) -> tuple[Function, ...]:
        """Public functions of all modules, without methods."""
        return tuple(f for face in self.faces for f in face.functions if not f.owner)

    def callables(self) -> tuple[Function, ...]:
        """Public functions and public methods of all modules."""
        return tuple(f for face in self.faces for f in face.functions)

    def classes(self) -> tuple[str, ...]:
        """Public classes of all modules."""
        return tuple(sorted(name for face in self.faces for name in face.classes))

    def defined_names(self) -> frozenset[str]:
        """Every name that a module itself defines at its top level."""
        return frozenset[str]().union(*(face.defined for face in self.faces))

    def public_names(self) -> frozenset[str]:
        """Names with which an example may start: public definitions and the packages that hold them."""
        packages = {face.module.partition(".")[0] for face in self.faces}
        return frozenset({name for name in self.defined_names() if not name.startswith("_")} | packages)

    def named(self, name: str) -> Function | None:
        """The function or method called so, when exactly one is: by its whole name, else by the last part of it."""
        whole = [f for f in self.callables() if name in {f.qualified, f"{f.module}.{f.qualified}"}]
        hits = whole or [f for f in self.callables() if name == f.name]
        return hits[0] if len(hits) == 1 else None

    def subjects(self, text: str) -> tuple[Function, ...]:
        """The functions that a claim names, in backticks, as a call or a plain identifier; else the only public one."""
        quoted = set(re.findall(r"`([^\W\d][\w.]*)(?:\(|`)|(?<![\w.])([^\W\d][\w.]*)\(", text))
        words = set(re.findall(r"(?<![\w.])([^\W\d]\w*)(?![\w(])", text))
        for names in ({name for pair in quoted for name in pair}, {word for word in words if "_" in word}):
            hits = [f for f in self.callables() if {f.name, f.qualified, f"{f.module}.{f.qualified}"} & names]
            if hits:
                return tuple(hits)
        everything = self.functions()
        if len(everything) == 1 and not self.classes():
            return everything
        return tuple(f for f in everything if f.name in words and len(f.name) > 2)  # noqa: PLR2004  # `f` is a word too
