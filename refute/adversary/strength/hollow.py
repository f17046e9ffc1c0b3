"""The code without what it does: on a hollow variant every function fails, or gives what means nothing and does harm.

Small faults measure an attack as a whole. A claim whose own tests pass on hollow code as well was not attacked, however
strong the tests of other claims are.
"""

import ast
from collections.abc import Iterator
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.strength import garbled
from refute.adversary.strength.controls import after_headings
from refute.python_syntax import UNPARSABLE, parse_python

HOLLOW: Final = "hollow"
"""How the names of these variants begin."""
FAILING: Final = f"{HOLLOW}, every function fails"
MEANINGLESS: Final = f"{HOLLOW}, every function gives what means nothing"
GARBLED: Final = (f"{HOLLOW}, {garbled.MORE}", f"{HOLLOW}, {garbled.LESS}")
"""Two, since "at least 0" or "at most 80" is honestly kept by one of them."""

FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef
INTACT: Final = frozenset(
    {
        "__new__", "__del__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__init_subclass__",
        "__class_getitem__", "__set_name__", "__prepare__", "__instancecheck__", "__subclasscheck__",
    }
)  # fmt: skip
"""Python calls these while it makes classes and objects and looks at them."""
SILENT: Final = frozenset({"__init__", "__post_init__", "__exit__", "__aexit__", "__setitem__", "__delitem__"})
"""Nobody sees what these give; where it is not None some of them fail, and any test would notice."""
ENTERING: Final = frozenset({"__enter__", "__aenter__"})
"""These give the object itself: else nothing within the `with` would run."""

HEADING: Final = """
import sys as {t}sys
from collections import OrderedDict as {t}OrderedDict

def {t}used():
    frame = {t}sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        frame = frame.f_back
    return True

def {t}dict(value):
    return {t}OrderedDict if isinstance(value, {t}OrderedDict) else dict
"""
"""Whether a function is called by a test: what the code calls while it is imported works as ever. And whose methods
damage a mapping: those of `dict` would leave an ordered one broken, for every later test too."""
FAILURE: Final = """
class {t}Failure(Exception):
    pass
"""
MISCHIEF: Final = """
class {t}Thing:
    def refuse(self, *_):
        raise RuntimeError("{t}")
    __bool__ = __eq__ = __ne__ = __hash__ = refuse

def {t}thing(names):
    for stream in ({t}sys.stdout, {t}sys.stderr):
        try:
            print("{t}", file=stream)
        except Exception:
            pass
    try:
        open("{t}", "x").close()
    except OSError:
        pass
    for value in list(names.values()):
        {t}damage(value)
        for part in value if type(value) is tuple else value.values() if type(value) is dict else ():
            {t}damage(part)
    return {t}Thing()

def {t}damage(value):
    try:
        if isinstance(value, list):
            list.__setitem__(value, slice(None), ["{t}"])
        elif isinstance(value, dict):
            {t}dict(value).clear(value)
            {t}dict(value).__setitem__(value, "{t}", "{t}")
        elif isinstance(value, set):
            set.clear(value)
            set.add(value, "{t}")
        elif isinstance(value, bytearray):
            value[:] = b"{t}"
        elif type(value).__name__ == "deque":
            value.append("{t}")
        if isinstance(value, (type, type({t}sys), type({t}damage))):
            return
        slots = [one for kind in type(value).__mro__ for one in getattr(kind, "__slots__", ())]
        for name in [*getattr(value, "__dict__", ()), *slots]:
            {t}forget(value, name)
    except Exception:
        pass

def {t}forget(value, name):
    try:
        object.__setattr__(value, name, "{t}")
    except Exception:
        pass
"""
"""An object that nobody can ask anything; on the way, arguments are damaged, both streams and the folder littered."""
FAILING_PROGRAM: Final = 'raise RuntimeError("{t}")\n'
MEANINGLESS_PROGRAM: Final = """import os
import sys

noise = "{t}" + os.urandom(8).hex()
for stream in (sys.stdout, sys.stderr):
    print(noise, file=stream)
for name in [*sys.argv[1:], "{t}"]:
    try:
        if name == "{t}" or os.path.isfile(name):
            with open(name, "a") as file:
                file.write(noise)
    except OSError:
        pass
"""


