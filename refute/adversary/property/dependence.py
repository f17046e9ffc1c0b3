"""What a function's answer hangs on besides its arguments: files, the calendar, fresh identifiers.

Read from the source without running it, to tell an example that can be held against the code from one that only
illustrates: nobody's `today_path("/logs") -> "/logs/2024/05/01.log"` is a promise about every other day.
"""

import ast
import re
from collections.abc import Iterator
from enum import StrEnum

from refute.adversary.property.expressions import dotted

_FILE_READERS = re.compile(
    r"read_(?:text|bytes)|exists|is_?file|is_?dir|iterdir|r?glob|stat|listdir|scandir|walk|getsize|getmtime"
)
_WRITING = re.compile(r"[wax]")
_CALENDAR = re.compile(r"(?:.*\.)?(?:datetime|date|dt)\.(?:now|utcnow|today)|time\.(?:time|time_ns|localtime|gmtime)")
_FRESH = re.compile(r"(?:uuid\.)?uuid[14]|secrets\.token_\w+|token_(?:hex|urlsafe|bytes)|os\.urandom")
_CHANCE = re.compile(
    r"(?:random\.|secrets\.)?(?:choices?|randint|randrange|randbelow|shuffle|sample|uniform|getrandbits|randbits)"
    r"|random\.random"
)
_CALLERS = re.compile(r"(?:sys\.)?_getframe|(?:inspect\.)?currentframe|inspect\.stack")
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_CONDITIONAL = ast.If | ast.IfExp | ast.BoolOp | ast.Lambda | ast.ExceptHandler


class Dependence(StrEnum):
    """Something that an example does not write down."""

    FILES = "files"
    CALENDAR = "calendar"
    """Always: a clock that a parameter may replace does not count."""
    FRESH = "fresh"
    """Identifiers made anew by every call, always."""
    CHANCE = "chance"
    """Random numbers, always: those of a generator that is passed in or seeded do not count."""
    CALLERS = "callers"
    """Who calls it, which is not the console of an example."""


def dependences(tree: ast.Module) -> dict[str, frozenset[Dependence]]:
    """Function or method name → what its answer hangs on, through the functions of the module that it calls."""
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    direct: dict[str, set[Dependence]] = {}
    called: dict[str, set[str]] = {}
    for function in functions:
        direct.setdefault(function.name, set()).update(_direct(function))
        called.setdefault(function.name, set()).update(_called(function))
    for _ in direct:  # no chain of calls is longer than there are functions
        through = {name: set().union(*(direct[other] for other in called[name] & direct.keys())) for name in direct}
        if all(through[name] <= direct[name] for name in direct):
            break
        direct = {name: found | through[name] for name, found in direct.items()}
    return {name: frozenset(found) for name, found in direct.items()}


def _direct(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Dependence]:
    for call, conditional in _calls(function.body):
        name = dotted(call.func) or ""
        if _reads_files(call, name):
            yield Dependence.FILES
        if _CALENDAR.fullmatch(name) and not conditional and not (call.args and name.startswith("time.")):
            yield Dependence.CALENDAR
        if _FRESH.fullmatch(name) and not conditional:
            yield Dependence.FRESH
        if _CHANCE.fullmatch(name) and not conditional:
            yield Dependence.CHANCE
        if _CALLERS.fullmatch(name):
            yield Dependence.CALLERS


def _reads_files(call: ast.Call, name: str) -> bool:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name in {"open", "io.open", "codecs.open"} or method == "open":
        texts = [argument.value for argument in _arguments(call) if isinstance(argument, ast.Constant)]
        return not any(isinstance(text, str) and len(text) <= 3 and _WRITING.search(text) for text in texts)  # noqa: PLR2004  # a mode
    return _FILE_READERS.fullmatch(method) is not None


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _called(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names of functions called plainly or on `self` and `cls`; what happens only under a condition counts too."""
    names = {dotted(call.func) or "" for call, _ in _calls(function.body)}
    return {name.removeprefix("self.").removeprefix("cls.") for name in names} - {""}


def _calls(body: list[ast.stmt]) -> Iterator[tuple[ast.Call, bool]]:
    """Every call below these statements, and whether it happens only under a condition."""
    waiting: list[tuple[ast.AST, bool]] = [(node, False) for node in body]
    while waiting:
        node, conditional = waiting.pop()
        if isinstance(node, ast.Call):
            yield node, conditional
        inner = conditional or isinstance(node, _CONDITIONAL)
        waiting += [(child, inner) for child in ast.iter_child_nodes(node)]
