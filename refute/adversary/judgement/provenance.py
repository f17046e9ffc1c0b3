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
    dotted,
    joined,
)
from refute.adversary.references import ImplementationUse
from refute.python_syntax import parsed_or_none

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

    # Statements

    def test(self, tree: ast.Module, name: str) -> None:
        """Run a test with its fixtures; `Class::name` for a method."""
        env: Env = ChainMap()
        self._block(tree.body, env)
        body: Sequence[ast.stmt] = tree.body
        *owners, last = name.split("::")
        for owner in owners:
            body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner)
            for one in body:
                if isinstance(one, ast.FunctionDef) and _prepares(one):
                    self._enter(one, env, env)
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        for node in body:
            if isinstance(node, functions) and node.name == last:
                self._enter(node, env, env)

    def _enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Env, fixtures: Env) -> Flow:
        """Run a function that pytest calls: parameters are fixtures or drawn."""
        drawn = joined([self._flow(one, env) for one in node.decorator_list] or [OWN])
        given = THEIRS if drawn.is_theirs else OWN
        args: dict[str, Flow] = {}
        for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            fixture = fixtures.get(one.arg)
            made = fixture.code[0] if fixture is not None and fixture.code else None
            if one.arg in CAPTURING:
                args[one.arg] = THEIRS
            elif isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef) and made not in self._running:
                args[one.arg] = self._enter(made, env, fixtures)
            elif one.arg in {"self", "monkeypatch"}:
                env.setdefault(one.arg, OBJECT)  # one for all of them
            else:
                args[one.arg] = replace(given, keys=frozenset({one.arg}))
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
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value, self._flow(value, env), env)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, value, self._flow(value, env), env)
            case ast.AugAssign(target=target, value=value):
                self._bind(target, None, joined([self._flow(target, env), self._flow(value, env)]), env)
            case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source):
                self._bind(target, None, self._flow(source, env), env)
                self._repeat(node.body, env)
                self._block(node.orelse, env)
            case ast.While(test=test, body=body, orelse=orelse):
                self._on_way(self._flow(test, env), body, env, again=True)
                self._block(orelse, env)
            case ast.If(test=test, body=body, orelse=orelse):
                self._on_way(self._flow(test, env), [*body, *orelse], env)
            case ast.With() | ast.AsyncWith():
                self._with(node, env)
            case ast.Try() | ast.TryStar():
                self._try(node, env)
            case ast.Match(subject=subject, cases=cases):
                self._on_way(self._flow(subject, env).at_least(Grade.LAW), [x for c in cases for x in c.body], env)
            case ast.Expr(value=ast.Call() as call):
                self._statement_call(call, env)
            case _:
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.expr):
                        self._flow(part, env)

    def _verdict(self, node: ast.AST, grade: Grade) -> None:
        """Note what a check rests on: of several ways to it, the worst."""
        line = node.lineno  # type: ignore[attr-defined]  # a statement
        found = Grade.THEIRS if grade == Grade.HANDED else grade
        self.verdicts[line] = max(found, self.verdicts.get(line, Grade.OWN))

    def _import(self, node: ast.Import | ast.ImportFrom, env: Env) -> None:
        top = "" if isinstance(node, ast.Import) else (node.module or "").partition(".")[0]
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            runs = (top or alias.name.partition(".")[0]) in RUNNING
            one = ast.Import(names=[alias]) if isinstance(node, ast.Import) else node
            env[name] = THEIRS if runs or self._use.imports(one) else replace(OBJECT, fixed=True)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, env: Env) -> None:
        made = Flow(code=(node, env), plain=False, fixed=True)
        if isinstance(node, ast.ClassDef):
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if any(env.get(name, OWN).is_theirs for name in names):
                made = THEIRS
        elif any(self._flow(one, env).is_theirs and dotted(one) != "parametrize" for one in node.decorator_list):
            made = THEIRS if not node.name.startswith("test") else made
        env[node.name] = made

    def _bind(self, target: ast.expr, value: ast.expr | None, flow: Flow, env: Env) -> None:
        flow = self._under_way(flow)
        match target, value:
            case ((ast.Tuple(elts=parts) | ast.List(elts=parts)), (ast.Tuple(elts=values) | ast.List(elts=values))) if (
                len(parts) == len(values)
            ):
                for part, one in zip(parts, values, strict=True):
                    self._bind(part, one, self._flow(one, env), env)
            case ((ast.Tuple(elts=parts) | ast.List(elts=parts)), _):
                # What is handed over as one part of a case is not what another part expects.
                part_flow = flow if flow.is_theirs else replace(flow, keys=frozenset())
                for part in parts:
                    self._bind(part, None, part_flow, env)
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
        self._ways.append(way)
        try:
            self._repeat(body, env) if again else self._block(body, env)
        finally:
            self._ways.pop()

    def _repeat(self, body: Sequence[ast.stmt], env: Env) -> None:
        """A loop's body, twice: what one turn leaves, the next has."""
        self._loops += 1
        self._block(body, env)
        self._block(body, env)
        self._loops -= 1

    def _try(self, node: ast.Try | ast.TryStar, env: Env) -> None:
        before = self._asked
        self._block(node.body, env)
        way = THEIRS if self._asked > before else OWN
        for handler in node.handlers:
            kind = self._flow(handler.type, env) if handler.type else OWN
            if handler.name:
                env[handler.name] = way
            self._on_way(way if not kind.is_theirs else UNCLEAR, handler.body, env)
        self._on_way(way, node.orelse, env)
        self._block(node.finalbody, env)

    def _with(self, node: ast.With | ast.AsyncWith, env: Env) -> None:
        managers: list[Flow] = []
        blocks = [one.context_expr for one in node.items if dotted(one.context_expr) in BLOCKS]
        for item in node.items:
            flow = self._flow(item.context_expr, env)
            must = item.context_expr in blocks
            managers += [] if must else [flow]
            if isinstance(item.context_expr, ast.Call) and not must:
                self._hand(item.context_expr, env)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, None, THEIRS if must else flow, env)
        before = self._asked - any(flow.is_theirs for flow in managers)
        self._block(node.body, env)
        for block in blocks:
            self._block_verdict(node, block, env, asked=self._asked > before)

    def _block_verdict(self, node: ast.AST, block: ast.expr, env: Env, *, asked: bool) -> None:
        kinds = [self._flow(one, env) for one in block.args[:1]] if isinstance(block, ast.Call) else []
        if any(kind.is_theirs for kind in kinds):
            self.named.add(node.lineno)  # type: ignore[attr-defined]  # a statement
        self._verdict(node, Grade.THEIRS if asked else Grade.OWN)

    def _statement_call(self, call: ast.Call, env: Env) -> None:
        before = self._asked
        flow = self._flow(call, env)
        if dotted(call) in BLOCKS:
            self._block_verdict(call, call, env, asked=self._asked > before)
        elif "assert" in dotted(call).lower() and not self._code_of(call.func, env):
            self._verdict(call, flow.grade)


def _prepares(node: ast.FunctionDef) -> bool:
    """Whether a method runs before the tests of its class."""
    return node.name.lower().startswith("setup") or any(dotted(one) == "fixture" for one in node.decorator_list)
