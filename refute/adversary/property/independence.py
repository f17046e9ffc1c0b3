"""Which `property` and `raises` are evidence that their author cannot have bent.

What they expect is the standard library's alone, or stands in the claim's own words, on inputs that the tester draws.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import conjuncts, dotted, free_names, parse_expression
from refute.adversary.property.generator import FAR
from refute.adversary.property.namespace import LIBRARY, Namespace
from refute.adversary.tables import said
from refute.python_syntax import literal_of

UNSAFE: Final = frozenset({"eval", "exec", "compile", "open", "input", "breakpoint", "print", "id", "hash"})
_LOGIC: Final = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.NamedExpr)
"""What only an author's own reasoning needs: it may hold the mistake that the implementation makes."""
_ORDER: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_LONGEST: Final = 30
"""Of texts and lists that are drawn."""
_WHOLE: Final = frozenset({"list", "tuple", "dict", "str", "asyncio.run"})
"""What takes an answer as it is, or waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a field's code is judged by: its drawn values (variable → type), its assumption, names, the claim's text."""

    given: Mapping[str, str]
    assume: ast.expr | None
    names: Namespace
    claim: str

    def doubt(self, check: ast.expr) -> str:
        """Why `check` is none; empty where it says `f(…) == …`, and the rest is the library's, or told by the claim.

        The inputs must be the tester's own: `given` names types, no strategies. Comprehensions, lambdas and conditions
        on the expected side are the author's logic again, and so never independent.
        """
        return self.doubt_of_inputs() or next(filter(None, map(self._not_compared, conjuncts(check))), "")

    def doubt_of_raising(self, call: ast.expr, error: str) -> str:
        """Why it is none that a call raises this error; empty where the claim names it, on inputs of the tester's."""
        name = error.rpartition(".")[2]
        if not (self._stands_in_claim(name) or self._stands_in_claim(error)):
            return f"the claim does not name {name}"
        if said("message", self.claim):
            return "`raises` compares no message, and the claim promises one: show it in a `>>>` session"
        if not self._varies(call):
            return "`raises` has inputs of its author's, expected `given` with types"
        if not self._is_answer(call):
            return self.doubt_of_inputs() or f"`{ast.unparse(call)}` is not one call of the code"
        return self.doubt_of_inputs() or self._narrowed(call)

    def doubt_of_inputs(self) -> str:
        """Why the inputs are not the tester's own: of types, and chosen without the code."""
        for name, text in self.given.items():
            kind = parse_expression(text)
            if kind is None or any(isinstance(node, ast.Call) for node in ast.walk(kind)):
                return f"`given` draws {name} by a strategy of its author's, expected a type"
            if untold := self._untold(kind):
                return f"`given` lists {untold} for {name}, which does not stand in the claim"
        if self.assume is None:
            return ""
        if self._reaches(self.assume):
            return "`assume` asks the code"
        untold = self._untold(self.assume)
        return f"`assume` narrows what is tried by {untold}, which does not stand in the claim" if untold else ""

    def _untold(self, code: ast.AST) -> str:
        """The first value that narrows the inputs though the claim is silent about it: it holds for others too."""
        wide = {id(one) for node in ast.walk(code) if isinstance(node, ast.Compare) for one in _excluding_little(node)}
        values = (node for node in ast.walk(code) if isinstance(node, ast.Constant) and id(node) not in wide)
        plain = (one for one in values if type(one.value) in {int, float, str, bytes})
        return next((ast.unparse(one) for one in plain if not self._names(one.value)), "")

    def _narrowed(self, answer: ast.expr) -> str:
        """Why a call is made with few of the drawn values: `f(n % 10)` has ten inputs, whatever `n` is."""
        for node in filter(_folds, ast.walk(answer)):
            if untold := self._untold(node):
                return f"`{ast.unparse(node)}` narrows what is tried by {untold}, which does not stand in the claim"
        return ""

    def _names(self, value: object) -> bool:
        return self._stands_in_claim(repr(value)) or self._stands_in_claim(str(value))

    def _not_compared(self, check: ast.expr) -> str:
        match check:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                sides = [(left, right), (right, left)]
                doubts = [self._unknown(one, answer) for answer, one in sides if self._is_answer(answer)]
                alone = f"no side of `{ast.unparse(check)}` is one call of the code alone"
                return "" if "" in doubts else next(iter(doubts), alone)
        return f"`{ast.unparse(check)}` is no comparison by =="

    def _unknown(self, side: ast.expr, answer: ast.expr) -> str:
        """Why nobody but the author vouches for a side; empty for the library's, and what the claim spells so."""
        if narrowed := self._narrowed(answer):
            return narrowed
        words = ast.unparse(side)
        if literal_of(side) is None:
            return self._not_of_library(side)
        if not self._varies(answer):
            return "its call has no drawn input"
        return "" if self._stands_in_claim(words) else f"{words} does not stand in the claim"

    def _not_of_library(self, side: ast.expr) -> str:
        words = ast.unparse(side)
        if any(isinstance(node, _LOGIC) for node in ast.walk(side)):
            return f"`{words}` has a lambda, comprehension or condition: reasoning of its author's"
        try:
            found = self.names.resolve([side], bound=self.given)
        except NotTested as why:
            return f"`{words}` {why}"
        foreign = [line.split()[1] for line in found.imports if line.split()[1] not in LIBRARY]
        if found.reaches_implementation:
            return f"`{words}` asks the code too"
        if not self._varies(side):
            return f"`{words}` has no drawn input"
        if foreign:
            return f"`{words}` uses {foreign[0]}, which is not among the modules that answer by their arguments alone"
        unsafe = sorted(UNSAFE & free_names([side]))
        return f"`{words}` uses {unsafe[0]}()" if unsafe else ""

    def _stands_in_claim(self, code: str) -> bool:
        return re.search(rf"(?<!\w)(?<!(?<!\.)\.){re.escape(code)}(?!\w|\.\w)", self.claim) is not None

    def _varies(self, code: ast.expr) -> bool:
        return bool(free_names([code]) & set(self.given))

    def _is_answer(self, side: ast.expr) -> bool:
        """One call of the implementation, or an attribute of what it gives, on arguments that it had no part in."""
        match side:
            case ast.Call(func=function, args=[inner], keywords=[]) if dotted(function) in _WHOLE:
                return self._is_answer(inner)
            case ast.Attribute(value=inner):
                return self._is_answer(inner)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                values = [*arguments, *(keyword.value for keyword in keywords)]
                return self._reaches(function) and not any(map(self._reaches, values))
        return False

    def _reaches(self, code: ast.expr) -> bool:
        try:
            return self.names.resolve([code], bound=self.given).reaches_implementation
        except NotTested:
            return True


