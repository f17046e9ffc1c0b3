"""Which `property` and `raises` are evidence that their author cannot have bent.

What they expect is the standard library's alone, or stands in the claim's own words, on inputs that the tester draws.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import conjuncts, free_names, parse_expression
from refute.adversary.property.namespace import Namespace

LIBRARY: Final = frozenset(
    (
        *("base64", "binascii", "bisect", "builtins", "calendar", "collections", "colorsys", "datetime", "decimal"),
        *("difflib", "fractions", "functools", "hashlib", "heapq", "html", "itertools", "json", "keyword", "math"),
        *("operator", "posixpath", "re", "shlex", "statistics", "string", "textwrap", "unicodedata", "urllib.parse"),
        "zlib",
    )
)
"""Modules whose functions answer by their arguments alone."""
UNSAFE: Final = frozenset({"eval", "exec", "compile", "open", "input", "breakpoint", "print", "id", "hash"})
_LOGIC: Final = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.NamedExpr)
"""What only an author's own reasoning needs: it may hold the mistake that the implementation makes."""
_WHOLE: Final = frozenset({"list", "tuple", "dict", "str"})
"""Builtins that take an answer as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a field's code is judged by: its drawn values (variable → type), its assumption, names, the claim's text."""

    given: Mapping[str, str]
    assume: ast.expr | None
    names: Namespace
    claim: str

    def is_independent(self, check: ast.expr) -> bool:
        """Whether `check` says `f(…) == …`, where all but that one call is of the library, or told by the claim.

        The inputs must be the tester's own: `given` names types, no strategies. Comprehensions, lambdas and conditions
        on the expected side are the author's logic again, and so never independent.
        """
        return self._draws() and all(map(self._compares, conjuncts(check)))

    def raises_independently(self, call: ast.expr, error: str) -> bool:
        """Whether the claim's words name the error that one call of the code is to raise on inputs of the tester's."""
        drawn = self._varies(call) and self._draws()
        return drawn and self._is_answer(call) and self._stands_in_claim(error.rpartition(".")[2])

    def _draws(self) -> bool:
        """Whether the inputs are the tester's own: of types, and chosen without the code."""
        types = [parse_expression(text) for text in self.given.values()]
        if any(one is None or any(isinstance(node, ast.Call) for node in ast.walk(one)) for one in types):
            return False
        return self.assume is None or not self._reaches(self.assume)

    def _compares(self, check: ast.expr) -> bool:
        match check:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                pairs = ((left, right), (right, left))
                return any(self._is_answer(one) and self._is_known(other, one) for one, other in pairs)
        return False

    def _is_known(self, side: ast.expr, answer: ast.expr) -> bool:
        """Whether a side is the library's alone, or a constant that stands in the claim as it is spelled."""
        try:
            ast.literal_eval(side)
        except ValueError:
            return self._is_library(side)
        return self._varies(answer) and self._stands_in_claim(ast.unparse(side))

    def _stands_in_claim(self, code: str) -> bool:
        return re.search(rf"(?<![\w.]){re.escape(code)}(?![\w.]*\w)", self.claim) is not None

    def _varies(self, code: ast.expr) -> bool:
        return bool(free_names([code]) & set(self.given))

    def _is_answer(self, side: ast.expr) -> bool:
        """One call of the implementation, or an attribute of what it gives, on arguments that it had no part in."""
        match side:
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _WHOLE:
                return self._is_answer(inner)
            case ast.Attribute(value=inner):
                return self._is_answer(inner)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                values = [*arguments, *(keyword.value for keyword in keywords)]
                return self._reaches(function) and not any(map(self._reaches, values))
        return False

    def _is_library(self, side: ast.expr) -> bool:
        if any(isinstance(node, _LOGIC) for node in ast.walk(side)) or not self._varies(side):
            return False
        try:
            found = self.names.resolve([side], bound=self.given)
        except NotTested:
            return False
        safe = not UNSAFE & free_names([side]) and not found.reaches_implementation
        return safe and all(line.split()[1] in LIBRARY for line in found.imports)

    def _reaches(self, code: ast.expr) -> bool:
        try:
            return self.names.resolve([code], bound=self.given).reaches_implementation
        except NotTested:
            return True
