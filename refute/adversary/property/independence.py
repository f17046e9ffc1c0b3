"""Which `property` and `raises` are evidence that their author cannot have bent.

What they expect is the standard library's alone, or stands in the claim's own words, on inputs that the tester draws.
"""

import ast
import re
from collections.abc import Mapping
from typing import Final

from refute.adversary.property.expressions import conjuncts, free_names, parse_expression
from refute.adversary.property.namespace import Namespace, Unresolved

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


def is_independent(
    check: ast.expr, assume: ast.expr | None, given: Mapping[str, str], names: Namespace, *, claim: str
) -> bool:
    """Whether `check` says `f(…) == …`, where all but that one call is of the standard library, or told by the claim.

    The inputs must be the tester's own: `given` names types, no strategies. Comprehensions, lambdas and conditions on
    the expected side are the author's logic again, and so never independent.

    Args:
        check: what must hold.
        assume: which inputs count.
        given: variable → type.
        names: what they stand for.
        claim: its text.
    """
    return _draws(assume, given, names) and all(_compares(one, given, names, claim) for one in conjuncts(check))


def raises_independently(
    call: ast.expr, error: str, assume: ast.expr | None, given: Mapping[str, str], names: Namespace, *, claim: str
) -> bool:
    """Whether a claim's words name the error that one call of the code is to raise on inputs of the tester's own.

    Args:
        call: what must raise it.
        error: its class.
        assume: which inputs count.
        given: variable → type.
        names: what they stand for.
        claim: its text.
    """
    drawn = bool(free_names([call]) & set(given)) and _draws(assume, given, names)
    return drawn and _is_answer(call, given, names) and _stands_in(error.rpartition(".")[2], claim)


def _draws(assume: ast.expr | None, given: Mapping[str, str], names: Namespace) -> bool:
    """Whether the inputs are the tester's own: of types, and chosen without the code."""
    types = [parse_expression(text) for text in given.values()]
    if any(one is None or any(isinstance(node, ast.Call) for node in ast.walk(one)) for one in types):
        return False
    return assume is None or not _reaches(assume, given, names)


def _compares(check: ast.expr, given: Mapping[str, str], names: Namespace, claim: str) -> bool:
    match check:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return any(
                _is_answer(one, given, names)
                and (_is_library(other, given, names) or (_is_told(other, claim) and free_names([one]) & set(given)))
                for one, other in ((left, right), (right, left))
            )
    return False


def _is_told(side: ast.expr, claim: str) -> bool:
    """Whether a constant stands in the claim as it is spelled: "returns None for …"."""
    try:
        ast.literal_eval(side)
    except ValueError:
        return False
    return _stands_in(ast.unparse(side), claim)


def _stands_in(code: str, claim: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(code)}(?![\w.]*\w)", claim) is not None


def _is_answer(side: ast.expr, given: Mapping[str, str], names: Namespace) -> bool:
    """One call of the implementation, or an attribute of what it gives, on arguments that it had no part in."""
    match side:
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _WHOLE:
            return _is_answer(inner, given, names)
        case ast.Attribute(value=inner):
            return _is_answer(inner, given, names)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            values = [*arguments, *(keyword.value for keyword in keywords)]
            return _reaches(function, given, names) and not any(_reaches(one, given, names) for one in values)
    return False


def _is_library(side: ast.expr, given: Mapping[str, str], names: Namespace) -> bool:
    if any(isinstance(node, _LOGIC) for node in ast.walk(side)) or not free_names([side]) & set(given):
        return False
    found = names.resolve([side], bound=given)
    if UNSAFE & free_names([side]) or isinstance(found, Unresolved) or found.reaches_implementation:
        return False
    return all(line.split()[1] in LIBRARY for line in found.imports)


def _reaches(code: ast.expr, given: Mapping[str, str], names: Namespace) -> bool:
    found = names.resolve([code], bound=given)
    return isinstance(found, Unresolved) or found.reaches_implementation