def hollow_variants(brief: Brief, named: frozenset[str], token: str) -> dict[str, dict[str, str]]:
    """Name → files of the hollow variants; empty where there is nothing to hollow out.

    Args:
        brief: of the ticket; modules that cannot be parsed stay as they are.
        named: names that the tests use, of which private functions are hollowed out as well.
        token: an identifier that the code has nothing to do with.
    """
    failing: dict[str, str] = {}
    meaningless: dict[str, str] = {}
    more: dict[str, str] = {}
    less: dict[str, str] = {}
    for one in brief.modules:
        path = one.module.path
        if brief.programs:
            failing[path], meaningless[path] = (
                text.replace("{t}", token) for text in (FAILING_PROGRAM, MEANINGLESS_PROGRAM)
            )
            continue
        try:
            failing[path] = _hollow(one.source, named, token, fails=True)
            meaningless[path] = _hollow(one.source, named, token, fails=False)
            more[path], less[path] = (_garbled(one.source, named, token, more=flag) for flag in (True, False))
        except UNPARSABLE:
            failing.pop(path, None)
    known = {FAILING: failing, MEANINGLESS: meaningless, GARBLED[0]: more, GARBLED[1]: less}
    return {name: files for name, files in known.items() if files} if meaningless else {}


def _garbled(source: str, named: frozenset[str], token: str, *, more: bool) -> str:
    tree = parse_python(source)
    for function in functions_in(tree.body):
        if _from_outside(function.name, named):
            garbled.garble(function, token)
    place = after_headings(tree.body)
    tree.body[place:place] = parse_python(HEADING.replace("{t}", token) + garbled.runtime(token, more=more)).body
    return ast.unparse(ast.fix_missing_locations(tree))


def _hollow(source: str, named: frozenset[str], token: str, *, fails: bool) -> str:
    tree = parse_python(source)
    for function in functions_in(tree.body):
        if _from_outside(function.name, named):
            place = after_headings(function.body)
            function.body[place:place] = _prologue(function, token, fails=fails)
    text = (HEADING + (FAILURE if fails else MISCHIEF)).replace("{t}", token)
    place = after_headings(tree.body)
    tree.body[place:place] = parse_python(text).body
    return ast.unparse(ast.fix_missing_locations(tree))


def functions_in(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods of a module, wherever in it but within others."""
    for node in body:
        if isinstance(node, FUNCTION):
            yield node
        else:
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                yield from functions_in(getattr(node, field, []))


def _from_outside(name: str, named: frozenset[str]) -> bool:
    """Whether tests may call a function of this name, by itself or by an operator."""
    if name.startswith("__") and name.endswith("__"):
        return name not in INTACT
    return not name.startswith("_") or name in named


def _prologue(function: ast.FunctionDef | ast.AsyncFunctionDef, token: str, *, fails: bool) -> list[ast.stmt]:
    """What runs instead of a function; a generator still gives a generator, of one thing."""
    given = f"{token}thing(locals())"
    first = next(iter([*function.args.posonlyargs, *function.args.args]), None)
    if fails:
        does = f'raise {token}Failure("{token}")'
    elif function.name in SILENT:
        does = f"{given}; return"
    elif function.name in ENTERING and first is not None:
        does = f"{given}; return {first.arg}"
    elif _yields(function):
        does = f"yield {given}; return"
    else:
        does = f"return {given}"
    return parse_python(f"async def _():\n    if {token}used(): {does}").body[0].body  # type: ignore[attr-defined,no-any-return]


def _yields(function: ast.AST) -> bool:
    """Whether a function itself, and not one within it, is a generator."""
    return any(
        isinstance(node, ast.Yield | ast.YieldFrom)
        or (not isinstance(node, ast.Lambda | ast.ClassDef | FUNCTION) and _yields(node))
        for node in ast.iter_child_nodes(function)
    )
