"""What of an implementation leads outside its process, by the names of its functions, classes and attributes."""

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from refute.python_syntax import FUNCTION
from refute.ticket.mocks import Mock, dotted_name, imported_names
from refute.ticket.outside import Kind, kind_of, replaced_kind

_FILE_METHODS: Final = frozenset(
    {"read_text", "write_text", "read_bytes", "write_bytes", "iterdir", "rglob", "touch", "unlink", "mkdir"}
)


class Reach:
    """What each name of an implementation leads to outside, as dotted names that are called there.

    Args:
        trees: of its modules.
        own: the packages that these are of.
        mocks: all that its tests replace; a third party's library among it is outside, too.
        with_files: whether reading and writing files is something outside.
    """

    def __init__(
        self, trees: Iterable[ast.Module], own: Iterable[str], mocks: Iterable[Mock], *, with_files: bool
    ) -> None:
        self._own = frozenset(own)
        read = [(tree, imported_names(tree)) for tree in trees]
        imported = {origin.partition(".")[0] for _, imports in read for origin in imports.values()} - self._own
        self._libraries = imported & {part for mock in mocks for part in mock.target} - sys.stdlib_module_names
        self._with_files = with_files
        self._outside: dict[str, set[str]] = {}
        self._mentions: dict[str, set[str]] = {}
        self._methods: dict[str, set[str]] = {}
        self._parameters: dict[str, dict[str, set[str]]] = {}
        for tree, imports in read:
            for node in ast.walk(tree):
                for name, part in _bound(node, tree):
                    self._note(name, part, imports)
                if isinstance(node, ast.ClassDef):
                    methods = [item for item in node.body if isinstance(item, FUNCTION)]
                    self._methods.setdefault(node.name, set()).update(item.name for item in methods)
                    for item in (one for one in methods if one.name == "__init__"):
                        self._note_parameters(node.name, item, imports)
                elif isinstance(node, FUNCTION):
                    self._note_parameters(node.name, node, imports)

    def of(self, names: Iterable[str], mocks: Collection[Mock] = ()) -> set[str]:
        """What is outside behind these names, while a test replaces something."""
        gone = {mock.target[-1] for mock in mocks if self._is_own(mock)}
        gone |= {method for name in gone for method in self._methods.get(name, ())}
        gone |= {name for mock in mocks if mock.argument for name in self._behind(mock)}
        pending, seen, found = list(names), set(gone), set[str]()
        while pending:
            name = pending.pop()
            if name not in seen and name in self._outside:
                seen.add(name)
                found |= self._outside[name]
                pending += self._mentions[name]
        return {dotted for dotted in found if not any(self._stands_before(mock, dotted) for mock in mocks)}

    def _behind(self, mock: Mock) -> set[str]:
        """What a mock object takes the place of that is passed: a parameter's default, attributes that keep it."""
        parameters = self._parameters.get(mock.target[-1], {})
        named = [*parameters][int(mock.argument) :][:1] if mock.argument.isdigit() else [mock.argument]
        return set[str]().union(*(parameters.get(name, ()) for name in named))

    def _is_own(self, mock: Mock) -> bool:
        """Whether what is replaced is a part of the implementation, and not of something that it uses."""
        foreign = self._libraries | sys.stdlib_module_names
        return not mock.argument and self._kind_of(mock) is None and foreign.isdisjoint(mock.target[:-1])

    def _kind_of(self, mock: Mock) -> Kind | None:
        return replaced_kind(mock.target[mock.target[0] in self._own :])

    def _stands_before(self, mock: Mock, dotted: str) -> bool:
        """Whether a replacement stands where a name leads outside: for it, or for all of its kind or library."""
        if mock.argument:
            return False
        parts, kind = dotted.split("."), kind_of(dotted)
        if mock.target[-1] in parts:
            return True
        return parts[0] in mock.target if kind is None else self._kind_of(mock) is kind

    def _note(self, name: str, part: ast.AST, imports: Mapping[str, str]) -> None:
        outside, mentions = self._outside.setdefault(name, set()), self._mentions.setdefault(name, set())
        for chain in _chains(part):
            attributes, root = [*_attributes(chain)], _root(chain)
            dotted = dotted_name(chain, imports) if root in {*imports, "open"} else ""
            if self._is_outside(dotted) or (self._with_files and _FILE_METHODS.intersection(attributes[:1])):
                outside.add(dotted or attributes[0])
            else:
                mentions.update(attributes, [root])

    def _note_parameters(
        self, name: str, function: ast.FunctionDef | ast.AsyncFunctionDef, imports: Mapping[str, str]
    ) -> None:
        """Each default by a name of its own, and the attributes in which a parameter is kept."""
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: dict[ast.arg, ast.expr | None] = dict(zip(positional[::-1], arguments.defaults[::-1], strict=False))
        defaults |= dict(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
        found = self._parameters.setdefault(name, {})
        for one in (*positional, *arguments.kwonlyargs):
            if one.arg in {"self", "cls"}:
                continue
            default = f"{name}({one.arg})"
            if (given := defaults.get(one)) is not None:
                self._note(default, given, imports)
                self._mentions.setdefault(name, set()).add(default)
                self._outside.setdefault(name, set())
            found.setdefault(one.arg, set()).update([default, *_keeping(one.arg, function)])

    def _is_outside(self, dotted: str) -> bool:
        root, kind = dotted.partition(".")[0], kind_of(dotted)
        if kind is None or root in self._own:
            return root in self._libraries
        return kind is not Kind.FILE or self._with_files


def _bound(node: ast.AST, tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The names that a statement binds, each with what runs when it is used."""
    match node:
        case ast.ClassDef(name=name, body=body, bases=bases, decorator_list=decorators):
            methods = [item for item in body if isinstance(item, FUNCTION)]
            made = [part for item in methods if _is_special(item.name) for part in item.body]
            fields = [item for item in body if item not in methods]
            yield from ((name, part) for part in (*bases, *decorators, *fields, *made) if not _is_kept(part))
        case ast.FunctionDef() | ast.AsyncFunctionDef() if not _is_special(node.name):
            yield from ((node.name, part) for part in (*node.decorator_list, *node.body))
        case ast.Assign(targets=[ast.Attribute(attr=name)]) | ast.AnnAssign(target=ast.Attribute(attr=name)):
            yield name, node
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if node in tree.body:
            yield name, node


def _keeping(parameter: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The attributes in which a parameter is kept: `self._session = session or requests.Session()`."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
                if any(isinstance(one, ast.Name) and one.id == parameter for one in ast.walk(value)):
                    yield name
            case _:
                continue


def _chains(node: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """Every name with its attributes that runs below a node; annotations and caught errors do not run."""
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name | ast.Attribute):
            yield part
        while isinstance(part, ast.Attribute):
            part = part.value
        for field, value in ast.iter_fields(part):
            if field in {"annotation", "returns"} or (field == "type" and isinstance(part, ast.ExceptHandler)):
                continue
            pending += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)]


def _attributes(node: ast.AST) -> Iterator[str]:
    """`a.b.c` has `c` and `b`."""
    while isinstance(node, ast.Attribute):
        yield node.attr
        node = node.value


def _root(node: ast.AST) -> str:
    """The name that attributes and calls begin with: `requests.Session().get` with `requests`; else empty."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_kept(statement: ast.AST) -> bool:
    """`self.session = requests.Session()` in a constructor reaches nothing until the attribute is used."""
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute)
