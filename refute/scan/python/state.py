"""The state of the Python walk, what names stand for in it, and one call with its arguments."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
import builtins
import re
import shlex
from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import getitem, setitem
from typing import Any, Final

from refute.scan.core.effects import Effects, Engine, Eval
from refute.scan.core.judge import Judge
from refute.scan.core.report import Report, Spot
from refute.scan.core.symbols import DERIVED, DOWNLOAD, HERE, UNKNOWN, is_open, show
from refute.scan.core.tables import Command
from refute.scan.python import members
from refute.scan.python.folding import attempt
from refute.scan.python.members import NAMED, POWERFUL, canonical, member
from refute.scan.python.values import SHARED, UNK, Env, Function, Members, Ref, as_text, choose
from refute.scan.rules import Language

RUNS_COMMANDS: Final = frozenset(
    "os.system os.popen subprocess.getoutput subprocess.getstatusoutput builtins.exec builtins.eval".split()
)
_BUILTINS: Final = frozenset(dir(builtins))
_CLIMBING: Final = frozenset({"__subclasses__", "__globals__", "f_globals"})
_LADDER: Final = frozenset("__base__ __bases__ __mro__ mro __init__".split())
_SHORT: Final = 8
"""Letters of a text from which picking one by an unknown index hides nothing."""
_JUDGING: Final = re.compile(
    r"""(?x)_pytest\.|unittest\.(?:case|TestCase|result|mock)|pluggy\.|sys\.modules\.(?:_?pytest|unittest|pluggy)
    |pytest\.(?:[A-Z]\w*[a-z]|_|approx|console|deprecated|exit|fail|fixture|hook|importor|main|mark|param|raises
    |register|set_trace|skip|warns|xfail|yield)"""
)
"""What decides about tests; a name that pytest does not have is how tests hand values to one another."""
_OUTCOMES: Final = frozenset({"outcome", "wasxfail", "exitstatus", "testsfailed"})


@dataclass(slots=True, eq=False, repr=False)
class Walk(ABC):
    """One walk over one tree, in the order in which it would run."""

    engine: Engine
    spot: Callable[[ast.AST], Spot]
    """Says where a node stands in the scanned file."""
    depth: int = 0
    env: Env = field(default_factory=ChainMap)
    cwd: str = HERE
    variables: dict[str, str] = field(default_factory=dict)
    """What the text itself puts into the environment."""
    rounds: int = 0
    """Elements for which comprehensions were worked out one by one."""
    branching: int = 0
    endless: int = 0
    """How many `while True` loops surround this point."""
    stack: tuple[ast.AST, ...] = ()
    called: set[ast.AST] = field(default_factory=set)
    entries: dict[ast.AST, dict[Any, Any]] = field(default_factory=dict)
    """Function → arguments it was walked with → what it returned."""
    functions: list[Function] = field(default_factory=list)
    stars: list[str] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)
    """What the module did so far, where only the combination is dangerous."""

    @property
    def report(self) -> Report:
        """Where findings go."""
        return self.engine.report

    @property
    def own_path(self) -> str:
        """Where the walked file lies."""
        return f"{HERE}/{self.report.path}"

    @abstractmethod
    def body(self, statements: list[ast.stmt]) -> list[Any]:
        """Walk statements; returns the values that they may return."""

    @abstractmethod
    def value(self, node: ast.expr) -> Any:
        """Walk an expression and say what it yields."""

    @abstractmethod
    def call(self, target: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        """Call a value."""

    def row_of(self, value: Any) -> Command | None:
        """The row about what a value names; `requests.*` stands for every member that no other row names."""
        calls, name = self.report.knowledge.calls, value.name if isinstance(value, Ref) else ""
        return calls.get(name) or calls.get(f"{name.rpartition('.')[0]}.*")

    def is_telling(self, value: Any) -> bool:
        """Whether calling a value is judged by some row, or yields something known."""
        return isinstance(value, Ref) and (value.name in NAMED or self.row_of(value) is not None)

    def lookup(self, name: str) -> Any:
        """What a name stands for."""
        for held in self.env.maps:
            if (value := held.get(name, SHARED)) is not SHARED:
                return value
        for module in self.stars:
            if self.is_telling(Ref(f"{module}.{name}")):
                return Ref(f"{module}.{name}")
        return Ref(f"builtins.{name}") if name in _BUILTINS else UNK

    def bring(self, node: ast.Import | ast.ImportFrom) -> None:
        """Bind what an import statement brings, and note the modules beside the file that it runs."""
        module = node.module or "" if isinstance(node, ast.ImportFrom) else None
        self.report.reached.extend((alias.name if module is None else module, "import") for alias in node.names)
        for alias in node.names:
            if module is None:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                self.env[alias.asname or whole] = Ref(canonical(whole))
            elif alias.name == "*":
                self.stars.append(canonical(module))
            else:
                known = UNK if getattr(node, "level", 0) else member(f"{module}.{alias.name}")
                self.env[alias.asname or alias.name] = known

    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        """`owner.name`, judged where it climbs out of what it belongs to."""
        if name in _CLIMBING:
            steps = {getattr(part, "attr", "") for part in ast.walk(node)}
            # Frames and globals are ordinary in tools that inspect code; from a literal upwards only an escape goes.
            literal = owner == Ref("builtins.object") or not any(isinstance(part, ast.Name) for part in ast.walk(node))
            mild = not literal and steps.isdisjoint(_LADDER)
            self.report.add("introspection-escape", self.spot(node), f"….{name}", mild=mild)
        return members.attribute(owner, name)

    def item(self, owner: Any, index: Any, node: ast.AST) -> Any:
        """`owner[index]`."""
        match owner:
            case Ref(name):
                return self._item_of_reference(name, index, node)
            case dict() if not isinstance(index, str | int | bytes):
                return choose(list(owner.values()))
            case str() if owner == DERIVED:
                return DERIVED
            case dict() | list() | tuple() | str() | bytes():
                found = attempt(getitem, owner, index)
                # Where a part is not known, its length is neither; what picks letters spells something out.
                if not isinstance(owner, str):
                    return found
                picks = found is UNK and not isinstance(index, str) and len(owner) > _SHORT
                return (UNK if found == "" else found) if is_open(owner) else DERIVED if picks else found
        return UNK

    def _item_of_reference(self, name: str, index: Any, node: ast.AST) -> Any:
        base = name.removesuffix(".__dict__")
        known = isinstance(index, str) and not is_open(index)
        match base:
            case "os.environ":
                return members.environment_value(index)
            case "sys.argv":
                return UNK if isinstance(index, slice) else self.own_path if index == 0 else UNKNOWN
            case "sys.modules":
                return Ref(canonical(index)) if known else Ref("?import")
            case "globals()":
                return self.lookup(index) if known else UNK
            case _ if base == name and base != "builtins":
                return UNK
        if not known and base in POWERFUL:
            self.report.add("dynamic-code", self.spot(node), f"{name}[…]", mild=not isinstance(index, str))
        return member(f"{base}.{index}") if known else Ref("?import")

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a target a value."""
        match target:
            case ast.Name(id=name):
                names = next((held for held in self.env.maps if held.get(name) is not SHARED), self.env.maps[-1])
                old = names.get(name) if self.branching else None
                names[name] = value if old is None else choose([old, value])
                if name == "pytest_plugins":
                    modules = value if isinstance(value, list | tuple) else [value]
                    paths = [f"{one.replace('.', '/')}.py" for one in modules if isinstance(one, str)]
                    self.report.reached.extend((path, Language.PYTHON) for path in paths)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                whole = isinstance(value, list | tuple) and len(value) == len(parts)
                for index, part in enumerate(parts):
                    self.bind(part.value if isinstance(part, ast.Starred) else part, value[index] if whole else UNK)
            case ast.Attribute():
                self.assign(self.value(target.value), target.attr, value, target)
            case ast.Subscript():
                owner, index = self.value(target.value), self.value(target.slice)
                if isinstance(owner, dict | list) and isinstance(index, str | int | bytes):
                    attempt(setitem, owner, index, value)
                elif isinstance(owner, Ref) and isinstance(index, str):
                    self.assign(owner, index, value, target)

    def assign(self, owner: Any, name: str, value: Any, node: ast.AST) -> None:
        """`owner.name = value`, or `owner[name] = value` of a module's table."""
        if isinstance(owner, Members):
            owner[name] = value
            return
        where = f"{owner.name.removesuffix('.__dict__')}.{name}" if isinstance(owner, Ref) else ""
        if owner == Ref("os.environ") and isinstance(value, str):
            self.variables[name] = value
            self.engine.perform(_exported(name, value), Call(self, where, [value], {}, node))
        if where and isinstance(value, Ref) and value.name in RUNS_COMMANDS:
            self.report.add("dynamic-code", self.spot(node), f"{where} = {value.name}")
        hooked = name in _OUTCOMES and any(getattr(one, "name", "").startswith("pytest_") for one in self.stack)
        if hooked or ("()" not in where and _JUDGING.match(where)):
            self.report.add("test-tampering", self.spot(node), f"{where or f'….{name}'} = …")


