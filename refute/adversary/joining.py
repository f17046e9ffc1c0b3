"""Several generated pieces in one test file, so that none gets in another's way.

Every answer of a model, and every tester, brings imports, constants and functions of its own. In one file a later
`def check()` would replace an earlier one, a late `from __future__` would end the file, and one import that fails would
take every test with it. So names that mean different things are told apart, and what the implementation, or a package
that may not be there, is imported for is imported inside the functions that use it: there a failing import is its
test's own.
"""

import ast
import copy
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from refute.adversary.references import ImplementationUse, bound_in, defined, loaded
from refute.adversary.suite_source import lines_of
from refute.python_syntax import parsed_or_none, python_lines

THERE = sys.stdlib_module_names | {"pytest", "hypothesis"}
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
SCOPE = FUNCTION | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Pieces as one text."""

    source: str
    """Without a module docstring."""
    names: tuple[dict[str, str], ...]
    """Per piece: the new name of each top-level name that was changed."""


def join(pieces: Sequence[str], modules: Sequence[str]) -> Joined:
    """Put pieces of Python, each complete in itself, into one file.

    A piece that does not parse is left out. Comments survive wherever a statement need not be changed.

    Args:
        pieces: module-level text each; in the order in which names are kept.
        modules: dotted names of the implementation's modules; none: imports stay where they are, for other pieces.
    """
    taken: dict[str, str] = {}
    texts: list[str] = []
    renamed: list[dict[str, str]] = []
    for piece in pieces:
        part = _Piece(piece, modules)
        names = {name: _free(name, taken, part.bound) for name in sorted(_clashing(part, taken))}
        texts += part.text(names, taken)
        for name, meaning in part.meaning.items():
            taken.setdefault(names.get(name, name), meaning)
        renamed.append(names)
    return Joined(source="\n".join(text for text in texts if text.strip()) + "\n", names=tuple(renamed))


class _Piece:
    """One piece: its statements, without docstring and `__future__`, imports of the implementation in functions."""

    def __init__(self, source: str, modules: Sequence[str]) -> None:
        self._lines = python_lines(source)
        tree = parsed_or_none(source)
        self.statements: list[ast.stmt] = [node for node in tree.body if not _is_furniture(node)] if tree else []
        self._pushed: dict[int, list[ast.stmt]] = {}
        if modules:
            self._push_imports(ImplementationUse(source, modules))
        self.bound = {name for statement in self.statements for name in defined(statement)}
        self.meaning = {name: _meaning(name, node) for node in self.statements for name in defined(node)}
        self.fixtures = {node.name for node in self.statements if isinstance(node, FUNCTION) and _is_fixture(node)}

    def _push_imports(self, use: ImplementationUse) -> None:
        """Take imports that may fail, and that only bodies of functions use, to where they are used."""
        for node in list(self.statements):
            if not isinstance(node, ast.Import | ast.ImportFrom) or not (use.imports(node) or _may_be_missing(node)):
                continue
            names = set(defined(node))
            if "*" in names or any(_reads_at_import(other, names) for other in self.statements if other is not node):
                continue
            self.statements.remove(node)
            for other in self.statements:
                if isinstance(other, FUNCTION) and names & _body_names(other):
                    self._pushed.setdefault(id(other), []).append(_part(node, _body_names(other)))

    def text(self, names: dict[str, str], taken: dict[str, str]) -> list[str]:
        """Every statement as text under its new names; what stands in the file already is left out."""
        texts, end = [], 0
        for statement in self.statements:
            first, last = lines_of(statement)
            comments = [line for line in self._lines[end : first - 1] if line.startswith("#")]
            end = last
            bound = set(defined(statement))
            if bound and bound.isdisjoint(names) and bound <= set(taken):
                continue
            changed = _Renaming(names, self.fixtures).visit(copy.deepcopy(statement))
            pushed = self._pushed.get(id(statement), [])
            if isinstance(changed, FUNCTION) and pushed:
                at = 1 if ast.get_docstring(changed, clean=False) is not None else 0
                changed.body[at:at] = pushed
            whole = "\n".join(self._lines[first - 1 : last])
            same = not pushed and ast.dump(changed) == ast.dump(statement)
            shared = any(first <= other <= last for other in self._other_lines(statement))
            space = ["", ""] if isinstance(statement, FUNCTION | ast.ClassDef) else []
            texts.append("\n".join([*space, *comments, whole if same and not shared else ast.unparse(changed)]))
        return texts

    def _other_lines(self, statement: ast.stmt) -> Iterator[int]:
        """Lines of the other statements: `a = 1; b = 2` stands on one."""
        for other in self.statements:
            if other is not statement:
                yield from lines_of(other)


def _part(node: ast.Import | ast.ImportFrom, used: set[str]) -> ast.stmt:
    """An import with no more than the names that are used."""
    part = copy.copy(node)
    part.names = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in used]
    return part


def _may_be_missing(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import names anything but Python's own library and what every suite has."""
    if isinstance(node, ast.ImportFrom):
        roots = {(node.module or "").partition(".")[0]}
    else:
        roots = {alias.name.partition(".")[0] for alias in node.names}
    return not roots <= THERE


