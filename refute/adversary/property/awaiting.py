"""Examples of asynchronous code: what is awaited for the author, and what the author drives."""

import ast
import builtins
import copy
import textwrap
from collections.abc import Sequence

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import dotted
from refute.adversary.property.namespace import Namespace
from refute.python_syntax import parsed_or_none

_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_ASYNCHRONOUS = ast.Await | ast.AsyncFor | ast.AsyncWith
_STARTS = frozenset({"asyncio.run", "_settled"})


def awaited(expression: ast.expr, namespace: Namespace) -> ast.expr:
    """An expression whose calls of async functions run to their end, as claims write `f(1) == 2` for short.

    Not among the arguments of a call: whoever is given a coroutine drives it, by whatever name (`asyncio.run(f(1))`,
    `loop.run_until_complete(f(1))`, a function of the implementation's). Only builtins never do (`len(f(1))`), and an
    async function that is itself written without `await`. Whoever writes `await` means all of it as written.
    """
    visited = expression if awaits([expression]) else _Awaited(namespace).visit(copy.deepcopy(expression))
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

    Raises:
        NotTested: some lines wait, others start a loop of their own.
    """
    tree = parsed_or_none("\n".join(lines))
    if tree is None or not awaits(tree.body):
        return list(lines)
    if any(isinstance(node, ast.Call) and dotted(node.func) in _STARTS for node in ast.walk(tree)):
        raise NotTested("awaits some calls and not others: write `await` before each")
    body = textwrap.indent(ast.unparse(tree), "    ").splitlines()
    return ["async def example():", *body, "", "asyncio.run(example())"]


class _Awaited(ast.NodeTransformer):
    def __init__(self, namespace: Namespace) -> None:
        self.callables = namespace.surface.callables()

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.func = self.visit(node.func)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func) or ""
        named = [one for one in self.callables if one.name == name]
        runs = bool(named) and all(one.is_async for one in named)  # of objects, the run shows whose method it is
        if runs or (not named and hasattr(builtins, dotted(node.func) or "")):
            node.args = [self.visit(argument) for argument in node.args]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return ast.Call(func=ast.Name(id="_settled", ctx=ast.Load()), args=[node], keywords=[]) if runs else node