@dataclass(slots=True)
class Call:
    """One call with its arguments worked out; what a method of a path or file belongs to is the first of them.

    The engine acts on its effects.
    """

    walker: Walk
    name: str
    """Dotted name of what is called, as far as it is known; `Path.`, `File.` for methods of paths and open files."""
    arguments: list[Any]
    keywords: dict[str, Any]
    node: ast.AST

    @property
    def judge(self) -> Judge:
        """Judges effects of this call; what comes from outside, and not by a parameter, counts in full."""
        walker = self.walker
        soft = not any(UNKNOWN in value for value in self.values if isinstance(value, str))
        return Judge(walker.report, walker.spot(self.node), self.shown(), walker.cwd, soft=soft)

    @property
    def last(self) -> str:
        """The name behind the last dot."""
        return self.name.rpartition(".")[2]

    @property
    def values(self) -> list[Any]:
        """All that it is given."""
        return [*self.arguments, *self.keywords.values()]

    def shown(self) -> str:
        """The call for a person."""
        method = self.name.startswith(("Path.", "File."))
        parts = [as_text(one) if isinstance(one, str | bytes | int) else "…" for one in self.arguments[method:]]
        name = f"….{self.last}" if method else self.name.removeprefix("builtins.")
        return f"{name}({', '.join(repr(show(part)) for part in parts)})"

    def argument(self, position: int, *keywords: str) -> Any:
        """An argument by keyword or position, UNK where it is missing."""
        named = next((self.keywords[name] for name in keywords if name in self.keywords), UNK)
        return self.arguments[position] if named is UNK and position < len(self.arguments) else named

    def text(self, position: int, *keywords: str) -> str:
        """An argument as text."""
        return as_text(self.argument(position, *keywords))


def _exported(name: str, value: str) -> Effects:
    """A variable of the environment, which means the same as in a shell."""
    if name.isidentifier() and DERIVED not in value and DOWNLOAD not in value:
        yield Eval(Language.SHELL, f"export {name}={shlex.quote(value)}")
