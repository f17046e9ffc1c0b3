"""What a generated test may not use: mocks, sleeping, the network, skipping, the implementation's source text."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.screening.resolution import LOADERS, Resolution
from refute.ticket.outside import Kind, kind_of

MOCKS: Final = (
    "unittest.mock", "mock", "pytest_mock", "pytest.MonkeyPatch", "_pytest.monkeypatch", "asynctest", "flexmock",
    "mockito", "doublex", "responses", "requests_mock", "respx", "httpretty", "aioresponses", "pytest_httpx", "vcr",
    "betamax", "moto", "freezegun", "time_machine", "pyfakefs",
)  # fmt: skip
SLEEPS: Final = ("time.sleep", "asyncio.sleep", "trio.sleep", "anyio.sleep", "gevent.sleep")
SKIPS: Final = (
    "pytest.skip", "pytest.xfail", "pytest.exit", "pytest.importorskip", "pytest.mark.skip", "pytest.mark.skipif",
    "pytest.mark.xfail", "unittest.skip", "unittest.skipIf", "unittest.skipUnless", "unittest.SkipTest",
    "unittest.expectedFailure", "_pytest.outcomes",
)  # fmt: skip
SOURCE_READERS: Final = (
    "inspect.getsource", "inspect.getsourcelines", "inspect.getsourcefile", "inspect.getcomments", "linecache", "dis",
)  # fmt: skip
OUTSIDE: Final = (
    "ctypes", "gc", "refute", "pytest.main", "sys._getframe", "sys.settrace", "sys.setprofile", "sys.meta_path",
    "inspect.currentframe", "inspect.stack", "inspect.trace", "os._exit", "os.abort", "os.fork", "os.forkpty", "atexit",
    "faulthandler",
)  # fmt: skip
"""By which a test would leave itself: for what runs it, or for its end."""
TABLES: Final = {
    "mocks": MOCKS,
    "sleeps": SLEEPS,
    "skips or expects failure by": SKIPS,
    "reads the implementation's source by": SOURCE_READERS,
    "leaves itself by": OUTSIDE,
}
MOCK_FIXTURES: Final = frozenset(
    {
        "mocker", "class_mocker", "module_mocker", "package_mocker", "session_mocker", "mock", "responses",
        "requests_mock", "respx_mock", "httpx_mock", "aioresponses", "freezer", "time_machine", "fs",
    }
)  # fmt: skip
MONKEYPATCH_ALLOWED: Final = frozenset({"setenv", "delenv", "chdir", "undo"})
INNARDS: Final = frozenset(
    {"__globals__", "__code__", "__closure__", "__builtins__", "f_globals", "f_locals", "f_back"}
)
CHANGES: Final = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__"})
SETTERS: Final = frozenset({"setattr", "delattr", "object.__setattr__", "type.__setattr__"})
OPENERS: Final = frozenset({"open", "io.open", "os.open", "codecs.open", "tokenize.open"})
READERS: Final = frozenset({"read_text", "read_bytes", "open"})
INPUT_CHANNELS: Final = frozenset({"sys.argv", "sys.stdin", "sys.stdout", "sys.stderr"})
"""Attributes of modules that a test may set: they are how a program gets its input."""
COMPUTED: Final = frozenset({"eval", "exec", "compile"})
HARMLESS: Final = ("pytest.mark.", "hypothesis.")
"""Decorators that mark a test, parametrize it, or draw its input."""


class Objections:
    """Why tests of one file may not run, one reason per breach. What tests share is gone through once.

    Args:
        names: resolves the file's names.
        brief: of the ticket, which says what is the implementation's.
        allow_network: whether the person allowed hosts.
    """

    def __init__(self, names: Resolution, brief: Brief, *, allow_network: bool) -> None:
        self._names = names
        self._paths = [PurePosixPath(path).parts for path in brief.ticket.implementation_files]
        self._ours = {one.module.name.partition(".")[0] for one in brief.modules}
        self._offline = not allow_network
        self._known: dict[int, tuple[str, ...]] = {}

    def to(self, test: ast.FunctionDef, closure: Iterable[ast.stmt]) -> Iterator[str]:
        """Reasons against a test.

        Args:
            test: the function.
            closure: every statement that runs with it; the file keeps them alive.
        """
        for module in filter(self._is_foreign, self._names.star_imports):
            if _is_in(module, MOCKS):
                yield f"mocks: everything of {module} is imported"
        for statement in closure:
            if id(statement) not in self._known:
                self._known[id(statement)] = tuple(self._against(statement))
            yield from self._known[id(statement)]
        for decorator in test.decorator_list:
            callee = decorator
            while isinstance(callee, ast.Call):
                callee = callee.func
            if not self._names.dotted(callee).startswith(HARMLESS):
                yield f"is wrapped by {ast.unparse(callee)[:80]}, which may keep its failure from being seen"

    def _against(self, statement: ast.stmt) -> Iterator[str]:
        names = self._names.within(statement)
        allowed = {id(node) for node in ast.walk(statement) if _is_switch(node, names)}
        sources = self._source_names(statement, names)
        for node in ast.walk(statement):
            yield from _replaced(node, names)
            for dotted in filter(self._is_foreign, _mentioned(node, names)) if id(node) not in allowed else ():
                yield from (f"{what} {dotted}" for what, table in TABLES.items() if _is_in(dotted, table))
                if self._offline and kind_of(dotted) is Kind.NETWORK:
                    yield f"uses the network: {dotted}"
            if isinstance(node, ast.Attribute) and node.attr in INNARDS:
                yield f"reaches into what it tests by {node.attr}"
            yield from _fixtures(node, names)
            if isinstance(node, ast.Call):
                yield from _called(node, names, self._ours)
                if any(self._is_source(value, sources, names) for value in _opened(node, names)):
                    yield "reads the implementation's source text"
        patching = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == "monkeypatch"]
        fair = [node for node in ast.walk(statement) if _is_fair_patch(node)]
        if len(patching) > len(fair):
            yield f"mocks by monkeypatch, of which a test may use {', '.join(sorted(MONKEYPATCH_ALLOWED))}"

    def _is_foreign(self, dotted: str) -> bool:
        """Whether a name is not the implementation's, whose file may well be called `responses.py` or `serial.py`."""
        return dotted.partition(".")[0] not in self._ours

    def _source_names(self, statement: ast.stmt, names: Resolution) -> set[str]:
        """Variables that hold the path of an implementation file."""
        found: set[str] = set()
        for _ in range(2):
            for node in ast.walk(statement):
                if isinstance(node, ast.Assign) and self._is_source(node.value, found, names):
                    found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        return found

    def _is_source(self, node: ast.expr, sources: set[str], names: Resolution) -> bool:
        for part in ast.walk(node):
            text = PurePosixPath(names.text(part) or "").parts
            if text and any(path[-len(text) :] == text for path in self._paths):
                return True
            match part:
                case ast.Attribute(attr="__file__" | "origin"):
                    return True
                case ast.Name(id=name) if name in sources:
                    return True
        return False


