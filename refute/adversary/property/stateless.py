"""Classes whose instances are all alike: made without arguments, and changed by none of their methods.

What a claim says of a method of such a class holds for any instance, so a new one may be asked. Read from the source
without running it; whatever is not plainly so counts as state, since right code must not fail for how it was set up.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

from refute.adversary.property.expressions import dotted, source_of

_Method = ast.FunctionDef | ast.AsyncFunctionDef
HARMLESS_DUNDERS: Final = frozenset({"__init__", "__repr__", "__str__", "__call__"})
MAKES_CONSTANTS: Final = frozenset({"re.compile", "frozenset", "tuple", "Decimal", "decimal.Decimal"})
"""Calls whose answer cannot be changed, where their arguments are constants."""
READERS: Final = frozenset({"get", "items", "keys", "values", "index", "count"})
"""Methods of lists, dictionaries and sets that change nothing."""
_ASKS: Final = re.compile(
    r"\b(?:must|should|shall|only|requires?|required|needs?|expects?|assum\w+|valid|well-formed|guarante\w+|callers?"
    r"|preconditions?|invariants?|supports?|unsupported|after|before|once|first|undefined|restricted|limited)\b",
    re.IGNORECASE,
)
READING_CALLS: Final = frozenset({"len", "sorted", "list", "tuple", "set", "frozenset", "dict", "min", "max", "sum"})


def is_stateless(node: ast.ClassDef) -> bool:
    """Whether every instance, made by calling the class with nothing, answers as any other does, at any time."""
    if node.decorator_list or node.keywords or any(source_of(base) != "object" for base in node.bases):
        return False
    methods = [inner for inner in node.body if isinstance(inner, _Method)]
    attributes = [inner for inner in node.body if not isinstance(inner, _Method) and not _is_docstring(inner)]
    given: set[str] = set()
    for method in methods:
        if method.name.startswith("__") and method.name not in HARMLESS_DUNDERS:
            return False
        if method.name == "__init__":
            if not _needs_nothing(method):
                return False
            attributes += [line for line in method.body if not _is_docstring(line)]
            given |= {one.arg for one in (*method.args.args, *method.args.kwonlyargs)}
    bound = list(map(_bound, attributes))
    if None in bound:
        return False
    lasting = {n for n, value in filter(None, bound) if _is_lasting(value) or source_of(value) in given}
    containers = {name for name, _ in filter(None, bound)} - lasting
    return not any(_may_change(one, containers, node.name) for one in methods if one.name != "__init__")


def asks_something(node: ast.ClassDef) -> bool:
    """Whether a class's docstring may say what its methods may be given, or in which order they are called."""
    return _ASKS.search(ast.get_docstring(node) or "") is not None


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _needs_nothing(maker: _Method) -> bool:
    """Whether a constructor can be called with nothing, and gets only what lasts."""
    arguments = maker.args
    if maker.decorator_list or arguments.vararg or arguments.kwarg or arguments.posonlyargs or _first(maker) != "self":
        return False
    defaults = [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]
    given = len(arguments.args) - 1 + len(arguments.kwonlyargs)
    return len(defaults) == given and all(map(_is_lasting, defaults))


def _bound(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """The attribute that a statement of a class or its constructor binds; None where it does anything else.

    A name is an argument with its default or, as far as is known here, something that may change.
    """
    match statement:
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            known = _is_lasting(value) or _is_container(value)
        case _:
            return None
    match target:
        case ast.Name(id=name) if known:
            return name, value
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if known or isinstance(value, ast.Name):
            return name, value
        case _:
            return None


def _is_container(value: ast.expr) -> bool:
    """A list, set or dictionary of what lasts."""
    match value:
        case ast.List(elts=items) | ast.Set(elts=items):
            return all(map(_is_lasting, items))
        case ast.Dict(keys=keys, values=values):
            return all(item is not None and _is_lasting(item) for item in (*keys, *values))
        case _:
            return False


def _is_lasting(value: ast.expr) -> bool:
    """A constant, or a tuple or call that makes one."""
    match value:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Tuple(elts=items):
            return all(map(_is_lasting, items))
        case ast.Call(func=func, args=items, keywords=[]):
            return dotted(func) in MAKES_CONSTANTS and all(_is_lasting(one) or _is_container(one) for one in items)
        case _:
            return False


def _first(method: _Method) -> str:
    return method.args.args[0].arg if method.args.args else ""


def _may_change(method: _Method, containers: set[str], owner: str) -> bool:
    """Whether a method might change its instance or class, or hand either to somebody who might."""
    decorators = {source_of(one) for one in method.decorator_list}
    if "staticmethod" not in decorators and _first(method) not in {"self", "cls"}:
        return True
    parents = {child: node for node in ast.walk(method) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(method):
        match node:
            case ast.Global() | ast.Nonlocal():
                return True
            case ast.Name(id=name) if name in {"self", "cls", owner} and not _only_read(node, parents, containers):
                return True
            case _:
                continue
    return False


def _only_read(itself: ast.Name, parents: dict[ast.AST, ast.AST], containers: set[str]) -> bool:
    """Whether `self` stands in a `self.name` that is read, and what it holds is not handed on where it can change."""
    attribute = parents[itself]
    if not isinstance(attribute, ast.Attribute) or not isinstance(attribute.ctx, ast.Load):
        return False
    if attribute.attr.startswith("__"):
        return False
    return attribute.attr not in containers or _reads_container(attribute, parents)


def _reads_container(attribute: ast.Attribute, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a list, set or dictionary is only looked into."""
    parent = parents[attribute]
    match parent:
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in READING_CALLS and attribute in args
        case ast.Attribute(attr=name, ctx=ast.Load()):
            call = parents[parent]
            return name in READERS and isinstance(call, ast.Call) and call.func is parent
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is attribute
        case ast.Compare():
            return True
        case ast.For(iter=value) | ast.AsyncFor(iter=value) | ast.comprehension(iter=value):
            return value is attribute
        case _:
            return False


def options_of(node: ast.ClassDef) -> tuple[str, ...]:
    """Names of what the constructor may be given."""
    makers = [inner for inner in node.body if isinstance(inner, _Method) and inner.name == "__init__"]
    return tuple(one.arg for maker in makers for one in (*maker.args.args[1:], *maker.args.kwonlyargs))


def mentioned(node: ast.ClassDef) -> Iterator[str]:
    """Names that stand in a class: of functions whose errors its methods may pass on."""
    yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
