"""Whether a test can fail because of the implementation: does it check something that depends on it?"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from refute.adversary.references import ImplementationUse
from refute.adversary.screening.aliases import aliases_in, renamed
from refute.adversary.screening.resolution import Resolution
from refute.adversary.screening.swallowing import (
    assumed_in,
    catches_all,
    certainly_fails,
    leaves_early,
    own_checks,
    waits_for_assertion,
)
from refute.adversary.screening.taint import RAISERS, Taint, calls, run_inside
from refute.adversary.screening.tautology import always_true

MEANINGFUL: Final = ""
NOTHING: Final = "asserts nothing"
NEVER_RUN: Final = "is parametrized with nothing, so that it never runs"
ITSELF: Final = "fails by itself, whatever the implementation does"
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def vacuity(
    test: ast.FunctionDef,
    closure: Sequence[ast.stmt],
    names: Resolution,
    use: ImplementationUse,
    *,
    sameness: bool,
) -> str:
    """Why a test proves nothing; empty where one of its checks depends on the implementation.

    Args:
        test: the test function.
        closure: every statement that runs with it.
        names: resolves the file's names.
        use: tells which names of the file refer to the implementation.
        sameness: the claim speaks of equal results of equal calls, so that comparing a call with itself counts.
    """
    if any(_runs_on_nothing(one, names) for one in test.decorator_list):
        return NEVER_RUN
    helpers = {node.name: node for node in closure if isinstance(node, FUNCTION) and node is not test}
    checks = _Checks(test, helpers, names, use, sameness=sameness)
    found = list(checks.of(test.body, guarded=False))
    return MEANINGFUL if MEANINGFUL in found else next(iter(found), NOTHING)


class _Checks:
    """Goes through a function's statements; yields one fault per check that can be reached, empty for a good one.

    Args:
        function: the test, or a helper of it, of which every argument may come from the implementation.
        helpers: functions of the file that run with it, by name.
        names: resolves the file's names.
        use: tells which names of the file refer to the implementation.
        sameness: as above.
        known: what each helper checks, once that is known, and nothing while it is found out; None for the test.
    """

    def __init__(
        self,
        function: FUNCTION,
        helpers: Mapping[str, FUNCTION],
        names: Resolution,
        use: ImplementationUse,
        *,
        sameness: bool,
        known: dict[tuple[str, bool], list[str]] | None = None,
    ) -> None:
        self._run = run_inside(function)
        self._helpers = helpers
        self._names = names = names.within(function)
        self._use = use
        self._taint = Taint(function, names, use, of_caller=known is not None)
        self._aliases = aliases_in(function)
        assigned = [one for one in ast.walk(function) if isinstance(one, ast.Assign)]
        self._made = {name.id: one.value for one in assigned for name in one.targets if isinstance(name, ast.Name)}
        self._assumed = assumed_in(function)
        self._sameness = sameness
        self._known = {} if known is None else known

    def of(self, body: Sequence[ast.stmt], *, guarded: bool) -> Iterator[str]:
        """The checks of a block; `guarded` where reaching it depends on the implementation."""
        for statement in body:
            yield from self._of_statement(statement, guarded=guarded)
            if isinstance(statement, ast.Return | ast.Break | ast.Continue | ast.Raise):
                return

    def _of_statement(self, statement: ast.stmt, *, guarded: bool) -> Iterator[str]:  # noqa: C901  # a case per kind
        match statement:
            case ast.Assert():
                yield self._assertion(statement, guarded=guarded)
            case ast.Raise():
                yield MEANINGFUL if guarded else ITSELF
            case ast.With() | ast.AsyncWith():
                yield from self._with(statement, guarded=guarded)
            case ast.If(test=ast.Constant(value=value)):
                yield from self.of(statement.body if value else statement.orelse, guarded=guarded)
            case ast.While(test=ast.Constant(value=value)) if not value:
                yield from self.of(statement.orelse, guarded=guarded)
            case ast.For(iter=iterated) | ast.AsyncFor(iter=iterated) if _is_empty(iterated):
                yield from self.of(statement.orelse, guarded=guarded)
            case (
                ast.If(test=condition)
                | ast.While(test=condition)
                | ast.For(iter=condition)
                | ast.AsyncFor(iter=condition)
            ):
                inner = guarded or self._taint.depends(condition)
                yield from self.of([*statement.body, *statement.orelse], guarded=inner)
            case ast.Match(subject=subject, cases=cases):
                inner = guarded or self._taint.depends(subject)
                for one in cases:
                    yield from self.of(one.body, guarded=inner)
            case ast.Try():
                yield from self._try(statement, guarded=guarded)
            case ast.FunctionDef(name=name, body=body) | ast.AsyncFunctionDef(name=name, body=body):
                yield from self.of(body, guarded=guarded) if name in self._run else ()
            case ast.Expr() | ast.Assign() | ast.AnnAssign() | ast.Return():
                yield from self._calls(statement, guarded=guarded)

    def _assertion(self, statement: ast.Assert, *, guarded: bool) -> str:
        condition = statement.test
        shown = ast.unparse(condition)[:80]
        if id(statement) in self._assumed:
            return f"asserts only where it holds anyway: {shown}"
        if always_true(renamed(condition, self._aliases), sameness=self._sameness):
            return f"asserts what is always true: {shown}"
        if guarded or self._taint.depends(condition):
            return MEANINGFUL
        return f"asserts on its own constants: {shown}"

    def _with(self, statement: ast.With | ast.AsyncWith, *, guarded: bool) -> Iterator[str]:
        managers = [item.context_expr for item in statement.items]
        called = {self._names.dotted(manager.func): manager for manager in managers if isinstance(manager, ast.Call)}
        raiser = next((manager for name, manager in called.items() if name in RAISERS), None)
        if raiser is not None and (fault := self._expects_itself(raiser, statement.body)):
            yield fault
            return
        if raiser is not None:
            good = self._taint.depends(*statement.body)
            yield MEANINGFUL if good else "expects an error from code that is not the implementation"
        suppress = called.get("contextlib.suppress")
        if suppress is None or not catches_all(suppress.args):
            yield from self.of(statement.body, guarded=guarded)

    def _expects_itself(self, raiser: ast.Call, body: Sequence[ast.stmt]) -> str:
        """Whether the test raises by itself what it waits for; empty where it does not."""
        if any(self._raises(one, raiser.args[:1]) or _fails(one) for one in _always_run(body)):
            return "expects an error that it raises itself"
        if catches_all([*raiser.args[:1], *(one.value for one in raiser.keywords)]) and own_checks(body):
            return "expects its own check to fail"
        return ""

    def _raises(self, statement: ast.stmt, expected: Sequence[ast.expr]) -> bool:
        """Whether a statement raises what the implementation has no part in, or just the error that is expected."""
        if not isinstance(statement, ast.Raise):
            return False
        raised = self._made.get(statement.exc.id) if isinstance(statement.exc, ast.Name) else statement.exc
        kind = raised.func if isinstance(raised, ast.Call) else raised or statement.exc
        listed = [part for one in expected for part in (one.elts if isinstance(one, ast.Tuple) else [one])]
        same = kind is not None and ast.unparse(kind) in map(ast.unparse, listed)
        return same or not self._taint.depends(statement)

    def _try(self, statement: ast.Try, *, guarded: bool) -> Iterator[str]:
        """Checks in the body count unless a handler catches what they raise and goes on."""
        inner = guarded or self._taint.depends(*statement.body)
        swallowed = leaves_early(statement.finalbody)
        for handler in statement.handlers:
            found = list(self.of(handler.body, guarded=inner))
            caught = [handler.type] if handler.type is not None else []
            # It is there for the test's own failure, and what it checks is about that, unless it fails for sure.
            hides = waits_for_assertion(caught) and own_checks(statement.body) and not certainly_fails(handler.body)
            yield from ["catches the failure of its own check"] if hides else found
            swallowed = swallowed or hides or (MEANINGFUL not in found and (not caught or catches_all(caught)))
        if not swallowed:
            yield from self.of(statement.body, guarded=guarded)
        yield from self.of([*statement.orelse, *statement.finalbody], guarded=inner)

    def _calls(self, statement: ast.stmt, *, guarded: bool) -> Iterator[str]:
        """`pytest.fail(…)`, `pytest.raises(E, f, …)`, and helpers of the file that check."""
        for call in calls(statement):
            callee = self._names.dotted(call.func)
            depends = guarded or self._taint.depends(call)
            if callee == "pytest.fail":
                yield MEANINGFUL if guarded else ITSELF
            elif callee in RAISERS:
                yield MEANINGFUL if depends else "expects an error from code that is not the implementation"
            elif depends and isinstance(call.func, ast.Name):
                yield from self._of_helper(call.func.id, statement, guarded=guarded)

    def _of_helper(self, name: str, statement: ast.stmt, *, guarded: bool) -> Iterator[str]:
        """What a helper checks, itself or by another helper; each is gone through once."""
        helper = self._helpers.get(name)
        if helper is None or name not in run_inside(statement, defined_here=[helper]):
            return
        if (name, guarded) not in self._known:
            self._known[name, guarded] = []
            checks = _Checks(helper, self._helpers, self._names, self._use, sameness=self._sameness, known=self._known)
            self._known[name, guarded] = list(checks.of(helper.body, guarded=guarded))
        yield from self._known[name, guarded]


def _always_run(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of the `with` blocks in it."""
    for one in body:
        yield one
        if isinstance(one, ast.With):
            yield from _always_run(one.body)


