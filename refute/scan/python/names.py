"""What names stand for: imports, look-ups and assignments, some of which tamper with what judges the code."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
import builtins
import shlex
from dataclasses import dataclass
from operator import getitem, setitem
from typing import Any, Final

from refute.scan.core.effects import Effects, Eval
from refute.scan.core.symbols import DERIVED, DOWNLOAD, UNKNOWN, is_open
from refute.scan.python import members
from refute.scan.python.folding import attempt
from refute.scan.python.members import POWERFUL, canonical, member
from refute.scan.python.state import Call, Walk
from refute.scan.python.values import SHARED, UNK, Members, Ref, choose
from refute.scan.rules import Language

RUNS_COMMANDS: Final = frozenset(
    "os.system os.popen subprocess.getoutput subprocess.getstatusoutput builtins.exec builtins.eval".split()
)
_BUILTINS: Final = frozenset(dir(builtins))
_CLIMBING: Final = frozenset({"__subclasses__", "__globals__", "f_globals"})
_LADDER: Final = frozenset("__base__ __bases__ __mro__ mro __init__ object".split())
_SHORT: Final = 8
"""Letters of a text from which picking one by an unknown index hides nothing."""
_JUDGING: Final = tuple(
    """pytest. _pytest. unittest.case. unittest.TestCase. unittest.result. unittest.mock. pluggy. sys.modules.pytest
    sys.modules._pytest sys.modules.unittest sys.modules.pluggy""".split()
)
_OUTCOMES: Final = frozenset({"outcome", "wasxfail", "exitstatus", "testsfailed"})


@dataclass(slots=True, eq=False, repr=False)
class Names(Walk):
    """The part of the walk that knows what names, attributes and items stand for."""

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
            steps = {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node)}
            # Frames and globals are ordinary in tools that inspect code; from a literal upwards only an escape goes.
            literal = not any(isinstance(part, ast.Name) for part in ast.walk(node))
            self.report.add(
                "introspection-escape", self.spot(node), f"….{name}", mild=not literal and steps.isdisjoint(_LADDER)
            )
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
                return UNK if isinstance(index, slice) else UNKNOWN
            case "sys.modules":
                return Ref(canonical(index)) if known else Ref("?import")
            case "globals()":
                return self.lookup(index) if known else UNK
            case _ if base == name and base != "builtins":
                return UNK
        if not known and base in POWERFUL:
            self.report.add("dynamic-code", self.spot(node), f"{name}[…]")
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
        if hooked or ("()" not in where and where.startswith(_JUDGING)):
            self.report.add("test-tampering", self.spot(node), f"{where or f'….{name}'} = …")


def _exported(name: str, value: str) -> Effects:
    """A variable of the environment, which means the same as in a shell."""
    if name.isidentifier() and DERIVED not in value and DOWNLOAD not in value:
        yield Eval(Language.SHELL, f"export {name}={shlex.quote(value)}")
