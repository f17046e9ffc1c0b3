"""What names stand for: imports, look-ups and assignments, some of which tamper with what judges the code."""

# ruff: noqa: SIM905 - long tables of names read best as words
# ruff: noqa: PLR0911 - decision lists read best with one return per case

import ast
import builtins
from dataclasses import dataclass
from operator import setitem
from typing import Any, Final

from refute.scan.core import hosts
from refute.scan.core.effects import Effect, Flag, Preload
from refute.scan.core.judge import Judge
from refute.scan.core.symbols import DERIVED, HERE, NAME, UNKNOWN, is_open, show
from refute.scan.python import members
from refute.scan.python.folding import attempt
from refute.scan.python.handlers.programs import PRELOADS
from refute.scan.python.members import POWERFUL, canonical, member
from refute.scan.python.state import Walk, is_telling
from refute.scan.python.values import UNK, Bound, Class, Instance, Ref, as_text, choose
from refute.scan.rules import Language

_BUILTINS: Final = frozenset(dir(builtins)) | {"__builtins__", "__loader__", "__import__"}
_CLIMBING: Final = frozenset("__subclasses__ __globals__ func_globals f_globals gi_frame cr_frame".split())
_LADDER: Final = frozenset({"__base__", "__bases__", "__mro__", "mro", "__init__"})
_SCOPES: Final = frozenset({"__globals__", "f_globals", "__builtins__", "f_builtins"})
_SHORT: Final = 8
"""Letters of a text from which picking one by an unknown index hides nothing."""
_RUNS_COMMANDS: Final = frozenset({"os.system", "os.popen", "subprocess.getoutput", "builtins.exec", "builtins.eval"})
_JUDGES: Final = ("pytest", "_pytest", "unittest", "pluggy")
_JUDGING: Final = tuple(
    "pytest. _pytest. unittest.case. unittest.TestCase. unittest.result. unittest.mock. pluggy.".split()
)
_JUDGING_BUILTINS: Final = frozenset(
    """print open eval exec len sum isinstance AssertionError __import__ compile sorted all any abs range
    int str""".split()
)
_OUTCOMES: Final = frozenset({"outcome", "wasxfail", "exitstatus", "testsfailed"})