def _is_in(dotted: str, table: Iterable[str]) -> bool:
    return any(dotted == entry or dotted.startswith((f"{entry}.", f"{entry}()")) for entry in table)


def _is_switch(node: ast.AST, names: Resolution) -> bool:
    """`asyncio.sleep(0)` only lets other coroutines run."""
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=0)]):
            return names.dotted(function) == "asyncio.sleep"
    return False


def _mentioned(node: ast.AST, names: Resolution) -> Iterator[str]:
    """The dotted names that a node itself denotes or imports."""
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=str(module), names=aliases):
            yield from (f"{module}.{alias.name}" for alias in aliases)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            if dotted := names.dotted(node):
                yield dotted


def _is_fair_patch(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="monkeypatch"), attr=attribute):
            return attribute in MONKEYPATCH_ALLOWED
    return False


def _fixtures(node: ast.AST, names: Resolution) -> Iterator[str]:
    match node:
        case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
            drawn = any(isinstance(one, ast.Call) and not isinstance(one.func, ast.Call) for one in decorators)
            arguments = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
            yield from (f"mocks: fixture {name}" for name in sorted(arguments & MOCK_FIXTURES) if not drawn)
        case ast.Call(func=ast.Attribute(attr="getfixturevalue"), args=[name, *_]):
            fixture = names.text(name)
            if fixture is None or fixture in {*MOCK_FIXTURES, "monkeypatch"}:
                yield f"mocks: fixture {fixture or 'of a computed name'}"


def _replaced(node: ast.AST, names: Resolution) -> Iterator[str]:
    """Replacing an attribute of something imported is a mock, made by hand; and so is a new entry of its table."""
    match node:
        case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()) if names.is_imported(owner):
            dotted = names.dotted(node)
            if dotted not in INPUT_CHANNELS:
                yield f"mocks: replaces {dotted}"
        case ast.Subscript(value=table, ctx=ast.Store() | ast.Del()) if _is_namespace(table, names):
            yield f"mocks: replaces an entry of {names.dotted(table)}"
        case ast.Attribute(attr="__test__", ctx=ast.Store()) | ast.Name(id="__test__", ctx=ast.Store()):
            yield "skips: sets __test__"


def _is_namespace(node: ast.expr, names: Resolution) -> bool:
    """`sys.modules`, `vars(m)`, `m.__dict__`."""
    match node:
        case ast.Call(func=function, args=[owner, *_]) if names.dotted(function) == "vars":
            return names.is_imported(owner)
        case ast.Attribute(value=owner, attr="__dict__"):
            return names.is_imported(owner)
    return names.dotted(node) == "sys.modules"


def _called(node: ast.Call, names: Resolution, ours: set[str]) -> Iterator[str]:
    """Changes of what is imported by a call; imports, attributes of others' modules and code of unknown text."""
    match node:
        case ast.Call(func=ast.Attribute(value=table, attr=attribute)) if attribute in CHANGES:
            if _is_namespace(table, names):
                yield f"mocks: changes {names.dotted(table) or 'the names of a module'}"
    callee = names.dotted(node.func)
    if not node.args:
        return
    if callee in SETTERS and names.is_imported(node.args[0]):
        yield f"mocks: replaces an attribute of {names.dotted(node.args[0])}"
    if callee in LOADERS and names.text(node.args[0]) is None:
        yield "imports a module under a computed name"
    if callee in COMPUTED:
        yield f"runs {'computed code' if names.text(node.args[0]) is None else 'code from text'} by {callee}"
    owner = names.dotted(node.args[0])
    written = len(node.args) > 1 and names.text(node.args[1]) is not None
    if callee == "getattr" and names.is_imported(node.args[0]) and owner.partition(".")[0] not in ours and not written:
        yield f"reads a computed attribute of {owner}"


def _opened(node: ast.Call, names: Resolution) -> list[ast.expr]:
    """What a call reads from."""
    if names.dotted(node.func) in OPENERS:
        return node.args[:1]
    return [node.func.value] if isinstance(node.func, ast.Attribute) and node.func.attr in READERS else []
