"""What hides the failure of a test's own check: handlers that go on, blocks that wait for it, ways out past it."""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

SWALLOWING: Final = frozenset({"AssertionError", "Exception", "BaseException"})
NESTED: Final = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def catches_all(kinds: Sequence[ast.expr]) -> bool:
    """Whether a failed assertion is among the kinds of errors that are caught."""
    return any(name in SWALLOWING for name in _named(kinds))


def waits_for_assertion(kinds: Sequence[ast.expr]) -> bool:
    """Whether a handler names failed assertions."""
    return "AssertionError" in _named(kinds)


def own_checks(body: Sequence[ast.stmt]) -> bool:
    """Whether a block holds an assertion, or fails in words."""
    return any(isinstance(part, ast.Assert) or _fails(part) for part in _inside(body))


def certainly_fails(body: Sequence[ast.stmt]) -> bool:
    """Whether a block, once entered, ends in a failure."""
    for statement in body:
        match statement:
            case ast.Raise():
                return True
            case ast.Assert(test=ast.Constant(value=value)) if not value:
                return True
            case ast.Expr(value=value) if _fails(value):
                return True
            case ast.Return():
                return False
    return False


def leaves_early(body: Sequence[ast.stmt]) -> bool:
    """Whether a `finally` block returns: whatever was raised before it is lost then."""
    return any(isinstance(part, ast.Return | ast.Break | ast.Continue) for part in _inside(body))


def assumed_in(function: ast.AST) -> set[int]:
    """Ids of the assertions that repeat what an `if` around them, or an `assume`, has asked already."""
    nodes = list(ast.walk(function))
    assumed = {
        ast.dump(node.args[0])
        for node in nodes
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).rpartition(".")[2] == "assume"
    }
    found = {id(node) for node in nodes if isinstance(node, ast.Assert) and ast.dump(node.test) in assumed}
    for node in nodes:
        if isinstance(node, ast.If | ast.While):
            asked = ast.dump(node.test)
            inner = (part for statement in node.body for part in ast.walk(statement))
            found |= {id(part) for part in inner if isinstance(part, ast.Assert) and ast.dump(part.test) == asked}
    return found


def _fails(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"pytest.fail", "fail"}


def _named(kinds: Sequence[ast.expr]) -> set[str]:
    return {part.id for kind in kinds for part in ast.walk(kind) if isinstance(part, ast.Name)}


def _inside(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Every node of a block, without those of functions that are only defined there."""
    queue: list[ast.AST] = list(body)
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, NESTED):
            queue.extend(ast.iter_child_nodes(node))
