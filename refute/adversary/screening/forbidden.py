"""What a generated test may not use: mocks, sleeping, the network, skipping, the implementation's source text."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from refute.adversary.screening.resolution import LOADERS, Resolution

MOCKS: Final = (
    *("unittest.mock", "mock", "pytest_mock", "pytest.MonkeyPatch", "_pytest.monkeypatch", "asynctest", "flexmock"),
    *("mockito", "doublex", "responses", "requests_mock", "respx", "httpretty", "aioresponses", "pytest_httpx"),
    *("vcr", "betamax", "moto", "freezegun", "time_machine", "pyfakefs"),
)
MOCK_FIXTURES: Final = frozenset(
    {
        "mocker",
        "class_mocker",
        "module_mocker",
        "package_mocker",
        "session_mocker",
        "mock",
        "responses",
        "requests_mock",
    }
    | {"respx_mock", "httpx_mock", "aioresponses", "freezer", "time_machine", "fs"}
)
MONKEYPATCH_ALLOWED: Final = frozenset({"setenv", "delenv", "chdir", "undo"})
SLEEPS: Final = ("time.sleep", "asyncio.sleep", "trio.sleep", "anyio.sleep", "gevent.sleep")
NETWORK: Final = (
    *(
        "socket.socket",
        "socket.create_connection",
        "socket.create_server",
        "socket.getaddrinfo",
        "socket.gethostbyname",
    ),
    *("urllib.request", "http.client", "requests", "httpx", "aiohttp", "urllib3", "ftplib", "smtplib", "poplib"),
    *("imaplib", "telnetlib", "nntplib", "xmlrpc.client", "websockets", "websocket", "paramiko", "grpc", "boto3"),
    *("asyncio.open_connection", "asyncio.start_server"),
)
SKIPS: Final = (
    *("pytest.skip", "pytest.xfail", "pytest.exit", "pytest.importorskip", "pytest.mark.skip", "pytest.mark.skipif"),
    *("pytest.mark.xfail", "unittest.skip", "unittest.skipIf", "unittest.skipUnless", "unittest.SkipTest"),
    *("unittest.expectedFailure", "_pytest.outcomes"),
)
SOURCE_READERS: Final = (
    *(
        "inspect.getsource",
        "inspect.getsourcelines",
        "inspect.getsourcefile",
        "inspect.getcomments",
        "linecache",
        "dis",
    ),
)
OUTSIDE: Final = (
    *("ctypes", "gc", "refute", "pytest.main", "sys._getframe", "sys.settrace", "sys.setprofile", "sys.meta_path"),
    *("inspect.currentframe", "inspect.stack", "inspect.trace", "os._exit", "os.abort", "os.fork", "os.forkpty"),
    *("atexit", "faulthandler"),
)
"""By which a test would leave itself: for what runs it, or for its end."""
INNARDS: Final = frozenset(
    {"__globals__", "__code__", "__closure__", "__builtins__", "f_globals", "f_locals", "f_back"}
)
CHANGES: Final = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__"})
OPENERS: Final = frozenset({"open", "io.open", "os.open", "codecs.open", "tokenize.open"})
READERS: Final = frozenset({"read_text", "read_bytes", "open"})
INPUT_CHANNELS: Final = frozenset({"sys.argv", "sys.stdin", "sys.stdout", "sys.stderr"})
"""Attributes of modules that a test may set: they are how a program gets its input."""
COMPUTED: Final = frozenset({"eval", "exec", "compile"})


class Objections:
    """Why tests of one file may not run, one reason per breach. What tests share is gone through once.

    Args:
        names: resolves the file's names.
        implementation_paths: relative to the workspace.
        allow_network: whether the person allowed hosts.
    """

    def __init__(self, names: Resolution, implementation_paths: Sequence[str], *, allow_network: bool) -> None:
        self._names = names
        self._paths = implementation_paths
        self._tables = [("mocks", MOCKS), ("sleeps", SLEEPS), ("skips or expects failure by", SKIPS)]
        self._tables += [("reads the implementation's source by", SOURCE_READERS), ("leaves itself by", OUTSIDE)]
        self._tables += [] if allow_network else [("uses the network:", NETWORK)]
        self._known: dict[int, tuple[str, ...]] = {}

    def to(self, closure: Iterable[ast.stmt]) -> Iterator[str]:
        """Reasons against a test.

        Args:
            closure: every statement that runs with it; the file keeps them alive.
        """
        for module in self._names.star_imports:
            if found := _match(module, MOCKS):
                yield f"mocks: everything of {found} is imported"
        for statement in closure:
            if id(statement) not in self._known:
                self._known[id(statement)] = tuple(self._against(statement))
            yield from self._known[id(statement)]

    def _against(self, statement: ast.stmt) -> Iterator[str]:
        names = self._names.within(statement)
        for node in ast.walk(statement):
            for dotted in _mentioned(node, names):
                yield from (f"{what} {dotted}" for what, table in self._tables if _match(dotted, table))
            yield from _monkeypatch(node)
            yield from _fixtures(node, names)
            yield from _patches(node, names)
            yield from _changes(node, names)
            yield from _computed(node, names)
            yield from _skips(node)
        yield from _source_reads(statement, names, self._paths)


def _match(dotted: str, table: Iterable[str]) -> str:
    return next((entry for entry in table if dotted == entry or dotted.startswith((f"{entry}.", f"{entry}()"))), "")


def _mentioned(node: ast.AST, names: Resolution) -> Iterator[str]:
    """The dotted names that a node itself denotes or imports."""
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=0)]) if names.dotted(function) == "asyncio.sleep":
            return  # a plain switch to other coroutines
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=str(module), names=aliases):
            yield from (f"{module}.{alias.name}" for alias in aliases)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            if dotted := names.dotted(node):
                yield dotted


def _monkeypatch(node: ast.AST) -> Iterator[str]:
    """`monkeypatch` may set the environment and the directory; it may not leave sight under another name."""
    match node:
        case ast.Attribute(value=ast.Name(id="monkeypatch"), attr=attribute):
            if attribute not in MONKEYPATCH_ALLOWED:
                yield f"mocks monkeypatch.{attribute}"
        case ast.Call(args=args, keywords=keywords):
            passed = [*args, *(keyword.value for keyword in keywords)]
            if any(isinstance(value, ast.Name) and value.id == "monkeypatch" for value in passed):
                yield "mocks: passes monkeypatch on"
        case ast.Assign(value=ast.Name(id="monkeypatch")) | ast.NamedExpr(value=ast.Name(id="monkeypatch")):
            yield "mocks: monkeypatch under another name"


def _fixtures(node: ast.AST, names: Resolution) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            arguments = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
            for name in sorted((arguments - _provided(node)) & MOCK_FIXTURES):
                yield f"mocks: fixture {name}"
        case ast.Call(func=ast.Attribute(attr="getfixturevalue"), args=[name, *_]):
            fixture = names.text(name)
            if fixture is None or fixture in {*MOCK_FIXTURES, "monkeypatch"}:
                yield f"mocks: fixture {fixture or 'of a computed name'}"


def _provided(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Arguments that a decorator fills: `given` by name or from the right, `parametrize` by its first argument."""
    found: set[str] = set()
    arguments = [argument.arg for argument in function.args.args]
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call):
            found |= {keyword.arg for keyword in decorator.keywords if keyword.arg}
            found |= {
                name.strip()
                for value in decorator.args
                if isinstance(value, ast.Constant) and isinstance(value.value, str)
                for name in value.value.split(",")
            }
            if isinstance(decorator.func, ast.Name) and decorator.func.id == "given" and decorator.args:
                found |= set(arguments[-len(decorator.args) :])
    return found


