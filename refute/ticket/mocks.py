"""Mocks in Python tests, found by syntax with imports resolved: which call replaces what."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_CREATIONS: Final = frozenset(
    {
        "Mock",
        "MagicMock",
        "AsyncMock",
        "NonCallableMock",
        "NonCallableMagicMock",
        "create_autospec",
        "mock_open",
        "stub",
    }
)
_LIBRARIES: Final = frozenset(
    {
        "responses",
        "requests_mock",
        "httpretty",
        "respx",
        "aioresponses",
        "moto",
        "vcr",
        "betamax",
        "pyfakefs",
        "nock",
        "pook",
    }
)
_FIXTURES: Final = frozenset(
    {"requests_mock", "httpx_mock", "respx_mock", "fake_process", "fp", "fs", "aioresponses", "vcr"}
)
_MOCKERS: Final = frozenset({"mocker", "class_mocker", "module_mocker", "package_mocker", "session_mocker"})
# Replacing these leaves an integration what it is: clocks, chance, the terminal, settings, logging.
_NEUTRAL: Final = frozenset(
    {
        "sleep",
        "time",
        "monotonic",
        "perf_counter",
        "now",
        "today",
        "utcnow",
        "datetime",
        "date",
        "random",
        "randint",
        "choice",
        "uuid4",
        "environ",
        "getenv",
        "argv",
        "stdin",
        "stdout",
        "stderr",
        "logger",
        "log",
        "logging",
        "input",
        "print",
        "getpass",
        "getcwd",
        "platform",
    }
)
_OBSERVERS: Final = re.compile(r"(on_|.*(callback|handler|listener|hook|logger|observer|spy|log))", re.IGNORECASE)


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
                names[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            names.update({alias.asname or alias.name: f"{package}.{alias.name}" for alias in node.names})
    return names


def dotted_name(node: ast.AST, names: Mapping[str, str]) -> str:
    """The dotted origin of a name or attribute chain; empty for anything else."""
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
    """Every replacement below a node that could take the place of an integration.

    Args:
        tree: a function, a class or a module.
        names: the file's imports.
    """
    observers = _observer_calls(tree)
    for node in ast.walk(tree):
        mock = None
        match node:
            case ast.Call() if node not in observers:
                mock = _call(node, names)
            case ast.Assign(targets=[target], value=value):
                mock = _assignment(target, value, names)
            case ast.Attribute() if (library := dotted_name(node, names).split(".")[0]) in _LIBRARIES:
                mock = _mock(node, (), library=library)
            case ast.arg(arg=name) if name in _FIXTURES:
                mock = _mock(node, (), library=name)
        if mock is not None and not _neutral(mock.target):
            yield mock


def _observer_calls(tree: ast.AST) -> set[ast.AST]:
    """Mock objects that only watch: they are named as callbacks, handlers and the like."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if all(isinstance(target, ast.Name) and _OBSERVERS.fullmatch(target.id) for target in node.targets):
                found.add(node.value)
        elif isinstance(node, ast.keyword) and node.arg and _OBSERVERS.fullmatch(node.arg):
            found.add(node.value)
    return found


def _mock(node: ast.AST, target: tuple[str, ...], *, library: str = "") -> Mock:
    return Mock(line=getattr(node, "lineno", 1), what=ast.unparse(node)[:120], target=target, library=library)


def _call(node: ast.Call, names: Mapping[str, str]) -> Mock | None:
    dotted = dotted_name(node.func, names)
    root, *rest = dotted.removeprefix("unittest.").split(".")
    if any(keyword.arg == "wraps" for keyword in node.keywords):
        return None
    if root in {"mock", *_MOCKERS} and rest:
        return _from_mock_library(node, rest, names)
    if rest and rest[-1] in {"setattr", "delattr", "setitem", "delitem"}:  # pytest's monkeypatch, by whatever name
        return _mock(node, _target(node, names, attribute=True))
    if dotted in {"setattr", "delattr"} and node.args and _is_imported(node.args[0], names):
        return _mock(node, _target(node, names, attribute=True))
    return None


def _is_imported(node: ast.expr, names: Mapping[str, str]) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in names


def _from_mock_library(node: ast.Call, rest: list[str], names: Mapping[str, str]) -> Mock | None:
    if rest[0] == "patch":
        return _mock(node, _target(node, names, attribute="object" in rest))
    return _mock(node, ()) if rest[-1] in _CREATIONS else None


def _target(node: ast.Call, names: Mapping[str, str], *, attribute: bool) -> tuple[str, ...]:
    """What a patching call replaces: `"a.b.c"`, or an object and the name of its attribute."""
    arguments = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg in {"target", "name"})]
    first, second = [*arguments, None, None][:2]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return tuple(first.value.split("."))
    base = dotted_name(first, names) if first is not None else ""
    if attribute and isinstance(second, ast.Constant) and isinstance(second.value, str) and base:
        return (*base.split("."), *second.value.split("."))
    return tuple(base.split(".")) if base else ()


def _assignment(target: ast.expr, value: ast.expr, names: Mapping[str, str]) -> Mock | None:
    """`module.name = fake` and `sys.modules["name"] = …` replace; other assignments configure."""
    if isinstance(target, ast.Subscript) and dotted_name(target.value, names) == "sys.modules":
        key = target.slice.value if isinstance(target.slice, ast.Constant) else ""
        return _mock(target, tuple(str(key).split(".")))
    stands_in = isinstance(value, ast.Lambda) or re.search(r"mock|fake|stub|dummy", ast.unparse(value), re.IGNORECASE)
    if isinstance(target, ast.Attribute) and stands_in and _is_imported(target.value, names):
        return _mock(target, tuple(dotted_name(target, names).split(".")))
    return None


def _neutral(target: tuple[str, ...]) -> bool:
    return bool(target) and (target[-1] in _NEUTRAL or target[-2:-1] == ("environ",) or target[-1].isupper())
