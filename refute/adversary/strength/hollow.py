"""The code as something else: without a fault but written anew, and hollow: every function fails or answers otherwise.

The control is written the way mutants are, and every function has a statement that does nothing, so that its byte code
differs: code that looks at itself fails there, and what fails there says nothing about mutants.

Mutants measure an attack as a whole. A claim whose own tests pass on hollow code as well was not attacked, however
strong the tests of other claims are.
"""

import ast
import contextlib
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.references import at_top, defined, mentioned, needed_by
from refute.python_syntax import FUNCTION, UNPARSABLE, parse_python, parsed_or_none

CONTROL: Final = "control"
FAILING: Final = "every call fails"
OTHERWISE: Final = "every call answers otherwise"
"""Names of variants; those of mutants are their numbers."""
INTACT: Final = frozenset(
    {
        "__new__", "__del__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__init_subclass__",
        "__class_getitem__", "__set_name__", "__prepare__", "__instancecheck__", "__subclasscheck__", "__hash__",
        "__aiter__", "__await__", "__reduce__", "__copy__", "__deepcopy__",
    }
)  # fmt: skip
"""By these Python makes classes and objects, and keeps sets and copies going."""
RUNTIME: Final = Path(__file__).with_name("hollow_runtime.py")
HEADING: Final = """
import sys as {t}, types as {t}types
if "{t}" not in {t}.modules:
    {t}.modules["{t}"] = {t}types.ModuleType("{t}")
    exec({runtime!r}, {t}.modules["{t}"].__dict__)
{t} = {t}.modules["{t}"]
{t}.loading += 1
"""
"""One runtime for all modules, which know it from one another's calls."""
FAILING_PROGRAM: Final = 'raise RuntimeError("{t}")\n'
OTHER_PROGRAM: Final = """import os
import sys

noise = "{t}" + os.urandom(8).hex()
print(noise)
print(noise, file=sys.stderr)
for name in ["{t}", *filter(os.path.isfile, sys.argv[1:])]:
    with open(name, "a") as file:
        file.write(noise)
"""


def control(brief: Brief, chance: random.Random) -> dict[str, str]:
    """Files of the control; modules that cannot be parsed have no mutants, and no part in it."""
    files: dict[str, str] = {}
    name = f"_{chance.getrandbits(48):012x}"
    for one in brief.modules:
        with contextlib.suppress(*UNPARSABLE):
            tree = parse_python(one.source)
            for node in [node for node in ast.walk(tree) if isinstance(node, ast.Module | FUNCTION)]:
                _insert(node.body, f"{name} = None\ndel {name}")
            files[one.module.path] = ast.unparse(ast.fix_missing_locations(tree))
    return files


def _insert(body: list[ast.stmt], code: str) -> None:
    """Add statements behind docstring and `from __future__` imports, which must come first."""
    place = 0
    while place < len(body) and (ast.unparse(body[place]).startswith(("'", '"', "from __future__"))):
        place += 1
    body[place:place] = parse_python(code).body


def hollow_variants(brief: Brief, named: frozenset[str], token: str) -> dict[str, dict[str, str]]:
    """Name → files of the hollow variants; empty where there is nothing to hollow out.

    Args:
        brief: of the ticket; modules that cannot be parsed stay as they are.
        named: names that the tests use, of which private functions are hollowed out as well.
        token: an identifier that the code has nothing to do with.
    """
    programs = {FAILING: FAILING_PROGRAM, OTHERWISE: OTHER_PROGRAM} if brief.programs else {}
    variants: dict[str, dict[str, str]] = {FAILING: {}, OTHERWISE: {}}
    for name, files in variants.items():
        for one in brief.modules:
            if programs:
                files[one.module.path] = programs[name].replace("{t}", token)
            elif hollow := _hollow(one.source, named, token, fails=name == FAILING):
                files[one.module.path] = hollow
    return variants if variants[FAILING] else {}


def _hollow(source: str, named: frozenset[str], token: str, *, fails: bool) -> str:
    """The module with each function below all its own decorators in that of the runtime; empty without a syntax."""
    try:
        tree = parse_python(source)
        for function in _hollowed_in(tree.body, named):
            function.decorator_list.append(ast.Attribute(ast.Name(token, ast.Load()), "hollowed", ast.Load()))
        runtime = f"{RUNTIME.read_text()}\nTOKEN, FAILS = {token!r}, {fails}\n"
        _insert(tree.body, HEADING.format(t=token, runtime=runtime))
        tree.body += parse_python(f"{token}.loading -= 1").body
        return ast.unparse(ast.fix_missing_locations(tree))
    except UNPARSABLE:
        return ""


def _hollowed_in(body: list[ast.stmt], named: frozenset[str]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods of a module, wherever in it but within others, that tests may call or operators do."""
    for node in at_top(body):
        if isinstance(node, FUNCTION):
            special = node.name.startswith("__") and node.name.endswith("__")
            if node.name not in INTACT if special else not node.name.startswith("_") or node.name in named:
                yield node
        elif isinstance(node, ast.ClassDef):
            yield from _hollowed_in(node.body, named)


def uses_what_stays(brief: Brief, source: str, tests: Iterable[str]) -> bool:
    """Whether tests use what cannot be hollowed out: constants, fields, classes with such, or bases or decorators."""
    trees = () if brief.programs else filter(None, (parsed_or_none(one.source) for one in brief.modules))
    stays: set[str] = set()
    for node in (part for tree in trees for part in ast.walk(tree) if isinstance(part, ast.Module | ast.ClassDef)):
        bound = [name for one in node.body if isinstance(one, ast.Assign | ast.AnnAssign) for name in defined(one)]
        stays.update(bound)
        if isinstance(node, ast.ClassDef) and (bound or node.bases or node.decorator_list):
            stays.add(node.name)
    used = {name for node in needed_by(source, tests) for name in mentioned(node)}
    return not stays.isdisjoint(used)