@dataclass(slots=True, eq=False, repr=False)
class Names(Walk):
    """The part of the walk that knows what names, attributes and items stand for."""

    def lookup(self, name: str) -> Any:
        """What a name stands for."""
        value = self.env.find(name)
        if value is not None or name in self.env.names:
            return value
        if name in {"__file__", "__name__"}:
            return f"{HERE}/{self.report.path}" if name == "__file__" else NAME
        for module in self.stars:
            if is_telling(Ref(f"{module}.{name}"), self.report.knowledge):
                return Ref(f"{module}.{name}")
        if name in {"__builtins__", "builtins"}:
            return Ref("builtins")
        return Ref(f"builtins.{name}") if name in _BUILTINS else UNK

    def bring(self, node: ast.Import | ast.ImportFrom) -> None:
        """Bind what an import statement brings, and note the modules beside the file that it runs."""
        names = self.env.names
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.report.reached.append((alias.name, "import"))
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                names[alias.asname or whole] = Ref(canonical(whole))
            return
        module = canonical(node.module or "")
        self.report.reached.append((node.module or "", "import"))
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(module)
            else:
                names[alias.asname or alias.name] = UNK if node.level else member(f"{module}.{alias.name}")

    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        """`owner.name`, judged where it climbs out of what it belongs to."""
        if name in _CLIMBING:
            self._judge_climb(name, node)
        return members.attribute(owner, name)

    def _judge_climb(self, name: str, node: ast.AST) -> None:
        chain: set[str] = set()
        current: ast.AST = node
        while isinstance(current, ast.Attribute | ast.Subscript | ast.Call):
            if isinstance(current, ast.Attribute):
                chain.add(current.attr)
            current = current.func if isinstance(current, ast.Call) else current.value
        # Frames and globals are ordinary in tools that inspect code; from a literal upwards only an escape goes.
        literal = not isinstance(current, ast.Name) or current.id == "object"
        blocks = name not in {"gi_frame", "cr_frame"} and (literal or bool(chain & _LADDER))
        if blocks or name != "func_globals":
            self.report.add("introspection-escape", self.spot(node), f"….{name}", mild=not blocks)

    def item(self, owner: Any, index: Any, node: ast.AST) -> Any:
        """`owner[index]`."""
        if isinstance(owner, Ref):
            return self._item_of_reference(owner, index, node)
        if isinstance(owner, dict):
            known = isinstance(index, str | int | bytes)
            return owner.get(index, UNK) if known else choose(list(owner.values()))
        if owner == DERIVED:
            return DERIVED
        if isinstance(owner, list | tuple | str | bytes):
            try:
                found = owner[index]
                # Where a part is not known, its length is neither.
                return UNK if found == "" and is_open(as_text(owner)) else found
            except Exception:  # noqa: BLE001 - a wrong index or one that is not known
                picks = isinstance(owner, str) and not isinstance(index, str) and len(owner) > _SHORT
                return DERIVED if picks and not is_open(as_text(owner)) else UNK
        if isinstance(owner, Bound) and owner.name in _SCOPES:
            name = index if isinstance(index, str) else ""
            telling = name in POWERFUL | {"eval", "exec", "open"} or name.startswith("__")
            self.report.add("introspection-escape", self.spot(node), f"….{owner.name}[…]", mild=not telling)
            return Ref(canonical(name)) if name else UNK
        return UNK

    def _item_of_reference(self, owner: Ref, index: Any, node: ast.AST) -> Any:
        base = owner.name.removesuffix(".__dict__")
        known = isinstance(index, str)
        match base:
            case "os.environ":
                return members.environment_value(index)
            case "sys.argv":
                return UNK if isinstance(index, slice) else UNKNOWN
            case "sys.modules":
                return Ref(canonical(index)) if known else Ref("?import")
            case "globals()":
                return self.lookup(index) if known else UNK
            case _ if base == owner.name and base != "builtins":
                return UNK
        if known and not is_open(index):
            return member(f"{base}.{index}")
        if base in POWERFUL:
            self.report.add("dynamic-name", self.spot(node), f"{owner.name}[…]")
        return Ref("?import")

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a target a value."""
        match target:
            case ast.Name(id=name):
                names = self.env.owner(name).names
                old = names.get(name) if self.branching else None
                names[name] = value if old is None else choose([old, value])
                if name == "pytest_plugins":
                    modules = value if isinstance(value, list | tuple) else [value]
                    paths = [f"{one.replace('.', '/')}.py" for one in modules if isinstance(one, str)]
                    self.report.reached.extend((path, Language.PYTHON) for path in paths)
            case ast.Tuple() | ast.List():
                whole = isinstance(value, list | tuple) and len(value) == len(target.elts)
                for index, part in enumerate(target.elts):
                    inner = part.value if isinstance(part, ast.Starred) else part
                    self.bind(inner, value[index] if whole else UNK)
            case ast.Attribute():
                self.assign(self.value(target.value), target.attr, value, target)
            case ast.Subscript():
                self._assign_item(self.value(target.value), self.value(target.slice), value, target)

    def assign(self, owner: Any, name: str, value: Any, node: ast.AST) -> None:
        """`owner.name = value`."""
        if isinstance(owner, Instance | Class):
            (owner.of if isinstance(owner, Instance) else owner).attributes[name] = value
            return
        where = f"{owner.name}.{name}" if isinstance(owner, Ref) else ""
        if where and isinstance(value, Ref) and value.name in _RUNS_COMMANDS:
            self.report.add("dynamic-name", self.spot(node), f"{where} = {value.name}")
        hooked = name in _OUTCOMES and any(getattr(one, "name", "").startswith("pytest_") for one in self.stack)
        replaced = where.startswith("builtins.") and name in _JUDGING_BUILTINS
        if hooked or replaced or ("()" not in where and where.startswith(_JUDGING)):
            self.report.add("test-tampering", self.spot(node), f"{where or f'….{name}'} = …", mild=replaced)

    def _assign_item(self, owner: Any, index: Any, value: Any, node: ast.expr) -> None:
        """`owner[index] = value`."""
        if isinstance(owner, dict | list):
            if isinstance(index, str | int | bytes):
                attempt(setitem, owner, index, value)
        elif owner == Ref("sys.modules") and str(index).partition(".")[0] in _JUDGES:
            self._judge(Flag("test-tampering"), f"sys.modules[{index!r}] = …", node)
        elif owner == Ref("os.environ") and isinstance(index, str):
            shown = f"os.environ[{index!r}] = {show(as_text(value))!r}"
            if index in PRELOADS:
                self._judge(Preload(as_text(value)), shown, node)
            elif isinstance(value, str):
                self.variables[index] = value
                if hosts.sends_through(index, value):
                    detail = "All later requests go through that host."
                    self._judge(Flag("network-external", detail=detail), shown, node)

    def _judge(self, effect: Effect, shown: str, node: ast.AST) -> None:
        Judge(self.report, self.spot(node), shown, self.cwd).effect(effect)