def _patches(node: ast.AST, names: Resolution) -> Iterator[str]:
    """Replacing an attribute of something imported is a mock, made by hand."""
    for target in _written(node):
        if isinstance(target, ast.Attribute) and names.is_imported(target.value):
            dotted = names.dotted(target)
            if dotted not in INPUT_CHANNELS:
                yield f"mocks: replaces {dotted}"
        elif isinstance(target, ast.Subscript):
            base = names.dotted(target.value)
            if base == "sys.modules" or base.endswith(".__dict__") or _is_vars_of_import(target.value, names):
                yield f"mocks: replaces an entry of {base}"
    if isinstance(node, ast.Call) and node.args:
        setter = names.dotted(node.func)
        if setter in {"setattr", "delattr", "object.__setattr__", "type.__setattr__"} and names.is_imported(
            node.args[0]
        ):
            yield f"mocks: replaces an attribute of {names.dotted(node.args[0])}"


def _changes(node: ast.AST, names: Resolution) -> Iterator[str]:
    """The same by other ways: the table of a module's names, or what a function is made of."""
    if isinstance(node, ast.Attribute) and node.attr in INNARDS:
        yield f"reaches into what it tests by {node.attr}"
    match node:
        case ast.Call(func=ast.Attribute(value=table, attr=attribute)) if attribute in CHANGES:
            base = names.dotted(table)
            held = isinstance(table, ast.Attribute) and table.attr == "__dict__" and names.is_imported(table.value)
            if held or base == "sys.modules" or _is_vars_of_import(table, names):
                yield f"mocks: changes {base or 'the names of a module'}"


