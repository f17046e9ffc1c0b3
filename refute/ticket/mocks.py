"""Replacements in Python tests, found by syntax with imports resolved: which call replaces what."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from refute.ticket.outside import stand_ins

_MOCKER: Final = re.compile(r"mock|(?:(?:class|module|package|session)_)?mocker")
_SETTERS: Final = frozenset({"setattr", "delattr", "setitem", "delitem"})


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mock:
    """One replacement."""

    path: str
    line: int
    what: str
    """As written, shortened."""
    target: tuple[str, ...]
    """Dotted name of what is replaced, or of the library that stands in for it (`responses`), in parts."""
    argument: str = ""
    """Name or position of the argument as which a mock object is passed to the target, where one is."""


def imported_names(tree: ast.AST) -> dict[str, str]:
    """Local name → dotted origin, for every import statement at any depth."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            names.update({alias.asname or alias.name: f"{package}.{alias.name}" for alias in node.names})
    return names


def dotted_name(node: ast.AST | None, names: Mapping[str, str]) -> str:
    """The dotted origin of a name, an attribute chain or what a call of one gives; empty for anything else."""
    match node:
        case ast.Name(id=name):
            return names.get(name, name)
        case ast.Attribute(value=value, attr=attribute):
            base = dotted_name(value, names)
            return f"{base}.{attribute}" if base else ""
        case ast.Call(func=func):
            return dotted_name(func, names)
        case _:
            return ""


def find_mocks(tree: ast.AST, names: Mapping[str, str], path: str) -> Iterator[Mock]:
    """Every replacement below a node.

    Args:
        tree: a function, a class or a module.
        names: the file's imports.
        path: of the file.
    """
    made = {place.id for node in ast.walk(tree) for place in _kept_in(node, names)}
    for node in ast.walk(tree):
        target: tuple[str, ...] = ()
        match node:
            case ast.Call():
                target = _by_call(node, names)
                callee = tuple(dotted_name(node.func, names).split("."))
                for argument in _passed(node, names, made):
                    what = ast.unparse(node)[:120]
                    yield Mock(path=path, line=node.lineno, what=what, target=callee, argument=argument)
            case ast.Assign(targets=[place], value=value):
                target = _by_assignment(place, value, names)
            case ast.Name(id=name) if name in names:
                target = _standing_in(names[name])
            case ast.Attribute():
                target = _standing_in(dotted_name(node, names))
            case ast.arg(arg=fixture):
                target = _standing_in(fixture)
        if target:
            shown = node.targets[0] if isinstance(node, ast.Assign) else node
            yield Mock(path=path, line=getattr(node, "lineno", 1), what=ast.unparse(shown)[:120], target=target)


def _makes_mock(node: ast.AST, names: Mapping[str, str]) -> bool:
    """`Mock()`, `mock.MagicMock()`, `mocker.Mock()`, `create_autospec(…)`."""
    root, _, rest = dotted_name(node, names).removeprefix("unittest.").partition(".")
    kind = rest.rpartition(".")[2]
    return isinstance(node, ast.Call) and _MOCKER.fullmatch(root) is not None and kind.endswith(("Mock", "autospec"))


def _kept_in(node: ast.AST, names: Mapping[str, str]) -> Iterator[ast.Name]:
    """The variables that a statement keeps a mock object in."""
    if isinstance(node, ast.Assign) and _makes_mock(node.value, names):
        yield from (place for place in node.targets if isinstance(place, ast.Name))


def _passed(call: ast.Call, names: Mapping[str, str], made: Collection[str]) -> Iterator[str]:
    """The positions and names of a call's arguments that are mock objects."""
    every = [*((str(at), one) for at, one in enumerate(call.args)), *((one.arg, one.value) for one in call.keywords)]
    for place, value in every:
        if place and (_makes_mock(value, names) or (isinstance(value, ast.Name) and value.id in made)):
            yield place


def _standing_in(dotted: str) -> tuple[str, ...]:
    root = dotted.partition(".")[0]
    return (root,) if root in stand_ins() else ()


def _by_call(node: ast.Call, names: Mapping[str, str]) -> tuple[str, ...]:
    """What a call replaces: `patch`, `mocker.patch.object`, `setattr` of pytest's monkeypatch, by whatever names."""
    root, *rest = dotted_name(node.func, names).removeprefix("unittest.").split(".")
    if any(keyword.arg == "wraps" for keyword in node.keywords):
        return ()
    if rest and _MOCKER.fullmatch(root) and rest[0] == "patch":
        return _target(node, names, attribute="object" in rest)
    return _target(node, names, attribute=True) if rest and rest[-1] in _SETTERS else ()


def _target(node: ast.Call, names: Mapping[str, str], *, attribute: bool) -> tuple[str, ...]:
    """What a patching call replaces: `"a.b.c"`, or an object and the name of its attribute."""
    arguments = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg in {"target", "name"})]
    first, second = [*arguments, None, None][:2]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return tuple(first.value.split("."))
    base = dotted_name(first, names)
    if attribute and isinstance(second, ast.Constant) and isinstance(second.value, str) and base:
        base = f"{base}.{second.value}"
    return tuple(base.split(".")) if base else ()


def _by_assignment(target: ast.expr, value: ast.expr, names: Mapping[str, str]) -> tuple[str, ...]:
    """`module.name = fake` and `sys.modules["name"] = …` replace; other assignments configure."""
    if isinstance(target, ast.Subscript) and dotted_name(target.value, names) == "sys.modules":
        return tuple(str(getattr(target.slice, "value", "")).split("."))
    stands_in = isinstance(value, ast.Lambda) or re.search(r"mock|fake|stub|dummy", ast.unparse(value), re.IGNORECASE)
    if isinstance(target, ast.Attribute) and stands_in and _is_imported(target.value, names):
        return tuple(dotted_name(target, names).split("."))
    return ()


def _is_imported(node: ast.expr, names: Mapping[str, str]) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in names
