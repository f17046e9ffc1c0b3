"""Examples of asynchronous code: what is awaited for the author, and what the author drives."""

import ast
import builtins
import copy
import textwrap
from collections.abc import Sequence

from refute.adversary.property.expressions import dotted
from refute.adversary.property.namespace import Namespace
from refute.python_syntax import parsed_or_none

_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_ASYNCHRONOUS = ast.Await | ast.AsyncFor | ast.AsyncWith
_RUN, _SETTLED = "asyncio.run", "_settled"


def awaited(expression: ast.expr, namespace: Namespace) -> ast.expr:
    """An expression whose calls of async functions run to their end, as claims write `f(1) == 2` for short.

    Not among the arguments of a call: whoever is given a coroutine drives it, by whatever name (`asyncio.run(f(1))`,
    `loop.run_until_complete(f(1))`, a function of the implementation's). Only builtins never do (`len(f(1))`), and an
    async function that is itself written without `await`. Whoever writes `await` means all of it as written.
    """
    return expression if awaits([expression]) else awaited_apart(expression, namespace)


def awaited_apart(expression: ast.expr, namespace: Namespace) -> ast.expr:
    """The same where no loop can be around it, as in a lambda: each call that is awaited has a loop of its own."""
    visited = _Awaited(namespace).visit(copy.deepcopy(expression))
    return visited if isinstance(visited, ast.expr) else expression


def awaits(nodes: Sequence[ast.AST]) -> bool:
    """Whether code waits in its own scope: it runs only within an async function."""
    return any(
        isinstance(node, _ASYNCHRONOUS)
        or (isinstance(node, ast.comprehension) and bool(node.is_async))
        or (not isinstance(node, _SCOPES) and awaits([*ast.iter_child_nodes(node)]))
        for node in nodes
    )


def in_one_loop(lines: Sequence[str]) -> list[str]:
    """The lines of a test; those that wait become an async function, run once.

    Locks, tasks and queues of one line serve the next one only in the same loop.
    """
    tree = parsed_or_none("\n".join(lines))
    if tree is None or not awaits(tree.body):
        return list(lines)
    body = ast.unparse(_Within().visit(tree))
    return ["async def example():", *textwrap.indent(body, "    ").splitlines(), "", f"{_RUN}(example())"]


class _Awaited(ast.NodeTransformer):
    def __init__(self, namespace: Namespace) -> None:
        self.callables = namespace.surface.callables()

    def visit_Await(self, node: ast.Await) -> ast.expr:
        visited = self.visit(node.value)
        return visited if dotted(getattr(visited, "func", node)) == _SETTLED else _settled(visited)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.func = self.visit(node.func)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func) or ""
        named = [one for one in self.callables if one.name == name]
        runs = bool(named) and all(one.is_async for one in named)  # of objects, the run shows whose method it is
        if runs or (not named and hasattr(builtins, dotted(node.func) or "")):
            node.args = [self.visit(argument) for argument in node.args]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return _settled(node) if runs else node


class _Within(ast.NodeTransformer):
    """Inside of a loop no other one may run: what would start one waits instead."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        starts = dotted(node.func) in {_RUN, _SETTLED} and len(node.args) == 1
        return ast.Await(value=node.args[0]) if starts else node


def _settled(call: ast.expr) -> ast.expr:
    return ast.Call(func=ast.Name(id=_SETTLED, ctx=ast.Load()), args=[call], keywords=[])