def _written(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return [part for target in targets for part in _unpacked(target)]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            return _unpacked(target)
        case ast.withitem(optional_vars=ast.expr() as target):
            return _unpacked(target)
    return []


def _unpacked(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        return [part for element in target.elts for part in _unpacked(element)]
    return [target]


def _is_vars_of_import(node: ast.expr, names: Resolution) -> bool:
    return (
        isinstance(node, ast.Call)
        and names.dotted(node.func) == "vars"
        and bool(node.args)
        and names.is_imported(node.args[0])
    )


def _computed(node: ast.AST, names: Resolution) -> Iterator[str]:
    """Imports, attributes of modules and code of which the text is not known."""
    if not isinstance(node, ast.Call) or not node.args:
        return
    callee = names.dotted(node.func)
    if callee in LOADERS and names.text(node.args[0]) is None:
        yield "imports a module under a computed name"
    if callee in COMPUTED and names.text(node.args[0]) is None:
        yield f"runs computed code by {callee}"
    elif callee in COMPUTED:
        yield f"runs code from text by {callee}"
    if (
        callee == "getattr"
        and len(node.args) > 1
        and names.is_imported(node.args[0])
        and names.text(node.args[1]) is None
    ):
        yield f"reads a computed attribute of {names.dotted(node.args[0])}"


def _skips(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if (
                isinstance(target, ast.Attribute | ast.Name)
                and (getattr(target, "attr", "") or getattr(target, "id", "")) == "__test__"
            ):
                yield "skips: sets __test__"


def _source_reads(statement: ast.stmt, names: Resolution, paths: Sequence[str]) -> Iterator[str]:
    """Opening an implementation file, by its path or by `__file__`, also through a variable."""
    sources: set[str] = set()
    for _ in range(2):
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign) and _names_source(node.value, sources, names, paths):
                sources |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call):
            continue
        opened: list[ast.expr] = []
        if names.dotted(node.func) in OPENERS:
            opened = node.args[:1]
        elif isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
            opened = [node.func.value]
        if any(_names_source(value, sources, names, paths) for value in opened):
            yield "reads the implementation's source text"


def _names_source(node: ast.expr, sources: set[str], names: Resolution, paths: Sequence[str]) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr in {"__file__", "origin"}:
            return True
        if isinstance(part, ast.Name) and part.id in sources:
            return True
        text = names.text(part)
        if text and any(
            PurePosixPath(path).parts[-len(PurePosixPath(text).parts) :] == PurePosixPath(text).parts for path in paths
        ):
            return True
    return False
