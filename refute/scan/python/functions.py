"""Walks the body of a Python function with the arguments of a call."""

import ast
from typing import Any, Final

from refute.scan.core.symbols import DERIVED, TEMP
from refute.scan.python.state import Walker
from refute.scan.python.values import UNK, Env, Function, PathValue, Ref, choose, signature

MAX_DEPTH: Final = 8
_MAX_ENTRIES: Final = 200
"""Different arguments with which one function is walked."""
_FIXTURES: Final = {
    "tmp_path": PathValue(TEMP),
    "tmpdir": PathValue(TEMP),
    "tmp_path_factory": Ref("tmp_path_factory"),
    "tmpdir_factory": Ref("tmp_path_factory"),
}


def enter(
    walker: Walker, function: Function, arguments: list[Any], keywords: dict[str, Any], *, known: bool = True
) -> Any:
    """Walk a function's body with these arguments; without known arguments every parameter is unknown."""
    node = function.node
    if node in walker.stack or len(walker.stack) >= MAX_DEPTH:
        return UNK
    if known:
        walker.called.add(node)
    entries = walker.entries.setdefault(node, {})
    key = (id(function.instance), known, *map(signature, arguments), *map(signature, keywords.items()))
    if key in entries:
        return entries[key]
    if len(entries) >= _MAX_ENTRIES:
        # Many calls that each yield a character spell something out.
        spells = all(isinstance(value, str) and len(value) <= 1 for value in entries.values())
        return DERIVED if spells else UNK
    entries[key] = UNK
    result = _entered(walker, function, arguments, keywords, known=known)
    entries[key] = result
    return result


def _entered(walker: Walker, function: Function, arguments: list[Any], keywords: dict[str, Any], *, known: bool) -> Any:
    node = function.node
    outer, walker.env = walker.env, Env(function.env)
    outer_stack, walker.stack = walker.stack, (*walker.stack, node)
    outer_endless, walker.endless = walker.endless, walker.endless if known else 0
    branching, walker.branching = walker.branching, 0
    yielded, walker.yielded = walker.yielded, []
    try:
        _bind_parameters(walker, function, arguments, keywords)
        if isinstance(node, ast.Lambda):
            return walker.value(node.body)
        returned = walker.body(node.body)
        return walker.yielded or choose(returned or [None])
    finally:
        walker.yielded = yielded
        walker.env, walker.stack, walker.branching, walker.endless = outer, outer_stack, branching, outer_endless


def _bind_parameters(walker: Walker, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> None:
    spec = function.node.args
    parameters = [*spec.posonlyargs, *spec.args]
    bound = walker.env.names
    defaults = dict(
        zip([p.arg for p in parameters[len(parameters) - len(spec.defaults) :]], spec.defaults, strict=True)
    )
    defaults.update({p.arg: d for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None})
    for parameter in [*parameters, *spec.kwonlyargs]:
        default = defaults.get(parameter.arg)
        bound[parameter.arg] = _FIXTURES.get(parameter.arg, UNK if default is None else walker.value(default))
    if function.instance is not None and parameters and not isinstance(function.node, ast.Lambda):
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.node.decorator_list)
        if not static:
            bound[parameters.pop(0).arg] = function.instance
    for parameter, value in zip(parameters, arguments, strict=False):
        bound[parameter.arg] = value
    if spec.vararg is not None:
        bound[spec.vararg.arg] = list(arguments[len(parameters) :]) or UNK
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = UNK
    bound.update({key: value for key, value in keywords.items() if key in bound})
