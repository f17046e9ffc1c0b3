"""Whose word an expression of a test file is: what `provenance.py` asks of every value on its way."""

import ast
import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.judgement.flows import (
    COMPARING,
    COPYING,
    GATHERING,
    OBJECT,
    OWN,
    READING,
    SETS,
    THEIRS,
    Code,
    Env,
    Flow,
    Grade,
    compared,
    joined,
    parameters,
)
from refute.adversary.references import last_name

STEPS: Final = 100_000
"""Expressions looked at for one test; what needs more is unclear."""


class Unclear(Exception):  # not an error: the answer is no
    """More than is looked at."""


class Expressions(ABC):
    """Follows values through expressions.

    Args:
        changed: whether the implementation changed plain data that it was handed.
    """

    def __init__(self, *, changed: bool) -> None:
        self._handed = Grade.THEIRS if changed else Grade.HANDED
        self._steps = self._asked = self._loops = 0
        self._running: list[Code] = []
        self._returned: list[Flow] = []

    @abstractmethod
    def _run(self, node: Code, env: Env, args: dict[str, Flow]) -> Flow:
        """What a function of the test file returns or yields."""

    @abstractmethod
    def _bind(self, target: ast.expr, value: ast.expr | None, flow: Flow, env: Env) -> None:
        """Give a name a value; `value` where it is written out."""

    def _flow(self, node: ast.expr, env: Env) -> Flow:  # noqa: C901, PLR0911  # one case for each kind
        """Whose word an expression is."""
        self._steps += 1
        if self._steps > STEPS:
            raise Unclear
        match node:
            case ast.Constant():
                return OWN
            case ast.Name(id=name):
                return env.get(name, Flow(plain=False, fixed=True))
            case ast.Lambda():
                return Flow(code=(node, env), plain=False)
            case ast.Attribute(value=value):
                owner = replace(self._flow(value, env), code=None, fixed=False)
                self._asked += owner.is_theirs
                return replace(owner, answers=self._answer()) if owner.answers else owner
            case ast.Call():
                return self._call(node, env)
            case ast.Compare(left=left, comparators=others):
                sides = [self._side(one, env) for one in (left, *others)]
                if isinstance(left, ast.Call) and last_name(left) == "type" and sides[-1].is_theirs:
                    return OWN  # as with `isinstance`
                clean = next((one for one in sides if not one.is_theirs), sides[-1])
                pairs = itertools.pairwise(sides)
                return joined(compared(a, clean if a.is_theirs and b.is_theirs else b) for a, b in pairs)
            case ast.BinOp(left=left, right=right, op=op):
                one, other = self._side(left, env), self._side(right, env)
                both = one.is_theirs and other.is_theirs and isinstance(op, COMPARING)
                return compared(one, other) if both else joined((one, other)).computed()
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, env)
            case ast.NamedExpr(target=target, value=value):
                flow = self._flow(value, env)
                self._bind(target, value, flow, env)
                return flow
            case ast.Yield(value=ast.expr() as value):
                self._returned.append(self._flow(value, env))
                return OWN
        flow = self._parts(node, env)
        return replace(flow, distinct=isinstance(node, ast.Set) and flow.is_theirs)

    def _parts(self, node: ast.AST, env: Env) -> Flow:
        parts = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))
        return joined([self._flow(one, env) for one in parts] or [OWN])

    def _side(self, node: ast.expr, env: Env) -> Flow:
        """A side of a comparison, with its own words where it is the test's."""
        flow = self._flow(node, env)
        return flow if flow.is_theirs else replace(flow, keys=flow.keys | {ast.unparse(node)})

    def _answer(self) -> frozenset[int]:
        return frozenset({self._asked, -self._asked} if self._loops else {self._asked})

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, env: Env) -> Flow:
        inner = env.new_child()
        self._loops += 1
        parts = []
        for turn in node.generators:
            self._bind(turn.target, None, self._flow(turn.iter, inner), inner)
            parts += [self._flow(one, inner) for one in turn.ifs]
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        flow = joined([self._flow(one, inner) for one in made] + parts)
        self._loops -= 1
        return replace(flow, distinct=isinstance(node, ast.SetComp) and flow.is_theirs)

    # Calls

    def _call(self, node: ast.Call, env: Env) -> Flow:
        name, target = last_name(node), self._flow(node.func, env)
        given = [*node.args, *(one.value for one in node.keywords)]
        flows = [self._side(one, env) for one in given]
        if name in {"isinstance", "issubclass"} and any(one.is_theirs for one in flows[1:]):
            return OWN  # whose class it is: says nothing of the answer, and takes nothing from it
        if target.is_theirs:
            return self._asked_for(target, given, flows, env)
        if target.code is not None:
            return self._own_call(target.code, node, flows)
        return self._others(name, target, node, flows, env)

    def _others(self, name: str, target: Flow, node: ast.Call, flows: Sequence[Flow], env: Env) -> Flow:
        """A call of what is neither the implementation's nor the test file's."""
        method = isinstance(node.func, ast.Attribute)
        parts = [*([target] if method else []), *(self._of_callback(one, flows) for one in flows)]
        flow = joined(parts or [OWN])
        theirs = [one for one in parts if one.is_theirs]
        if any(not one.answers for one in theirs):
            self._asked += 1
            flow = replace(flow, answers=frozenset({self._asked, -self._asked}))
        if method and theirs:
            self._taint(node.func, flow.grade, env)
        agree = name == "len" and any(one.distinct for one in flows)
        if agree or (len(theirs) > 1 and name not in GATHERING and len(flow.answers) != 1):
            return flow.at_least(Grade.LAW)
        if self._asked and (name in READING or name.startswith("read")):
            flow = flow.at_least(Grade.THEIRS)
        plain = all(one.plain for one in parts if not one.fixed) and (name in GATHERING or target.plain)
        flow = flow if name in COPYING else flow.computed()
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
        rest = joined([OBJECT if isinstance(function, ast.ClassDef) else OWN, *flows])
        if isinstance(function, ast.ClassDef) or function in self._running:  # an oracle that calls itself
            return rest
        names = parameters(function)
        args = dict.fromkeys([*names, *(one.arg for one in (function.args.vararg, function.args.kwarg) if one)], rest)
        if not any(isinstance(one, ast.Starred) for one in node.args) and all(one.arg for one in node.keywords):
            words = zip((str(one.arg) for one in node.keywords), flows[len(node.args) :], strict=True)
            plain = names[: len(names) - len(function.args.kwonlyargs)]
            args |= dict.fromkeys(plain, OWN) | dict(zip(plain, flows, strict=False)) | dict(words)
        return self._run(function, seen, args)

    def _of_callback(self, flow: Flow, others: Sequence[Flow]) -> Flow:
        """What a function of the test file gives to whom it is handed; any other value is itself."""
        if flow.code is None or isinstance(flow.code[0], ast.ClassDef) or flow.code[0] in self._running:
            return flow
        given = joined([OWN, *(one for one in others if one is not flow)])
        return self._run(*flow.code, dict.fromkeys(parameters(flow.code[0]), given))

    def _hand(self, node: ast.AST, env: Env) -> None:
        """Hand an argument over: plain data may be changed, an object may be made to say anything."""
        flow = env.get(node.id) if isinstance(node, ast.Name) else None
        code = flow.code[0] if flow is not None and flow.code else node if isinstance(node, ast.Lambda) else None
        if code is not None:  # whatever it writes to is the implementation's doing
            seen = flow.code[1] if flow is not None and flow.code else env
            for name in (part for part in ast.walk(code) if isinstance(part, ast.Name)):
                self._taint(name, Grade.THEIRS, seen)
        elif flow is not None:
            self._taint(node, self._handed if flow.plain else Grade.THEIRS, env)
        elif isinstance(node, ast.Attribute):
            self._taint(node, Grade.THEIRS, env)
        else:
            below = (
                (*node.args, *(x.value for x in node.keywords))
                if isinstance(node, ast.Call)
                else ast.iter_child_nodes(node)
            )
            for part in below:
                if isinstance(part, ast.expr):
                    self._hand(part, env)

    def _taint(self, node: ast.AST, grade: Grade, env: Env) -> None:
        """Let a variable be of a grade, whose part or method is used."""
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        names = next((names for names in env.maps if isinstance(node, ast.Name) and node.id in names), None)
        if names is not None and isinstance(node, ast.Name) and not names[node.id].fixed:
            names[node.id] = names[node.id].at_least(grade)
