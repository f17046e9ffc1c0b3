"""The pytest plugins of a worker: the test file, which is in memory only, and how each test went, over the pipe."""

import ast
import copy
import linecache
import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from refute.driver.attestation import Attestation
from refute.driver.awaiting import forget_ended_loop
from refute.driver.exceptions import Territory, comes_of_proxy, compares_identity, cut, describe
from refute.driver.settings import forget_marks

NOTED: Final = "@refute_noted"
"""No name that a test could write."""
BLOCKS: Final = frozenset({"raises", "warns", "deprecated_call"})


class MemoryModule(pytest.Module):
    """A test module made from a source that is on no disk."""

    source: bytes = b""
    names: dict[str, Any]
    noted: Callable[..., None]

    def _getobj(self) -> ModuleType:
        path = str(self.path)
        module = ModuleType(self.path.stem)
        module.__file__ = path
        module.__dict__["__builtins__"] = self.names
        module.__dict__[NOTED] = self.noted
        sys.modules[module.__name__] = module
        try:
            tree = ast.parse(self.source, filename=path)
            note_checks(tree)
            rewrite_asserts(tree, self.source, path, self.config)
            exec(compile(tree, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # what a test runner does
        except Exception as error:
            text = pytest.ExceptionInfo.from_exception(error).getrepr(style="short")
            raise self.CollectError(f"Importing the test file failed.\n{text}") from error
        return module


class Collector:
    """The plugin that has the test file collected from memory."""

    def __init__(self, source: bytes, names: dict[str, Any], noted: Callable[..., None]) -> None:
        self._noted = noted
        self._source = source
        self._names = names

    def pytest_pycollect_makemodule(self, module_path: Any, parent: Any) -> pytest.Module:
        """The module, with its lines where tracebacks and Hypothesis look for them."""
        text = self._source.decode("utf-8", "replace")
        linecache.cache[str(module_path)] = (len(text), None, text.splitlines(keepends=True), str(module_path))
        module: MemoryModule = MemoryModule.from_parent(parent, path=module_path)
        module.source, module.names, module.noted = self._source, self._names, self._noted
        return module


def note_checks(tree: ast.Module) -> None:
    """Put behind each assertion, and each block that must raise, a call that notes that it ran."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    written = {alias.asname: alias.name for node in imports for alias in node.names if alias.asname}
    for node in list(ast.walk(tree)):
        for _, body in ast.iter_fields(node):
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                body[:] = [part for one in body for part in (one, *_note(one, written))]


def _note(node: ast.stmt, written: dict[str, str]) -> Iterator[ast.stmt]:
    match node:
        case ast.Assert():
            calls: list[ast.expr] = []
        case ast.With(items=items) | ast.AsyncWith(items=items):
            calls = [item.context_expr for item in items if _name(item.context_expr) in BLOCKS]
            if not calls:
                return
        case ast.Expr(value=ast.Call() as checks) if _name(checks) in BLOCKS or "assert" in _name(checks).lower():
            calls = [checks] if _name(checks) in BLOCKS else []
        case _:
            return
    kinds: list[ast.expr] = []
    for call in calls:
        first = call.args[:1] if isinstance(call, ast.Call) else []
        for one in first[0].elts if first and isinstance(first[0], ast.Tuple) else first:
            if isinstance(one, ast.Name | ast.Attribute):
                name = ast.Constant(written.get(_name(one), _name(one)))
                kinds.append(ast.Tuple([name, copy.deepcopy(one)], ast.Load()))
    noting = ast.Call(ast.Name(NOTED, ast.Load()), [ast.Constant(node.lineno), *kinds], [])
    yield ast.fix_missing_locations(ast.copy_location(ast.Expr(noting), node))


def _name(node: ast.expr) -> str:
    """The last name of a dotted one, or of what is called."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


TRACEBACK_CHARS = 12_000
Send = Callable[[str, dict[str, Any]], None]


class Reporter:
    """Reports the events of one pytest session."""

    def __init__(self, send: Send, asked: Sequence[str], territory: Territory, facts: Attestation) -> None:
        self._send = send
        self._order = {name: place for place, name in enumerate(asked)}
        self._territory = territory
        self._facts = facts
        self._error: dict[str, Any] | None = None
        self._calling = False
        self._of_part: BaseException | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Before anything of the implementation is imported: nothing says to programs that this is a test.

        Nor does pytest print anything: what it knows goes to the supervisor, and canaries are nobody else's business.
        """
        forget_marks()
        config.get_terminal_writer()._file = Path(os.devnull).open("w")  # noqa: SIM115, SLF001  # there is no option

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep what was asked for, in the order in which it was asked."""
        kept = [item for item in items if function_name(item.nodeid) in self._order]
        items[:] = sorted(kept, key=lambda item: self._order[function_name(item.nodeid)])
        for item in items:
            self._prepare(getattr(item, "obj", None))
        self._send("collected", {"ids": [item_id(item.nodeid) for item in items]})

    def _prepare(self, test: Any) -> None:
        """Unhurry a test, and count the inputs that are drawn for it."""
        unhurried(test)
        drawing = getattr(getattr(test, "__func__", test), "hypothesis", None)
        if drawing is not None and not hasattr(drawing.inner_test, "__wrapped__"):
            drawing.inner_test = self._facts.counting(drawing.inner_test)

    def pytest_exception_interact(self, call: pytest.CallInfo[Any], report: Any) -> None:
        """Note why the test file could not be collected; pytest wraps import errors, the cause is what happened."""
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            error = call.excinfo.value
            data = describe(error.__cause__ or error, self._territory)
            data["traceback"] = cut(report.longreprtext, TRACEBACK_CHARS)
            self._send("uncollectable", data)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Frame one test between `start` and `finish`."""
        self._error = None
        forget_ended_loop()
        self._facts.begin(function_name(item.nodeid))
        self._send("start", {"id": item_id(item.nodeid)})
        result = yield
        self._send("finish", {"id": item_id(item.nodeid), **self._facts.facts()})
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """See with our own eyes how the test function ended, whatever pytest's reports say afterwards."""
        self._facts.watch(pyfuncitem.obj)
        self._calling, self._of_part = True, None
        try:
            result = yield
            if self._of_part is not None:
                raise self._of_part  # noqa: TRY301  # as if the test had not gone on
        except (KeyboardInterrupt, pytest.exit.Exception) as error:
            # pytest would end the session on these; they are this test's failure.
            self._called(pyfuncitem, error)
            raise RuntimeError(f"the test ended with {type(error).__name__}") from error
        except BaseException as error:
            self._called(pyfuncitem, error)
            raise
        self._called(pyfuncitem, None)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Pass on each phase's report, with the error of set-up and tear-down."""
        try:
            report = yield
        except Exception as unshown:  # what a report shows is asked of both sides; it would end the session
            report = _bare_report(item, call, unshown)
        if self._calling:  # of a part that the fixture `subtests` runs: the first that fails is the test's failure
            if report.failed and call.excinfo is not None:
                self._of_part = self._of_part or call.excinfo.value
            return report
        error = self._error if call.when == "call" else None
        if error is None and call.excinfo is not None:
            error = describe(call.excinfo.value, self._territory)
            # A set-up is judged by whose error it is alone; whoever hides its frames has raised it all the same.
            error["raised_in_implementation"] |= "_refute_called_" in getattr(call.excinfo.value, "__dict__", {})
        data = {"id": item_id(item.nodeid), "when": report.when, "outcome": report.outcome, **(error or {})}
        self._send("phase", {**data, "traceback": cut(report.longreprtext, TRACEBACK_CHARS)})
        return report

    def _called(self, item: pytest.Item, error: BaseException | None) -> None:
        self._calling = False
        self._error = describe(error, self._territory) if error is not None else None
        if error is not None and compares_identity(error):
            self._facts.objects.lose("needs the implementation in the test's process: compares the identity of values")
        if error is not None and (reason := comes_of_proxy(error, self._facts.objects.classes.standing)) is not None:
            self._facts.objects.lose(reason)
        if error is None:
            self._facts.passed()
        self._send("called", {"id": item_id(item.nodeid), "raised": error is not None, **(self._error or {})})


def unhurried(test: Any) -> None:
    """Take Hypothesis's limits of time and of rejected inputs off a test.

    Code that dawdles where it is wrong, or has many inputs rejected, would have that reported instead of its error.
    """
    function = getattr(test, "__func__", test)
    chosen = getattr(function, "_hypothesis_internal_use_settings", None)
    if chosen is not None:
        from hypothesis import HealthCheck, settings

        calm = {HealthCheck.filter_too_much, *chosen.suppress_health_check}
        function._hypothesis_internal_use_settings = settings(  # noqa: SLF001  # where `@settings` puts them
            chosen, deadline=None, suppress_health_check=list(calm)
        )


def _bare_report(item: pytest.Item, call: pytest.CallInfo[None], error: Exception) -> pytest.TestReport:
    """A failed phase of which pytest could not show more; one that passed, too, must not count as passed."""
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={},
        outcome="failed",
        longrepr=f"pytest could not show it ({type(error).__name__})",
        when=call.when,  # type: ignore[arg-type]  # a phase of a test
        duration=call.duration,
        start=call.start,
        stop=call.stop,
    )


def item_id(node_id: str) -> str:
    """The part of a node id behind the file: `test_x[1]`."""
    return node_id.split("::", 1)[-1]


def function_name(node_id: str) -> str:
    """The test function of a node id, without parameters."""
    return item_id(node_id).split("[", 1)[0]


def hide_names() -> None:
    """Keep names of tests out of the environment and of the folders that tests get.

    `test_add[2-3-5]` is what pytest would put into `PYTEST_CURRENT_TEST`, and `test_add_2_3_5_0` what it would call
    `tmp_path` (https://docs.pytest.org/en/stable/how-to/tmp_path.html, 2026-11-22).

    Raises:
        AttributeError: this version of pytest does it elsewhere.
    """
    from _pytest import runner, tmpdir

    if not (hasattr(runner, "_update_current_test_var") and hasattr(tmpdir, "_mk_tmp")):
        raise AttributeError("this version of pytest puts names of tests elsewhere: got neither of the known places")
    runner._update_current_test_var = lambda *_: None  # noqa: SLF001  # there is no public way
    tmpdir._mk_tmp = _unnamed  # noqa: SLF001


def _unnamed(request: Any, factory: Any) -> Path:
    del request  # whose name it would be
    folder: Path = factory.mktemp("test", numbered=True)
    return folder
