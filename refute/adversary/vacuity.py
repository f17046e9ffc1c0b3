"""Whether a test can fail because of the implementation: does it check something that depends on it?"""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.references import ImplementationUse, loaded
from refute.adversary.resolution import Resolution
from refute.adversary.taint import RAISERS, Taint, calls

SWALLOWING: Final = frozenset({"AssertionError", "Exception", "BaseException"})
MEANINGFUL: Final = ""
NOTHING: Final = "asserts nothing"


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
    helpers = [node for node in closure if isinstance(node, ast.FunctionDef) and node is not test]
    checks = _Checks(test, helpers, names, Taint(test, names, use), sameness=sameness)
    found = list(checks.of(test.body, guarded=False))
    return MEANINGFUL if MEANINGFUL in found else next(iter(found), NOTHING)


class _Checks:
    """Goes through a test's statements; yields one fault per check that can be reached, empty for a good one."""

    def __init__(
        self,
        test: ast.FunctionDef,
        helpers: Sequence[ast.FunctionDef],
        names: Resolution,
        taint: Taint,
        *,
        sameness: bool,
    ) -> None:
        self._used = loaded(test)
        self._helpers = {helper.name: helper for helper in helpers}
        self._names = names
        self._taint = taint
        self._sameness = sameness

    def of(self, body: Sequence[ast.stmt], *, guarded: bool) -> Iterator[str]:
        """The checks of a block; `guarded` where reaching it depends on the implementation."""
        for statement in body:
            yield from self._of_statement(statement, guarded=guarded)
            if isinstance(statement, ast.Return | ast.Break | ast.Continue | ast.Raise):
                return

    def _of_statement(self, statement: ast.stmt, *, guarded: bool) -> Iterator[str]:  # noqa: C901  # a case per kind
        match statement:
            case ast.Assert():
                yield self._assertion(statement.test, guarded=guarded)
            case ast.Raise():
                yield MEANINGFUL if guarded else "fails by itself, whatever the implementation does"
            case ast.With() | ast.AsyncWith():
                yield from self._with(statement, guarded=guarded)
            case ast.If(test=ast.Constant(value=value)):
                yield from self.of(statement.body if value else statement.orelse, guarded=guarded)
            case ast.If(test=condition) | ast.While(test=condition) | ast.For(iter=condition):
                inner = guarded or self._taint.depends(condition)
                yield from self.of([*statement.body, *statement.orelse], guarded=inner)
            case ast.Match(subject=subject, cases=cases):
                inner = guarded or self._taint.depends(subject)
                for one in cases:
                    yield from self.of(one.body, guarded=inner)
            case ast.Try():
                yield from self._try(statement, guarded=guarded)
            case ast.FunctionDef(name=name, body=body) if name in self._used:
                yield from self.of(body, guarded=guarded)
            case ast.Expr() | ast.Assign() | ast.AnnAssign():
                yield from self._calls(statement, guarded=guarded)

    def _assertion(self, condition: ast.expr, *, guarded: bool) -> str:
        shown = ast.unparse(condition)[:80]
        if always_true(condition, sameness=self._sameness):
            return f"asserts what is always true: {shown}"
        if guarded or self._taint.depends(condition):
            return MEANINGFUL
        return f"asserts on its own constants: {shown}"

    def _with(self, statement: ast.With | ast.AsyncWith, *, guarded: bool) -> Iterator[str]:
        managers = [item.context_expr for item in statement.items]
        called = {self._names.dotted(manager.func): manager for manager in managers if isinstance(manager, ast.Call)}
        if not RAISERS.isdisjoint(called):
            good = self._taint.depends(*statement.body)
            yield MEANINGFUL if good else "expects an error from code that is not the implementation"
        suppress = called.get("contextlib.suppress")
        if suppress is None or not _catches_all(suppress.args):
            yield from self.of(statement.body, guarded=guarded)

    def _try(self, statement: ast.Try, *, guarded: bool) -> Iterator[str]:
        """Checks in the body count unless a handler catches what they raise and goes on."""
        inner = guarded or self._taint.depends(*statement.body)
        swallowed = False
        for handler in statement.handlers:
            found = list(self.of(handler.body, guarded=inner))
            yield from found
            caught = [handler.type] if handler.type is not None else []
            swallowed = swallowed or (not found and (not caught or _catches_all(caught)))
        if not swallowed:
            yield from self.of(statement.body, guarded=guarded)
        yield from self.of([*statement.orelse, *statement.finalbody], guarded=inner)

    def _calls(self, statement: ast.stmt, *, guarded: bool) -> Iterator[str]:
        """`pytest.fail(…)`, `pytest.raises(E, f, …)`, and helpers of the file that check."""
        for call in calls(statement):
            callee = self._names.dotted(call.func)
            depends = self._taint.depends(call)
            if callee == "pytest.fail":
                yield MEANINGFUL if guarded else "fails by itself, whatever the implementation does"
            elif callee in RAISERS:
                yield MEANINGFUL if depends else "expects an error from code that is not the implementation"
            elif depends and isinstance(call.func, ast.Name) and self._asserts(call.func.id, set()):
                yield MEANINGFUL

    def _asserts(self, name: str, seen: set[str]) -> bool:
        """Whether a helper checks something, itself or by another helper."""
        helper = self._helpers.get(name)
        if helper is None or name in seen:
            return False
        seen.add(name)
        if any(isinstance(part, ast.Assert | ast.Raise) for part in ast.walk(helper)):
            return True
        inner = list(calls(helper))
        if any(self._names.dotted(call.func) in {*RAISERS, "pytest.fail"} for call in inner):
            return True
        return any(isinstance(call.func, ast.Name) and self._asserts(call.func.id, seen) for call in inner)


def always_true(condition: ast.expr, *, sameness: bool = False) -> bool:  # noqa: PLR0911  # one return per kind
    """Whether a condition holds whatever the implementation does.

    Args:
        condition: of an assertion.
        sameness: comparing equal expressions says something.
    """
    match condition:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=[_, *_]) | ast.List(elts=[_, *_]) | ast.JoinedStr() | ast.Lambda():
            return True
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(always_true(value, sameness=sameness) for value in values)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(always_true(value, sameness=sameness) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            return not value
        case ast.Compare(left=left, ops=[ast.Is()]) if any(isinstance(part, ast.Call) for part in ast.walk(left)):
            return False  # two calls may well give two objects
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() | ast.LtE() | ast.GtE()], comparators=[right]):
            same = ast.dump(left) == ast.dump(right)
            return (same and not sameness) or _is_length_bound(condition)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
    return False


def _is_length_bound(condition: ast.Compare) -> bool:
    """`len(x) >= 0`."""
    match condition:
        case ast.Compare(left=ast.Call(func=ast.Name(id="len")), ops=[ast.GtE()], comparators=[ast.Constant(value=0)]):
            return True
    return False


def _catches_all(kinds: Sequence[ast.expr]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in SWALLOWING for kind in kinds for part in ast.walk(kind))
