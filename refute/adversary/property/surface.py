"""What an implementation offers to its importers, read from its source: functions, classes, names, docstrings."""

import ast
import builtins
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from refute.adversary.property.dependence import Beside, wants_objects

_CODE = re.compile(r"`(?P<code>[^\W\d][\w.]*)(?:\([^`]*\))?`|(?<![\w.`])(?P<called>[^\W\d][\w.]*)\(")
"""Code that a claim names."""
_ARTICLE = re.compile(r"\s*(?:the (?:function|method|class) )?", re.IGNORECASE)
ELSEWHERE = "it names code that the implementation files do not define; add its file to `implementation_files`"
"""Why a claim about others is not tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a function."""

    name: str
    annotation: ast.expr | None
    default: ast.expr | None
    keyword_only: bool = False
    variadic: bool = False
    """`*args` or `**kwargs`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Function:
    """A public function of a module, or a public method of a public class."""

    module: str
    """Dotted import name."""
    node: ast.FunctionDef | ast.AsyncFunctionDef
    owner: str = ""
    """The class that holds a method; empty for a function."""
    does: Beside
    """Exceptions that it raises by name are its way to refuse inputs."""

    @property
    def name(self) -> str:
        """By itself."""
        return self.node.name

    @property
    def qualified(self) -> str:
        """`name` or `Class.name`: Python for what is called."""
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What people call it, the shortest first: with none of its module's name, with the end of it, or its start."""
        parts = self.module.split(".")
        paths = [*(parts[at:] for at in range(len(parts), -1, -1)), *(parts[:at] for at in range(1, len(parts)))]
        return tuple(dict.fromkeys(".".join([*path, self.qualified]) for path in paths))

    @property
    def whole(self) -> str:
        """By which it is told from all others: module and name."""
        return f"{self.module}.{self.qualified}"

    @property
    def form(self) -> str:
        """All of it as syntax, by which versions are compared."""
        return ast.dump(self.node)

    @property
    def is_async(self) -> bool:
        """Whether a call gives a coroutine."""
        return isinstance(self.node, ast.AsyncFunctionDef)

    @cached_property
    def _decorators(self) -> set[str]:
        return {ast.unparse(decorator) for decorator in self.node.decorator_list}

    @property
    def is_static(self) -> bool:
        """Whether it is a static or class method: called on the class itself."""
        return bool(self.owner) and bool(self._decorators & {"staticmethod", "classmethod"})

    @property
    def needs_instance(self) -> bool:
        """Whether it is called on an instance of its class."""
        return bool(self.owner) and not self.is_static

    @property
    def is_property(self) -> bool:
        """Whether it is read, not called."""
        return any(one.rpartition(".")[2] in {"property", "cached_property"} for one in self._decorators)

    def on_instance(self, spelled: str) -> str:
        """What stands in front of the arguments: a method's name behind an instance of its class."""
        return "(...).".join(spelled.rsplit(".", 1)) if self.needs_instance else spelled

    @cached_property
    def parameters(self) -> tuple["Parameter", ...]:
        """Without `self` and `cls`."""
        return parameters_of(self.node.args)[bool(self.owner) and "staticmethod" not in self._decorators :]

    @cached_property
    def docstring(self) -> str:
        """Empty where it has none."""
        return ast.get_docstring(self.node) or ""

    @cached_property
    def writes_output(self) -> bool:
        """Whether its body prints: an example may then show what is printed instead of what is returned."""
        called = (ast.unparse(one.func) for one in ast.walk(self.node) if isinstance(one, ast.Call))
        return not {"print", "sys.stdout.write", "click.echo"}.isdisjoint(called)

    @cached_property
    def answers(self) -> bool:
        """Whether it returns or yields a value at all."""
        gives = (one for one in ast.walk(self.node) if isinstance(one, ast.Return | ast.Yield | ast.YieldFrom))
        return any(not isinstance(one, ast.Return) or one.value is not None for one in gives)

    @cached_property
    def wants_objects(self) -> bool:
        """Whether it reads attributes of its arguments that no list, text or number has."""
        return wants_objects(self.node)


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
    exported: frozenset[str] = frozenset()
    """Those that it promises to importers (`__all__`), imported from wherever."""
    library: Mapping[str, str] = field(default_factory=dict)
    """Names that it has from the standard library alone → lines that import them."""
    bound: frozenset[str] = frozenset()
    """Names that it gives to anything at any depth: private, local, of parameters and attributes; imports are not."""
    functions: tuple[Function, ...] = ()
    """Public functions, then public methods, in source order."""
    classes: Mapping[str, tuple[Parameter, ...] | None] = field(default_factory=dict)
    """Public classes → what one is made with; None where its own body does not tell."""
    docstrings: tuple[Documented, ...] = ()
    opaque: bool = True
    """Its names cannot all be known without running it (star import, `__getattr__`, source that does not parse)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """All implementation modules of a ticket, in the ticket's order."""

    faces: tuple[Face, ...]

    def functions(self) -> tuple[Function, ...]:
        """Public functions of all modules, without methods."""
        return tuple(f for f in self.callables() if not f.owner)

    def callables(self) -> tuple[Function, ...]:
        """Public functions and public methods of all modules."""
        return tuple(f for face in self.faces for f in face.functions)

    def classes(self) -> tuple[str, ...]:
        """Public classes of all modules."""
        return tuple(sorted(name for face in self.faces for name in face.classes))

    def made_with(self, name: str, module: str) -> tuple[Parameter, ...] | None:
        """What a class is made with: that of the module, else the only one of that name; None where none is known."""
        faces = [face for face in self.faces if name in face.classes]
        known = [face for face in faces if face.module == module] or faces
        return known[0].classes[name] if len(known) == 1 else None

    def defined_names(self) -> frozenset[str]:
        """Every name that a module itself defines at its top level."""
        return frozenset[str]().union(*(face.defined for face in self.faces))

    def public_names(self) -> frozenset[str]:
        """Names with which an example may start: public definitions, and the modules and packages that hold them."""
        modules = {part for face in self.faces for part in face.module.split(".")}
        return frozenset({name for name in self.defined_names() if not name.startswith("_")} | modules)

    def named(self, name: str) -> Function | None:
        """The function or method called so, when exactly one is: by one of its names, else by the last part of them."""
        hits = [f for f in self.callables() if name in f.names] or [f for f in self.callables() if name == f.name]
        return hits[0] if len(hits) == 1 else None

    def spelled(self, function: Function) -> str:
        """How to write a function so that no other can be meant: `parse`; `csv.parse` where other modules have one."""
        hits = ((name, self.named(name)) for name in function.names)
        return next((name for name, hit in hits if hit and hit.whole == function.whole), function.whole)

    def home(self, *texts: str) -> str:
        """The module whose functions a text names and no other's, of the first such text; empty where none does."""
        found = ({f.module for f in self.named_in(text)} for text in texts)
        return next((modules.pop() for modules in found if len(modules) == 1), "")

    def named_in(self, text: str) -> tuple[Function, ...]:
        """The functions that a claim names in backticks or as a call; else by names with an underscore or a dot."""
        quoted = set(re.findall(r"`([^\W\d][\w.]*)(?:\(|`)|(?:(?<![\w.])|(?<=\)\.))([^\W\d][\w.]*)\(", text))
        plain = {word for word in _words(text) if "_" in word} | set(re.findall(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+", text))
        for names in ({name for pair in quoted for name in pair}, plain):
            hits = [f for f in self.callables() if names.intersection((f.name, *f.names))]
            if hits:
                return tuple(hits)
        return ()

    def subjects(self, text: str) -> tuple[Function, ...]:
        """The functions that a claim names; else the only public one, or those that a plain word may name."""
        if named := self.named_in(text):
            return named
        if self.speaks_of_others(text):
            return ()
        everything, words = self.functions(), _words(text)
        if len(everything) == 1 and not self.classes():
            return everything
        return tuple(f for f in everything if f.name in words and len(f.name) > 2)  # noqa: PLR2004  # `f` is a word too

    def speaks_of_others(self, text: str, *, anywhere: bool = False) -> bool:
        """Whether a claim begins with code that these modules do not hold: what it says is not of their functions.

        Args:
            text: of the claim.
            anywhere: whether code that it names later counts too.
        """
        article = _ARTICLE.match(text)
        first = _CODE.match(text, article.end() if article else 0)
        ours = {*dir(builtins)}.union(
            *(face.module.split(".") for face in self.faces), *(one.bound for one in self.faces)
        )
        named = _CODE.finditer(text) if anywhere else filter(None, [first])
        return any(ours.isdisjoint((hit["code"] or hit["called"]).split(".")) for hit in named)


def _words(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])([^\W\d]\w*)(?![\w(])", text))


def parameters_of(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """Those of a signature, `self` included."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    given = zip(positional, [*defaults, *arguments.defaults], strict=True)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    variadic = filter(None, (arguments.vararg, arguments.kwarg))
    return (
        *(Parameter(name=one.arg, annotation=one.annotation, default=default) for one, default in given),
        *(
            Parameter(name=one.arg, annotation=one.annotation, default=default, keyword_only=True)
            for one, default in named
        ),
        *(Parameter(name=one.arg, annotation=None, default=None, variadic=True) for one in variadic),
    )
