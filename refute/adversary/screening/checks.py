"""Whether a test checks anything: what every reader of tests sees. The rest shows when it runs.

A test that passes whatever the code does is not attested (`judgement.provenance`) or passes on hollow code too
(`strength.scoring`), however it hides that: nothing here tries to outwit its writer.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.screening.resolution import Resolution

RAISERS: Final = frozenset({"pytest.raises", "pytest.warns", "pytest.deprecated_call"})
SWALLOWING: Final = frozenset({"AssertionError", "Exception", "BaseException"})
KNOWN: Final = frozenset(dir(builtins))


def unchecked(closure: Sequence[ast.stmt], names: Resolution) -> str:
    """Why a test proves nothing; empty where one of its checks may fail.

    Args:
        closure: every statement that runs with it.
        names: resolves the file's names.
    """
    faults = [fault for statement in closure for fault in _faults(statement, names)]
    return next(iter(faults), "asserts nothing") if all(faults) else ""


def _faults(statement: ast.stmt, names: Resolution) -> Iterator[str]:
    """What is wrong with each check below a statement; empty for one that may fail."""
    constant, names = _Constants(statement), names.within(statement)
    hidden = {id(part) for node in ast.walk(statement) for part in _hidden(node, names)}
    awaited = {id(part) for node in ast.walk(statement) for part in _awaited(node, names)}
    for node in ast.walk(statement):
        if id(node) in hidden:
            yield "catches the failure of its own check"
            continue
        match node:
            case ast.Assert(test=test):
                shown = ast.unparse(test)[:80]
                fails = isinstance(test, ast.Constant)
                own = f"asserts on its own constants: {shown}" if constant.holds(test) and not fails else ""
                yield f"asserts what is always true: {shown}" if _always_true(test) else own
            case ast.Raise() if id(node) not in awaited:
                yield ""
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    if isinstance(item.context_expr, ast.Call) and _is_raiser(item.context_expr, names):
                        yield _expects_itself(statement, item.context_expr, body, constant)
            case ast.Call() if names.dotted(node.func) == "pytest.fail" or (
                len(node.args) > 1 and _is_raiser(node, names)
            ):
                yield ""


class _Constants:
    """Knows what of a function depends on nothing that runs.

    Args:
        statement: the function; names that it binds to anything but constants are none.
    """

    def __init__(self, statement: ast.stmt) -> None:
        assigned = [node for node in ast.walk(statement) if isinstance(node, ast.Assign)]
        stored = [
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        ]
        self._names: set[str] = set()
        for node in assigned:
            match node.targets:
                case [ast.Name(id=name)] if stored.count(name) == 1 and isinstance(node.value, ast.Constant):
                    self._names.add(name)

    def holds(self, *nodes: ast.AST) -> bool:
        """Whether these hold nothing but constants and built-in functions."""
        names = (part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name))
        return all(name in self._names or name in KNOWN for name in names)


def _is_raiser(node: ast.Call, names: Resolution) -> bool:
    return names.dotted(node.func) in RAISERS


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


def _hidden(node: ast.AST, names: Resolution) -> Iterator[ast.AST]:
    """Checks whose failure goes no further: in a `try` that goes on, in `suppress`, in `raises(AssertionError)`."""
    match node:
        case ast.Try(body=body, handlers=handlers):
            swallow = any(_catches(one.type) and not any(map(_may_fail, ast.walk(one))) for one in handlers)
        case ast.With(items=[ast.withitem(context_expr=ast.Call(func=function, args=kinds)), *_], body=body):
            swallow = names.dotted(function) in {*RAISERS, "contextlib.suppress"} and any(map(_catches, kinds))
        case _:
            return
    for statement in body if swallow else ():
        yield from (part for part in ast.walk(statement) if isinstance(part, ast.Assert))


def _awaited(node: ast.AST, names: Resolution) -> Iterator[ast.AST]:
    """What is raised in a block that waits for it."""
    match node:
        case ast.With(items=[ast.withitem(context_expr=ast.Call() as manager), *_], body=body) if _is_raiser(
            manager, names
        ):
            yield from (part for one in body for part in ast.walk(one) if isinstance(part, ast.Raise))


def _catches(kind: ast.expr | None) -> bool:
    """Whether a failed assertion is of a kind that is caught."""
    return kind is None or any(isinstance(part, ast.Name) and part.id in SWALLOWING for part in ast.walk(kind))


def _may_fail(node: ast.AST) -> bool:
    match node:
        case ast.Raise():
            return True
        case ast.Assert(test=test):
            return not _always_true(test)
        case ast.Call(func=ast.Attribute(attr="fail") | ast.Name(id="fail")):
            return True
    return False


def _expects_itself(statement: ast.stmt, raiser: ast.Call, body: Sequence[ast.stmt], constant: _Constants) -> str:
    """Whether a block raises by itself what it waits for; empty where it does not."""
    if constant.holds(*body):
        return "expects an error from code that is not the implementation"
    expected = {
        ast.unparse(part) for one in raiser.args[:1] for part in (one.elts if isinstance(one, ast.Tuple) else [one])
    }
    made = {
        node.targets[0].id: node.value
        for node in ast.walk(statement)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in (part for one in body for part in ast.walk(one) if isinstance(part, ast.Raise)):
        error = made.get(node.exc.id, node.exc) if isinstance(node.exc, ast.Name) else node.exc
        if error is not None and ast.unparse(error.func if isinstance(error, ast.Call) else error) in expected:
            return "expects an error that it raises itself"
    return ""
