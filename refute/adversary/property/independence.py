"""Which `property` is evidence that its author cannot have bent: the expected side is the standard library's alone."""

import ast
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
_WHOLE: Final = frozenset({"list", "tuple", "dict"})
"""Builtins that take an answer as it is."""


def rests_on_the_library(check: ast.expr, assume: ast.expr | None, given: Mapping[str, str], names: Namespace) -> bool:
    """Whether `check` says `f(…) == …`, where all but that one call is built in or of the standard library.

    The inputs must be the tester's own: `given` names types, no strategies. Comprehensions, lambdas and conditions on
    the expected side are the author's logic again, and so never independent.
    """
    types = [parse_expression(text) for text in given.values()]
    if any(one is None or any(isinstance(node, ast.Call) for node in ast.walk(one)) for one in types):
        return False
    if assume is not None and _reaches(assume, given, names):
        return False
    return all(_compares(one, given, names) for one in conjuncts(check))


def _compares(check: ast.expr, given: Mapping[str, str], names: Namespace) -> bool:
    match check:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            sides = ((left, right), (right, left))
            return any(_is_answer(one, given, names) and _is_library(other, given, names) for one, other in sides)
    return False


def _is_answer(side: ast.expr, given: Mapping[str, str], names: Namespace) -> bool:
    """One call of the implementation, on arguments that it had no part in."""
    match side:
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _WHOLE:
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