def _runs_on_nothing(decorator: ast.expr, names: Resolution) -> bool:
    """Whether a decorator is `parametrize` with no set of arguments: pytest then skips the test."""
    if not isinstance(decorator, ast.Call) or names.dotted(decorator.func) != "pytest.mark.parametrize":
        return False
    given = [*decorator.args[1:2], *(one.value for one in decorator.keywords if one.arg == "argvalues")]
    return any(_is_empty(one) for one in given)


def _fails(statement: ast.stmt) -> bool:
    """Whether a statement is sure to fail with nothing but constants in it: `1 / 0`, `[][0]`."""
    match statement:
        case ast.Expr(value=value) | ast.Assign(value=value):
            pass
        case _:
            return False
    match value:
        case ast.BinOp(left=ast.Constant(), op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=ast.Constant(value=0)):
            return not isinstance(value.left, ast.Constant) or not isinstance(value.left.value, str | bytes)
        case ast.Subscript(value=ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]), slice=ast.Constant()):
            return True
    return False


def _is_empty(iterated: ast.expr) -> bool:
    """Whether a loop over this never comes to its body."""
    match iterated:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.Constant(value="" | b""):
            return True
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as number)]):
            return number <= 0
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "dict" | "frozenset"), args=[], keywords=[]):
            return True
    return False