class _Renaming(ast.NodeTransformer):
    """Gives top-level names their new ones wherever they mean the top-level thing."""

    def __init__(self, names: dict[str, str], fixtures: set[str]) -> None:
        self._names = names
        self._fixtures = fixtures
        self._local: list[set[str]] = []

    def _new(self, name: str) -> str:
        return name if any(name in local for local in self._local) else self._names.get(name, name)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._new(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._new(node.arg)  # a fixture is used by its name
        self.generic_visit(node)
        return node

    def visit_Global(self, node: ast.Global) -> ast.Global:
        node.names = [self._names.get(name, name) for name in node.names]
        return node

    def visit_alias(self, node: ast.alias) -> ast.alias:
        bound = node.asname or node.name
        new = self._new(bound)
        if new != bound:
            node.asname = new
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, FUNCTION | ast.ClassDef):
            node.name = self._new(node.name)
        if not isinstance(node, SCOPE):
            return super().generic_visit(node)
        self._local.append(bound_in(node) - (self._fixtures if isinstance(node, FUNCTION) else set()))
        super().generic_visit(node)
        self._local.pop()
        return node


def _clashing(part: _Piece, taken: dict[str, str]) -> set[str]:
    """Names that stand for something else already, and those of equal text that use one of these."""
    known = {name for name in part.bound if name in taken}
    found = {name for name in known if taken[name] != part.meaning[name] or name.startswith("test")}
    while True:
        more = {
            name
            for statement in part.statements
            if loaded(statement) & found
            for name in known.intersection(defined(statement))
        }
        if more <= found:
            return found
        found |= more


def _meaning(name: str, statement: ast.stmt) -> str:
    """What a top-level name stands for; equal texts mean the same."""
    match statement:
        case ast.Import(names=aliases):
            found = next(alias for alias in aliases if name in {alias.asname, alias.name.split(".")[0]})
            return f"import {found.name if found.asname else name}"
        case ast.ImportFrom(module=module, names=aliases, level=level):
            found = next(alias for alias in aliases if name in {alias.asname, alias.name})
            return f"from {'.' * level}{module} import {found.name}"
    return ast.dump(statement)


def _free(name: str, taken: Iterable[str], bound: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken or f"{name}_{number}" in bound:
        number += 1
    return f"{name}_{number}"


def _is_furniture(node: ast.stmt) -> bool:
    """A docstring, or an import from `__future__`, which may stand only at a file's beginning."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _is_fixture(node: FUNCTION) -> bool:
    return any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)


def _reads_at_import(node: ast.stmt, names: set[str]) -> bool:
    """Whether importing the file, rather than running a function of it, needs one of these names."""
    if not isinstance(node, FUNCTION):
        return bool(loaded(node) & names)
    outside = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    outside += [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg) and one.annotation]
    outside += [node.returns] if node.returns else []
    return any(loaded(part) & names for part in outside) or bool(names & bound_in(node))


def _body_names(node: FUNCTION) -> set[str]:
    return set().union(*(loaded(part) for part in node.body))
