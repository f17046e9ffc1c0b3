"""What an expression of a generated test names, imports and aliases followed: `m.patch` → `unittest.mock.patch`."""

import ast
from collections.abc import Iterable, Iterator

from refute.adversary.references import bound_in
from refute.python_syntax import FUNCTION
from refute.ticket.mocks import imported_names

ROUNDS = 5
"""Times that assignments are gone through for aliases of aliases."""
LOADERS = frozenset({"importlib.import_module", "__import__", "importlib.__import__", "pytest.importorskip"})


class Resolution:
    """Resolves the names that a module, or one statement of it, sees.

    Args:
        scope: the parsed file, or a statement of it.
        around: resolves the file's names, for a statement.
    """

    def __init__(self, scope: ast.AST, around: "Resolution | None" = None) -> None:
        self._around = around
        self._hidden = bound_in(scope) - _parameters(scope) if isinstance(scope, FUNCTION) else set()
        self._names: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self.star_imports: list[str] = around.star_imports if around else []
        """Modules of which every name was imported."""
        assigned: list[tuple[str, ast.expr]] = []
        for node in _of_module(scope) if around is None else ast.walk(scope):
            if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0):
                self._names |= imported_names(node)
                self.star_imports += [getattr(node, "module", "") for one in node.names if one.name == "*"]
            assigned.extend(_assignments(node))
        for _ in range(ROUNDS):
            for name, value in assigned:
                if name not in self._names and (dotted := self.dotted(value)):
                    self._names[name] = dotted
                if (text := self.text(value)) is not None:
                    self._texts[name] = text

    def within(self, statement: ast.AST) -> "Resolution":
        """As a statement of the module sees names: what a function binds itself hides the module's."""
        return Resolution(statement, self._around or self)

    def named(self, name: str) -> str:
        """What a name was imported as, or made of; empty where that is not known."""
        around = self._around.named(name) if self._around and name not in self._hidden else ""
        return around or self._names.get(name, "")

    def dotted(self, node: ast.AST) -> str:
        """The dotted name of what an expression denotes; empty where it does not come from an import or a builtin."""
        match node:
            case ast.Name(id=name):
                return self.named(name) or (name if name in _BUILTINS else "")
            case ast.Attribute(value=value, attr=attribute):
                base = self.dotted(value)
                return f"{base}.{attribute}" if base else ""
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.dotted(value)
            case ast.Subscript(value=value, slice=key):
                return self._subscript(value, key)
            case ast.Call():
                return self._call(node)
        return ""

    def text(self, node: ast.AST) -> str | None:
        """The text that an expression is written out as, here or where its name was assigned; else it is computed."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                around = self._around.text(node) if self._around and name not in self._hidden else None
                return self._texts.get(name) if around is None else around
        return None

    def is_imported(self, node: ast.AST) -> bool:
        """Whether an expression is, or belongs to, something that was imported (and not made by calling it)."""
        dotted = self.dotted(node)
        return bool(dotted) and "()" not in dotted and dotted.partition(".")[0] not in _BUILTINS

    def _call(self, node: ast.Call) -> str:
        callee = self.dotted(node.func)
        if callee in LOADERS and node.args:
            return self.text(node.args[0]) or ""
        if callee == "getattr" and len(node.args) >= 2:  # noqa: PLR2004  # object and name
            base, name = self.dotted(node.args[0]), self.text(node.args[1])
            return f"{base}.{name}" if base and name else ""
        if callee == "vars" and node.args:
            return self.dotted(node.args[0])
        return f"{callee}()" if callee else ""

    def _subscript(self, value: ast.expr, key: ast.expr) -> str:
        """`sys.modules["x"]`, `vars(x)["y"]`, `x.__dict__["y"]`."""
        base, name = self.dotted(value), self.text(key)
        if not base or name is None:
            return ""
        if base == "sys.modules":
            return name
        return f"{base.removesuffix('.__dict__')}.{name}"


_BUILTINS = frozenset(
    {"__import__", "getattr", "setattr", "delattr", "vars", "open", "eval", "exec", "compile", "object", "type"}
)


def _of_module(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that bind names of the module: outside functions, and in those that declare some of theirs global."""
    yield from _outside(tree)
    for node in ast.walk(tree):
        if isinstance(node, FUNCTION) and any(isinstance(part, ast.Global) for part in ast.walk(node)):
            yield from ast.walk(node)


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, without what is inside functions and classes."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, FUNCTION | ast.ClassDef):
            yield from _outside(child)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """They hide nothing: their defaults may be the module's."""
    return {part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)}


def _assignments(node: ast.AST) -> Iterable[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
        case (
            ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            | ast.NamedExpr(target=ast.Name(id=name), value=value)
        ):
            yield name, value
