"""Whether a test's result can be the implementation's word alone: a static data flow over the test file.

A test that passed is attested if an assertion really ran that holds plain data of the implementation's against what
never came from it, and none ran that holds the implementation against itself. What is not understood is unclear.
"""

import ast
from collections import ChainMap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import TestRun
from refute.adversary.judgement.expressions import Expressions, Unclear
from refute.adversary.judgement.flows import (
    BLOCKS,
    CAPTURING,
    OBJECT,
    OWN,
    RUNNING,
    THEIRS,
    UNCLEAR,
    Code,
    Env,
    Flow,
    Grade,
    joined,
    parameters,
)
from refute.adversary.references import ImplementationUse, last_name
from refute.python_syntax import FUNCTION, parsed_or_none

DEPTH: Final = 12
"""Of the test file's functions that call one another."""


class Provenance:
    """Answers for one test file.

    Args:
        source: the file.
        modules: dotted names of the implementation's modules.
    """

    def __init__(self, source: str, modules: Sequence[str]) -> None:
        self._tree = parsed_or_none(source)
        self._use = ImplementationUse(source, modules)

    def attests(self, run: TestRun) -> bool:
        """Whether a test that passed says something that its implementation cannot have made up."""
        if self._tree is None or not run.attested or not run.asserted_lines:
            return False
        walk = _Walk(self._use, changed=run.changed_arguments)
        try:
            walk.test(self._tree, run.name)
        except (Unclear, RecursionError):
            return False
        found = [walk.verdicts[line] for line in run.asserted_lines if line in walk.verdicts]
        aliased = walk.named.intersection(run.aliased_lines)
        return Grade.THEIRS in found and Grade.LAW not in found and not aliased


