"""Examples that only illustrate: their answer hangs on a file that the ticket does not hold, the date, a fresh name."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from refute.adversary.property.dependence import Dependence
from refute.adversary.property.doctests import COMPOUND, Session
from refute.adversary.property.expected import Expected, Raises, Text, Value
from refute.adversary.property.expressions import dotted, free_names
from refute.adversary.property.namespace import STANDARD_NAMES, Namespace
from refute.adversary.property.surface import Function

_PATH_PARAMETER = re.compile(
    r"(?:.*_)?(?:path|paths|file|files|filename|filepath|dir|directory|folder|root|src|source|target)", re.IGNORECASE
)
_PATH = re.compile(r"[^\s<>{}|*?\"']*(?:/[^\s<>{}|*?\"']*|\.[A-Za-z]\w{0,5})")
_ANYWHERE = re.compile(r"\.{0,2}/?|/(?:tmp|dev|etc|proc|usr|bin)(?:/.*)?")
"""Places that exist without the ticket's doing, or may."""
_SAID_TO_MISS = re.compile(
    r"miss|absent|non.?exist|not?.?(?:exist|there|found|such|file)|nope|nowhere|unknown", re.IGNORECASE
)
_RANDOM = re.compile(r"random|shuffl|chance|toss|roll|dice|coin", re.IGNORECASE)
_SEEDED = re.compile(r"seed|rng|random_state|generator")
_DATED = re.compile(r"\d{4}|\bdate(?:time)?\(")


def illustrates(checks: Sequence[tuple[ast.AST, Expected | None]], namespace: Namespace, *, said: str) -> str:
    """Why an example cannot be held against the code; empty where it can.

    Args:
        checks: its statements or expressions in order, each with what is written down for it.
        namespace: knows the implementation and the ticket's files.
        said: the words around: an example of a missing file is meant as such.
    """
    return next(
        (reason for node, expected in checks for reason in _reasons(node, expected, checks, namespace, said)), ""
    )


def _reasons(
    node: ast.AST,
    expected: Expected | None,
    checks: Sequence[tuple[ast.AST, Expected | None]],
    namespace: Namespace,
    said: str,
) -> Iterator[str]:
    written = _written(expected)
    outer = node.value if isinstance(node, ast.Expr) else node
    printing = isinstance(node, COMPOUND)
    for call, function in _calls([node], namespace):
        if Dependence.CALLERS in function.depends_on:
            yield f"`{function.qualified}` looks at the code that calls it, which is no test in the example"
        if (call is outer or printing) and Dependence.CALENDAR in function.depends_on and _DATED.search(written):
            yield f"what `{function.qualified}` gives hangs on the day on which it runs"
        if (call is outer or printing) and _left_to_chance(call, function, checks, said):
            yield f"what `{function.qualified}` gives is left to chance"
        if Dependence.FRESH in function.depends_on and (printing or (call is outer and written[:1] in {"'", '"'})):
            yield f"what `{function.qualified}` gives is made anew by every call"
    if not (isinstance(expected, Raises) or is_nothing(expected) or _SAID_TO_MISS.search(said)):
        yield from _files_missing(node, checks, namespace)


def _files_missing(
    node: ast.AST, checks: Sequence[tuple[ast.AST, Expected | None]], namespace: Namespace
) -> Iterator[str]:
    for call, function in _calls([node], namespace):
        if Dependence.FILES in function.depends_on:
            for path in _missing(call, function, namespace):
                if sum(path in _texts(other) for other, _ in checks) == 1:
                    yield f"the example reads {path!r}, which the ticket does not hold"


def _left_to_chance(
    call: ast.Call, function: Function, checks: Sequence[tuple[ast.AST, Expected | None]], said: str
) -> bool:
    """Whether a function that is said to be random is not seeded; a yes or no about an argument is sure."""
    if Dependence.CHANCE not in function.depends_on or not _RANDOM.search(
        f"{function.name} {function.docstring} {said}"
    ):
        return False
    sure = call.args and any(_written(expected) in {"True", "False"} for _, expected in checks)
    return not sure and not any(_SEEDED.search(ast.unparse(node)) for node, _ in checks)


def _calls(nodes: Iterable[ast.AST], namespace: Namespace) -> Iterator[tuple[ast.Call, Function]]:
    for node in nodes:
        for call in ast.walk(node):
            function = namespace.surface.named(dotted(call.func) or "") if isinstance(call, ast.Call) else None
            if isinstance(call, ast.Call) and function is not None:
                yield call, function


def _missing(call: ast.Call, function: Function, namespace: Namespace) -> Iterator[str]:
    """Texts passed as paths that lead to nothing in the workspace."""
    names = [parameter.name for parameter in function.parameters]
    passed = [*zip(names, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
    for name, argument in passed:
        for text in _texts(argument):
            looks = _PATH_PARAMETER.fullmatch(name) or _PATH.fullmatch(text)
            if looks and not _ANYWHERE.fullmatch(text) and not namespace.holds_file(text):
                yield text


def _texts(node: ast.AST) -> list[str]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def _written(expected: Expected | None) -> str:
    match expected:
        case Value(written=text) | Text(text=text):
            return text.strip()
        case _:
            return ""


def one_of_several(checks: Sequence[Expected | None]) -> bool:
    """Whether a value among these may be one right answer of several; yes, no and nothing at all are not."""
    return any(
        isinstance(expected, Value | Text)
        and not is_nothing(expected)
        and not (
            isinstance(expected, Value) and isinstance(expected.plain, ast.Constant) and expected.plain.value is True
        )
        for expected in checks
    )


def is_nothing(expected: Expected | None) -> bool:
    """None, False, 0 and empty values: what is said of a file that is not there, or of an answer that there is none."""
    match expected:
        case Value(plain=ast.Constant(value=value)):
            return not value
        case Value(plain=ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[])):
            return True
        case _:
            return False


def only_shown(session: Session, namespace: Namespace) -> frozenset[str]:
    """Classes that only results show (`OutEdgeView([(1, 2)])`) and the code does not have: its libraries' own.

    What they look like can be compared; there is nothing to import.
    """
    used = {name for step in session.steps for name in free_names([step.statement])}
    values = [step.expected.plain for step in session.steps if isinstance(step.expected, Value)]
    calls = [node for value in values for node in ast.walk(value) if isinstance(node, ast.Call)]
    names = {node.func.id for node in calls if isinstance(node.func, ast.Name) and node.func.id[:1].isupper()}
    faces = namespace.surface.faces
    if any(face.opaque for face in faces):
        return frozenset()
    return frozenset(names - used - set(STANDARD_NAMES) - {name for face in faces for name in face.names})
