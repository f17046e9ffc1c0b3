"""Mocks in Python tests, found by syntax with imports resolved: which call replaces what."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_CREATION: Final = re.compile(r"\w*Mock|create_autospec|mock_open|stub")
_LIBRARY: Final = re.compile(
    r"responses|requests_mock|httpretty|respx|aioresponses|moto|vcr|betamax|pyfakefs|nock|pook"  # modules
    r"|httpx_mock|respx_mock|fake_process|fp|fs"  # fixtures
)
_MOCKER: Final = re.compile(r"mock|(?:(?:class|module|package|session)_)?mocker")
_OBSERVER: Final = re.compile(r"(on_\w+|.*(callback|handler|listener|hook|logger|observer|spy|log))", re.IGNORECASE)
_SETTERS: Final = frozenset({"setattr", "delattr", "setitem", "delitem"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mock:
    """One replacement."""

    line: int
    what: str
    """As written, shortened."""
    target: tuple[str, ...]
    """Dotted name of what is replaced, in parts; empty where it cannot be read (a mock object that is passed in)."""
    library: str = ""
    """A library or fixture that stands in for a whole kind of system (`responses`, `fake_process`); else empty."""


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


def find_mocks(tree: ast.AST, names: Mapping[str, str]) -> Iterator[Mock]:
    """Every replacement below a node.

    Args:
        tree: a function, a class or a module.
        names: the file's imports.
    """
    observers = _observers(tree)
    for node in ast.walk(tree):
        target, library = None, ""
        match node:
            case ast.Call() if node not in observers:
                target = _by_call(node, names)
            case ast.Assign(targets=[place], value=value):
                target = _by_assignment(place, value, names)
            case ast.Attribute() if _LIBRARY.fullmatch(root := dotted_name(node, names).partition(".")[0]):
                target, library = (), root
            case ast.arg(arg=name) if _LIBRARY.fullmatch(name):
                target, library = (), name
        if target is not None:
            line = getattr(node, "lineno", 1)
            yield Mock(line=line, what=ast.unparse(_shown(node))[:120], target=target, library=library)


def _observers(tree: ast.AST) -> set[ast.AST]:
    """Mock objects that only watch: they are named as callbacks, handlers and the like."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str(name), value=value) | ast.Assign(targets=[ast.Name(id=name)], value=value):
                found |= {value} if _OBSERVER.fullmatch(name) else set()
    return found


def _shown(node: ast.AST) -> ast.AST:
    return node.targets[0] if isinstance(node, ast.Assign) else node


def _by_call(node: ast.Call, names: Mapping[str, str]) -> tuple[str, ...] | None:
    """What a call replaces; empty for a mock object, None for any other call."""
    root, *rest = dotted_name(node.func, names).removeprefix("unittest.").split(".")
    if any(keyword.arg == "wraps" for keyword in node.keywords):
        return None
    if rest and _MOCKER.fullmatch(root):
        if rest[0] == "patch":
            return _target(node, names, attribute="object" in rest)
        return () if _CREATION.fullmatch(rest[-1]) else None
    if rest and rest[-1] in _SETTERS:  # pytest's monkeypatch, by whatever name
        return _target(node, names, attribute=True)
    builtin = root in {"setattr", "delattr"} and node.args and _is_imported(node.args[0], names)
    return _target(node, names, attribute=True) if builtin else None


def _is_imported(node: ast.expr, names: Mapping[str, str]) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in names


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


def _by_assignment(target: ast.expr, value: ast.expr, names: Mapping[str, str]) -> tuple[str, ...] | None:
    """`module.name = fake` and `sys.modules["name"] = …` replace; other assignments configure."""
    if isinstance(target, ast.Subscript) and dotted_name(target.value, names) == "sys.modules":
        return tuple(str(getattr(target.slice, "value", "")).split("."))
    stands_in = isinstance(value, ast.Lambda) or re.search(r"mock|fake|stub|dummy", ast.unparse(value), re.IGNORECASE)
    if isinstance(target, ast.Attribute) and stands_in and _is_imported(target.value, names):
        return tuple(dotted_name(target, names).split("."))
    return None
