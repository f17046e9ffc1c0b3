"""Whether a test's result can be the implementation's word alone: a static data flow over the test file.

A test that passed is attested if an assertion really ran that holds plain data of the implementation's against what
never came from it, and none ran that holds the implementation against itself. What is not understood is unclear.
"""

import ast
import itertools
from collections import ChainMap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import TestRun
from refute.adversary.judgement.flows import (
    BLOCKS,
    CAPTURING,
    COMPARING,
    GATHERING,
    IMPORTING,
    OBJECT,
    OWN,
    READING,
    RUNNING,
    SETS,
    THEIRS,
    UNCLEAR,
    Code,
    Env,
    Flow,
    Grade,
    compared,
    dotted,
    joined,
)
from refute.adversary.references import ImplementationUse
from refute.python_syntax import parsed_or_none

STEPS: Final = 100_000
"""Expressions looked at for one test; what needs more is unclear."""
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
        except (_Unclear, RecursionError):
            return False
        found = [walk.verdicts[line] for line in run.asserted_lines if line in walk.verdicts]
        aliased = walk.named.intersection(run.aliased_lines)
        return Grade.THEIRS in found and Grade.LAW not in found and not aliased


class _Unclear(Exception):  # not an error: the answer is no
    """More than is looked at."""


class _Walk:
    """Follows one test through the file.

    Args:
        use: knows what is imported from the implementation.
        changed: whether the implementation changed plain data that it was handed.
    """

    def __init__(self, use: ImplementationUse, *, changed: bool) -> None:
        self._use = use
        self._handed = Grade.THEIRS if changed else Grade.HANDED
        self.verdicts: dict[int, Grade] = {}
        """Line of an assertion, or of a block that must raise → what it holds against what."""
        self.named: set[int] = set()
        """Lines of blocks that name the implementation's own exceptions."""
        self._steps = self._asked = self._loops = 0
        self._running: list[Code] = []
        self._returned: list[Flow] = []
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
            raise _Unclear
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
                for part in parts:
                    self._bind(part, None, flow, env)
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

    # Expressions

    def _flow(self, node: ast.expr, env: Env) -> Flow:  # noqa: C901, PLR0911  # one case for each kind
        self._steps += 1
        if self._steps > STEPS:
            raise _Unclear
        match node:
            case ast.Constant():
                return OWN
            case ast.Name(id=name):
                return env.get(name, Flow(plain=False, fixed=True))
            case ast.Lambda():
                return Flow(code=(node, env), plain=False)
            case ast.Attribute(value=value):
                return self._attribute(self._flow(value, env))
            case ast.Call():
                return self._call(node, env)
            case ast.Compare(left=left, comparators=others):
                sides = [self._side(one, env) for one in (left, *others)]
                if isinstance(left, ast.Call) and dotted(left) == "type" and sides[-1].is_theirs:
                    return OWN  # as with `isinstance`
                clean = next((one for one in sides if not one.is_theirs), sides[-1])
                pairs = itertools.pairwise(sides)
                return joined(compared(a, clean if a.is_theirs and b.is_theirs else b) for a, b in pairs)
            case ast.BinOp(left=left, right=right, op=op):
                one, other = self._side(left, env), self._side(right, env)
                both = one.is_theirs and other.is_theirs and isinstance(op, COMPARING)
                return compared(one, other) if both else joined((one, other))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, env)
            case ast.NamedExpr(target=target, value=value):
                flow = self._flow(value, env)
                self._bind(target, value, flow, env)
                return flow
            case ast.Yield(value=value) if value is not None:
                self._returned.append(self._flow(value, env))
                return OWN
        flow = joined(
            [self._flow(one, env) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)] or [OWN]
        )
        return replace(flow, distinct=isinstance(node, ast.Set) and flow.is_theirs)

    def _side(self, node: ast.expr, env: Env) -> Flow:
        """A side of a comparison, with its own words where it is the test's."""
        flow = self._flow(node, env)
        return flow if flow.is_theirs else replace(flow, keys=flow.keys | {ast.unparse(node)})

    def _attribute(self, owner: Flow) -> Flow:
        flow = replace(owner, code=None, fixed=False)
        if owner.is_theirs:
            self._asked += 1
            return replace(flow, answers=self._answer() if owner.answers else owner.answers)
        return flow

    def _answer(self) -> frozenset[int]:
        return frozenset({self._asked, -self._asked} if self._loops else {self._asked})

    def _comprehension(self, node: ast.expr, env: Env) -> Flow:
        inner = env.new_child()
        self._loops += 1
        parts = []
        for turn in node.generators:  # type: ignore[attr-defined]  # of every comprehension
            self._bind(turn.target, None, self._flow(turn.iter, inner), inner)
            parts += [self._flow(one, inner) for one in turn.ifs]
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]  # type: ignore[attr-defined]
        flow = joined([self._flow(one, inner) for one in made] + parts)
        self._loops -= 1
        return replace(flow, distinct=isinstance(node, ast.SetComp) and flow.is_theirs)

    def _call(self, node: ast.Call, env: Env) -> Flow:  # noqa: PLR0911  # one case for each kind
        name, target = dotted(node), self._flow(node.func, env)
        given = [*node.args, *(one.value for one in node.keywords)]
        flows = [self._side(one, env) for one in given]
        if name in IMPORTING and not target.code:
            return THEIRS
        if name in {"isinstance", "issubclass"} and any(one.is_theirs for one in flows[1:]):
            return OWN  # whose class it is: says nothing of the answer, and takes nothing from it
        if target.is_theirs:
            return self._asked_for(target, given, flows, env)
        if target.code is not None:
            return self._own_call(target.code, node, flows)
        parts = [target] if isinstance(node.func, ast.Attribute) else []
        parts += [self._of_callback(one, flows) for one in flows]
        flow = joined(parts or [OWN])
        theirs = [one for one in parts if one.is_theirs]
        if any(not one.answers for one in theirs):
            self._asked += 1
            flow = replace(flow, answers=frozenset({self._asked, -self._asked}))
        if isinstance(node.func, ast.Attribute) and theirs:
            self._taint(node.func.value, flow.grade, env)
        if name == "len" and any(one.distinct for one in flows):
            return flow.at_least(Grade.LAW)
        if len(theirs) > 1 and name not in GATHERING and (len(flow.answers) != 1):
            return flow.at_least(Grade.LAW)
        if self._asked and (name in READING or name.startswith("read")):
            flow = flow.at_least(Grade.THEIRS)
        plain = all(one.plain for one in parts if not one.fixed) and (name in GATHERING or target.plain)
        return replace(flow, plain=plain, distinct=name in SETS and flow.is_theirs and len(flow.answers) > 1)

    def _asked_for(self, target: Flow, given: Sequence[ast.expr], flows: Sequence[Flow], env: Env) -> Flow:
        """An answer of the implementation's."""
        self._asked += 1
        for one in given:
            self._hand(one, env)
        for flow in flows:
            self._of_callback(flow, [THEIRS])
        return Flow(
            grade=Grade.THEIRS,
            plain=False,
            answers=self._answer(),
            keys=frozenset().union(target.keys, *(one.keys for one in flows)),
            through=frozenset().union(target.through, *(one.keys for one in flows if one.is_theirs and one.answers)),
        )

    def _own_call(self, code: tuple[Code, Env], node: ast.Call, flows: Sequence[Flow]) -> Flow:
        """A call of a function or class of the test file."""
        function, seen = code
        if isinstance(function, ast.ClassDef):
            return joined([OBJECT, *flows])
        if function in self._running:  # an oracle that calls itself
            return joined([OWN, *flows])
        return self._run(function, seen, self._arguments(function, node, flows))

    @staticmethod
    def _arguments(
        function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, node: ast.Call, flows: Sequence[Flow]
    ) -> dict[str, Flow]:
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        rest = joined([OWN, *flows])
        others = [*function.args.kwonlyargs, *(x for x in (function.args.vararg, function.args.kwarg) if x)]
        args = dict.fromkeys([*names, *(one.arg for one in others)], rest)
        if not any(isinstance(one, ast.Starred) for one in node.args) and all(one.arg for one in node.keywords):
            words = dict(zip([str(one.arg) for one in node.keywords], flows[len(node.args) :], strict=True))
            args |= dict.fromkeys(names, OWN) | dict(zip(names, flows, strict=False)) | words
        return args

    def _of_callback(self, flow: Flow, others: Sequence[Flow]) -> Flow:
        """What a function of the test file gives to whom it is handed; any other value is itself."""
        if flow.code is None:
            return flow
        function, seen = flow.code
        if isinstance(function, ast.ClassDef) or function in self._running:
            return flow
        given = joined([OWN, *(one for one in others if one is not flow)])
        arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        return self._run(function, seen, {one.arg: given for one in arguments})

    def _code_of(self, node: ast.expr, env: Env) -> bool:
        return isinstance(node, ast.Name) and env.get(node.id, OWN).code is not None

    # What the implementation is given

    def _hand(self, node: ast.expr, env: Env) -> None:  # noqa: C901  # one case for each kind
        """Hand an argument over: plain data may be changed, an object may be made to say anything."""
        match node:
            case ast.Name(id=name):
                flow = env.get(name)
                if flow is not None and flow.code is not None:
                    self._hand_code(flow.code[0], flow.code[1])
                elif flow is not None and not flow.fixed:
                    self._set(name, flow.at_least(self._handed if flow.plain else Grade.THEIRS), env)
            case ast.Attribute(value=value):
                self._taint(value, Grade.THEIRS, env)
            case ast.Lambda():
                self._hand_code(node, env)
            case ast.Call(args=args, keywords=keywords):
                for one in (*args, *(word.value for word in keywords)):
                    if not (isinstance(one, ast.Name) and env.get(one.id, OWN).plain):
                        self._hand(one, env)
            case _:
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.expr):
                        self._hand(part, env)

    def _hand_code(self, code: Code, env: Env) -> None:
        """Hand a function over: whatever it writes to is the implementation's doing."""
        for part in ast.walk(code):
            if isinstance(part, ast.Name):
                self._taint(part, Grade.THEIRS, env)

    def _taint(self, node: ast.expr, grade: Grade, env: Env) -> None:
        """Let a variable be of a grade, whose part or method is used."""
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name) and (flow := env.get(node.id)) is not None and not flow.fixed:
            self._set(node.id, flow.at_least(grade), env)

    @staticmethod
    def _set(name: str, flow: Flow, env: Env) -> None:
        for names in env.maps:
            if name in names:
                names[name] = flow
                return


def _prepares(node: ast.FunctionDef) -> bool:
    """Whether a method runs before the tests of its class."""
    return node.name.lower().startswith("setup") or any(dotted(one) == "fixture" for one in node.decorator_list)