class _Walk(Expressions):
    """Follows one test through the file.

    Args:
        use: knows what is imported from the implementation.
        changed: whether the implementation changed plain data that it was handed.
    """

    def __init__(self, use: ImplementationUse, *, changed: bool) -> None:
        super().__init__(changed=changed)
        self._use = use
        self.verdicts: dict[int, Grade] = {}
        """Line of an assertion, or of a block that must raise → what it holds against what."""
        self.named: set[int] = set()
        """Lines of blocks that name the implementation's own exceptions."""
        self._ways: list[Flow] = []
        """What decides whether a statement runs."""

    # Functions

    def test(self, tree: ast.Module, name: str) -> None:
        """Run a test with its fixtures; `Class::name` for a method."""
        env: Env = ChainMap()
        self._block(tree.body, env)
        body: Sequence[ast.stmt] = tree.body
        *owners, last = name.split("::")
        for owner in owners:
            body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner)
        for node in body:
            fixture = isinstance(node, FUNCTION) and any(last_name(one) == "fixture" for one in node.decorator_list)
            prepares = owners and isinstance(node, FUNCTION) and (fixture or node.name.lower().startswith("setup"))
            if isinstance(node, FUNCTION) and (prepares or node.name == last):
                self._enter(node, env)

    def _enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Env) -> Flow:
        """Run a function that pytest calls: parameters are fixtures or drawn."""
        drawn = any(self._flow(one, env).is_theirs for one in node.decorator_list)
        args: dict[str, Flow] = {}
        for name in parameters(node):
            fixture = env.get(name, OWN).code
            if name in CAPTURING:
                args[name] = THEIRS
            elif fixture and isinstance(fixture[0], FUNCTION) and fixture[0] not in self._running:
                args[name] = self._enter(fixture[0], env)
            elif name in {"self", "monkeypatch"}:
                env.setdefault(name, OBJECT)  # one for all of them
            else:
                args[name] = replace(THEIRS if drawn else OWN, keys=frozenset({name}))
        return self._run(node, env, args)

    def _run(self, node: Code, env: Env, args: dict[str, Flow]) -> Flow:
        """What a function of the test file returns or yields."""
        if len(self._running) >= DEPTH:
            raise Unclear
        before, self._returned = self._returned, []
        self._running.append(node)
        inner = env.new_child(dict(args))
        try:
            if isinstance(node, ast.Lambda):
                return self._flow(node.body, inner)
            self._block(node.body, inner)
            return self._returned[0] if len(self._returned) == 1 else joined(self._returned or [OWN])
        finally:
            self._running.pop()
            self._returned = before

    # Statements

    def _block(self, body: Iterable[ast.stmt], env: Env) -> None:
        for node in body:
            self._statement(node, env)

    def _statement(self, node: ast.stmt, env: Env) -> None:  # noqa: C901, PLR0912  # one case for each kind
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node, env)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._define(node, env)
            case ast.Assert(test=test):
                self._verdict(node, self._flow(test, env).grade)
            case ast.Return(value=value) | ast.Expr(value=ast.Yield(value=value)):
                self._returned.append(self._under_way(self._flow(value, env) if value else OWN))
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._bind(target, value, self._flow(value, env), env)
            case ast.AugAssign(target=target, value=value):
                self._bind(target, None, joined([self._flow(target, env), self._flow(value, env)]), env)
            case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source):
                self._bind(target, None, self._flow(source, env), env)
                self._on_way(OWN, node.body, env, again=True)
                self._block(node.orelse, env)
            case ast.While(test=test) | ast.If(test=test):
                body = [*node.body, *node.orelse]
                self._on_way(self._flow(test, env), body, env, again=isinstance(node, ast.While))
            case ast.Match(subject=subject, cases=cases):
                way = self._flow(subject, env).at_least(Grade.LAW)
                self._on_way(way, [one for case in cases for one in case.body], env)
            case ast.With() | ast.AsyncWith():
                self._with(node, env)
            case ast.Try() | ast.TryStar():
                self._try(node, env)
            case ast.Expr(value=ast.Call() as call):
                before, flow = self._asked, self._flow(call, env)
                own = isinstance(call.func, ast.Name) and env.get(call.func.id, OWN).code
                if last_name(call) in BLOCKS:
                    self._block_verdict(call, call, env, asked=self._asked > before)
                elif "assert" in last_name(call).lower() and not own:
                    self._verdict(call, flow.grade)
            case _:
                self._parts(node, env)

    def _verdict(self, node: ast.stmt | ast.expr, grade: Grade) -> None:
        """Note what a check rests on: of several ways to it, the worst."""
        found = Grade.THEIRS if grade == Grade.HANDED else grade
        self.verdicts[node.lineno] = max(found, self.verdicts.get(node.lineno, Grade.OWN))

    def _import(self, node: ast.Import | ast.ImportFrom, env: Env) -> None:
        top = "" if isinstance(node, ast.Import) else (node.module or "").partition(".")[0]
        for alias in node.names:
            one = ast.Import(names=[alias]) if isinstance(node, ast.Import) else node
            runs = (top or alias.name.partition(".")[0]) in RUNNING or self._use.imports(one)
            env[alias.asname or alias.name.partition(".")[0]] = THEIRS if runs else replace(OBJECT, fixed=True)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, env: Env) -> None:
        if isinstance(node, ast.ClassDef):
            theirs = any(env.get(part.id, OWN).is_theirs for part in ast.walk(node) if isinstance(part, ast.Name))
        else:
            wrapped = any(self._flow(x, env).is_theirs and last_name(x) != "parametrize" for x in node.decorator_list)
            theirs = wrapped and not node.name.startswith("test")
        env[node.name] = THEIRS if theirs else Flow(code=(node, env), plain=False, fixed=True)

    def _bind(self, target: ast.expr, value: ast.expr | None, flow: Flow, env: Env) -> None:
        """Give a target a value; `value` where it is written out."""
        flow = self._under_way(flow)
        match target, value:
            case ((ast.Tuple(elts=parts) | ast.List(elts=parts)), (ast.Tuple(elts=values) | ast.List(elts=values))) if (
                len(values) == len(parts)
            ):
                for part, one in zip(parts, values, strict=True):
                    self._bind(part, one, self._flow(one, env), env)
            case ((ast.Tuple(elts=parts) | ast.List(elts=parts)), _):
                # What is handed over as one part of a case is not what another part expects.
                each = flow if flow.is_theirs else replace(flow, keys=frozenset())
                for part in parts:
                    self._bind(part, None, each, env)
            case ast.Starred(value=inner), _:
                self._bind(inner, None, flow, env)
            case ast.Name(id=name), _:
                own = {name, *([ast.unparse(value)] if value is not None else [])} if not flow.is_theirs else set()
                env[name] = replace(flow, keys=flow.keys | own)
            case ((ast.Attribute(value=owner) | ast.Subscript(value=owner)), _):
                self._asked += self._flow(owner, env).is_theirs
                self._taint(target, flow.grade, env)

    def _under_way(self, flow: Flow) -> Flow:
        """A value that is there only where what decides so is as it is."""
        return flow.at_least(max((way.grade for way in self._ways), default=Grade.OWN))

    def _on_way(self, way: Flow, body: Sequence[ast.stmt], env: Env, *, again: bool = False) -> None:
        """A body that runs where something is so; of a loop twice: what one turn leaves, the next has."""
        self._ways.append(way)
        self._loops += again
        self._block([*body, *(body if again else ())], env)
        self._loops -= again
        self._ways.pop()

    def _try(self, node: ast.Try | ast.TryStar, env: Env) -> None:
        before = self._asked
        self._block(node.body, env)
        way = THEIRS if self._asked > before else OWN
        for handler in node.handlers:
            named = handler.type is not None and self._flow(handler.type, env).is_theirs
            if handler.name:
                env[handler.name] = way
            self._on_way(UNCLEAR if named else way, handler.body, env)
        self._on_way(way, node.orelse, env)
        self._block(node.finalbody, env)

    def _with(self, node: ast.With | ast.AsyncWith, env: Env) -> None:
        must = [one.context_expr for one in node.items if last_name(one.context_expr) in BLOCKS]
        opened = 0
        for item in node.items:
            flow, manager = self._flow(item.context_expr, env), item.context_expr
            if manager not in must:
                opened |= flow.is_theirs
                self._hand(manager, env) if isinstance(manager, ast.Call) else None
            if item.optional_vars is not None:
                self._bind(item.optional_vars, None, THEIRS if manager in must else flow, env)
        before = self._asked - opened
        self._block(node.body, env)
        for block in must:
            self._block_verdict(node, block, env, asked=self._asked > before)

    def _block_verdict(self, node: ast.stmt | ast.expr, block: ast.expr, env: Env, *, asked: bool) -> None:
        if isinstance(block, ast.Call) and any(self._flow(one, env).is_theirs for one in block.args[:1]):
            self.named.add(node.lineno)
        self._verdict(node, Grade.THEIRS if asked else Grade.OWN)
