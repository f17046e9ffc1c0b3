"""Whether a test checks anything: what every reader of tests sees. The rest shows when it runs.

A check that never ran, whose failure went no further, or that is about the test's own values is not attested
(`judgement.provenance`); a test that passes whatever the code does passes on hollow code too (`strength.scoring`).
Left for this is what would be attested, and what hollow code may not show where classes cannot be hollowed out.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.screening.resolution import Resolution

RAISERS: Final = frozenset({"pytest.raises", "pytest.warns", "pytest.deprecated_call"})
CATCHING: Final = frozenset({"AssertionError", "Exception", "BaseException"})


def unchecked(closure: Sequence[ast.stmt], names: Resolution) -> str:
    """Why a test proves nothing; empty where one of its checks may fail.

    Args:
        closure: every statement that runs with it.
        names: resolves the file's names.
    """
    faults = [fault for statement in closure for fault in _faults(statement, names.within(statement))]
    return next(iter(faults), "asserts nothing") if all(faults) else ""


def _faults(statement: ast.stmt, names: Resolution) -> Iterator[str]:
    """What is wrong with each check below a statement; empty for one that may fail."""
    inside: set[int] = set()
    for node in ast.walk(statement):  # a block before what stands in it
        match node:
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                raisers = [one.context_expr for one in items if _is_raiser(one.context_expr, names)]
                if raisers:
                    below = [part for one in body for part in ast.walk(one)]
                    fault = _expects_itself(statement, raisers[0], below)
                    inside |= {id(part) for part in below if fault or isinstance(part, ast.Raise)}
                    yield fault
            case ast.Assert(test=test) if id(node) not in inside:
                yield f"asserts what is always true: {ast.unparse(test)[:80]}" if _always_true(test) else ""
            case ast.Raise() if id(node) not in inside:
                yield ""
            case ast.Call(args=[_, _, *_]) if _is_raiser(node, names):
                yield ""
            case ast.Call(func=function) if names.dotted(function) == "pytest.fail":
                yield ""


def _is_raiser(node: ast.expr, names: Resolution) -> bool:
    return isinstance(node, ast.Call) and names.dotted(node.func) in RAISERS


def _always_true(test: ast.expr) -> bool:  # noqa: PLR0911  # a case per kind
    """`assert "text"`, `assert (a, b)`, `x or True`, `x == x`, `len(x) >= 0`, `isinstance(x, object)`."""
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=[_, *_]) | ast.JoinedStr() | ast.Lambda() | ast.GeneratorExp():
            return True
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_always_true(one) for one in values)
        case ast.Compare(left=ast.Call(func=ast.Name(id="len")), ops=[ast.GtE()], comparators=[ast.Constant(value=0)]):
            return True
        case ast.Compare(left=left, ops=[ast.Eq() | ast.LtE() | ast.GtE()], comparators=[right]):
            return ast.dump(left) == ast.dump(right) and not any(isinstance(one, ast.Call) for one in ast.walk(left))
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
    return False


def _expects_itself(statement: ast.stmt, raiser: ast.expr, below: Sequence[ast.AST]) -> str:
    """Whether a block raises by itself what it waits for, or waits for its own failure; empty where it does not."""
    kinds = raiser.args[:1] if isinstance(raiser, ast.Call) else []
    expected = {ast.unparse(part) for one in kinds for part in (one.elts if isinstance(one, ast.Tuple) else [one])}
    if expected & CATCHING and any(isinstance(node, ast.Assert) for node in below):
        return "catches the failure of its own check"
    made = {
        node.targets[0].id: node.value
        for node in ast.walk(statement)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in (node for node in below if isinstance(node, ast.Raise)):
        error = made.get(node.exc.id, node.exc) if isinstance(node.exc, ast.Name) else node.exc
        if error is not None and ast.unparse(error.func if isinstance(error, ast.Call) else error) in expected:
            return "expects an error that it raises itself"
    return ""