def _excluding_little(comparison: ast.Compare) -> Iterator[ast.expr]:
    """Constants that any law may compare with: signs and emptiness, one value less, bounds beyond all that is drawn."""
    sides = [comparison.left, *comparison.comparators]
    for at, operator in enumerate(comparison.ops):
        for other, one in ((sides[at], sides[at + 1]), (sides[at + 1], sides[at])):
            inner = one.operand if isinstance(one, ast.UnaryOp) else one
            match inner:
                case ast.Constant(value=int() | float() as value) if isinstance(operator, _ORDER):
                    counts = isinstance(other, ast.Call) and dotted(other.func) == "len"
                    above = isinstance(operator, ast.Lt | ast.LtE) == (one is sides[at + 1])
                    if value in {0, 1} or (above and value >= (_LONGEST if counts else FAR)):
                        yield inner
                case ast.Constant() if isinstance(operator, ast.NotEq | ast.NotIn):
                    yield inner
                case _:
                    continue


def _folds(node: ast.AST) -> bool:
    """Whether many values become few in an expression."""
    match node:
        case ast.BinOp(left=ast.Constant(value=str() | bytes())):  # a text that is filled in, or repeated
            return False
        case ast.BinOp(op=ast.Mod() | ast.FloorDiv() | ast.BitAnd() | ast.RShift()) | ast.Slice():
            return True
        case _:
            return isinstance(node, ast.Call) and dotted(node.func) in {"min", "max"}
