"""Which `property` and `raises` are evidence that their author cannot have bent.

What they expect is the standard library's alone, or stands in the claim's own words, on inputs that the tester draws.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import conjuncts, dotted, free_names, parse_expression
from refute.adversary.property.namespace import LIBRARY, Namespace

UNSAFE: Final = frozenset({"eval", "exec", "compile", "open", "input", "breakpoint", "print", "id", "hash"})
_LOGIC: Final = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.NamedExpr)
"""What only an author's own reasoning needs: it may hold the mistake that the implementation makes."""
_WHOLE: Final = frozenset({"list", "tuple", "dict", "str", "asyncio.run"})
"""What takes an answer as it is, or waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a field's code is judged by: its drawn values (variable → type), its assumption, names, the claim's text."""

    given: Mapping[str, str]
    assume: ast.expr | None
    names: Namespace
    claim: str

    def vouches_for(self, check: ast.expr) -> bool:
        """Whether `check` says `f(…) == …`, and the rest is the library's, or told by the claim.

        The inputs must be the tester's own: `given` names types, no strategies. Comprehensions, lambdas and conditions
        on the expected side are the author's logic again, and so never independent.
        """
        return self._is_drawn() and all(map(self._is_compared, conjuncts(check)))

    def vouches_for_raising(self, call: ast.expr, error: str) -> bool:
        """Whether the claim names the error that a call raises, on inputs of the tester's."""
        named = self._stands_in_claim(error.rpartition(".")[2])
        return named and self._varies(call) and self._is_answer(call) and self._is_drawn()

    def _is_drawn(self) -> bool:
        """Whether the inputs are the tester's own: of types, and chosen without the code."""
        kinds = [kind for text in self.given.values() if (kind := parse_expression(text))]
        if any(isinstance(node, ast.Call) for kind in kinds for node in ast.walk(kind)):
            return False
        return len(kinds) == len(self.given) and (self.assume is None or not self._reaches(self.assume))

    def _is_compared(self, check: ast.expr) -> bool:
        match check:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                sides = ((left, right), (right, left))
                return any(self._is_answer(answer) and self._is_known(one, answer) for answer, one in sides)
        return False

    def _is_known(self, side: ast.expr, answer: ast.expr) -> bool:
        """Whether somebody beside the author vouches for a side: the library, or the claim that spells it so."""
        try:
            ast.literal_eval(side)
        except ValueError:
            return self._is_of_library(side)
        return self._varies(answer) and self._stands_in_claim(ast.unparse(side))

    def _is_of_library(self, side: ast.expr) -> bool:
        if any(isinstance(node, _LOGIC) for node in ast.walk(side)) or not self._varies(side):
            return False
        try:
            found = self.names.resolve([side], bound=self.given)
        except NotTested:
            return False
        modules = {line.split()[1] for line in found.imports}
        return not found.reaches_implementation and modules <= LIBRARY and UNSAFE.isdisjoint(free_names([side]))

    def _stands_in_claim(self, code: str) -> bool:
        return re.search(rf"(?<![\w.]){re.escape(code)}(?![\w.]*\w)", self.claim) is not None

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
