"""A standalone program per refutation: plain `python reproduce_….py` in the workspace shows the disagreement."""

import ast
import builtins
from collections.abc import Iterable, Sequence
from typing import Final

from refute.adversary.attack import Attack, AttackTest, Brief, TestRun
from refute.adversary.counterexample import arguments
from refute.adversary.references import defined, loaded
from refute.python_syntax import parse_python, python_lines

LIBRARIES: Final = frozenset({"pytest", "hypothesis", "_pytest"})
NAMES_IN_INPUTS: Final = {
    "datetime": "import datetime",
    "uuid": "import uuid",
    "ipaddress": "import ipaddress",
    "zoneinfo": "import zoneinfo",
    "re": "import re",
    "Decimal": "from decimal import Decimal",
    "Fraction": "from fractions import Fraction",
    "UUID": "from uuid import UUID",
    "OrderedDict": "from collections import OrderedDict",
    "deque": "from collections import deque",
    "Counter": "from collections import Counter",
    "Path": "from pathlib import Path",
    "PosixPath": "from pathlib import PosixPath",
    "nan": "from math import nan",
    "inf": "from math import inf",
}
"""Names that reprs of generated values use."""
STAND_INS: Final = {
    "pytest": '''\
class pytest:
    """What this test uses of pytest, so that it runs without it."""

    class raises:
        def __init__(self, expected, *, match=None):
            self.expected, self.match, self.value = expected, match, None

        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            assert error is not None, f"did not raise {self.expected}"
            if not isinstance(error, self.expected):
                return False
            import re

            assert self.match is None or re.search(self.match, str(error)), f"{error!s} does not match {self.match}"
            self.value, self.type = error, type(error)
            return True

    @staticmethod
    def fail(reason="", pytrace=True):
        raise AssertionError(reason)
''',
    "assume": """\
def assume(condition):
    if not condition:
        print("NOT REPRODUCED: the input does not satisfy the test's assumption")
        raise SystemExit(0)
    return True
""",
    "note": """\
def note(value):
    print(value)
""",
}
PYTEST_USED: Final = frozenset({"raises", "fail"})
MAIN: Final = """\
if __name__ == "__main__":
    try:
        {call}
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
        print({shown}, file=sys.stderr)
        raise SystemExit(1)
    print("NOT REPRODUCED: the claim holds here")
"""


def write_reproducer(attack: Attack, test: AttackTest, run: TestRun, brief: Brief) -> str:
    """The program for one refuting test.

    It needs neither pytest nor Hypothesis where the test is an example or its smallest input is known; else it
    carries the test file and starts pytest on this test, and says so.

    Args:
        attack: holds the test's source.
        test: the refuting test.
        run: how it failed, with the smallest input.
        brief: names the claim and the import roots.

    Returns:
        Python source. It exits with 1 and the error where the claim is violated, with 0 where it is not.
    """
    try:
        return _standalone(attack, test, run, brief)
    except _NeedsPytestError:
        return _by_pytest(attack, test, run, brief)


class _NeedsPytestError(Exception):
    """The test cannot run without pytest or Hypothesis."""


def _standalone(attack: Attack, test: AttackTest, run: TestRun, brief: Brief) -> str:
    body = parse_python(attack.source).body
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == test.name]
    if not functions:
        raise _NeedsPytestError
    function = functions[-1]
    given = _given(function, run)
    kept = _closure(body, function)
    names = set().union(*(loaded(node) for node in (*kept, _bare(function)))) if kept else loaded(_bare(function))
    stand_ins = _stand_ins(body, [*kept, _bare(function)], names)
    inputs = [line for name, line in NAMES_IN_INPUTS.items() if name in _names_of(given.values())]
    call = f"{test.name}({', '.join(f'{name}={value}' for name, value in given.items())})"
    parts = [
        _header(test, run, brief, needs="nothing but Python"),
        "\n".join(["import sys", "import traceback", *inputs]),
        _path(brief),
        *stand_ins,
        *(_text(attack.source, node) for node in kept),
        _text(attack.source, _bare(function)),
        MAIN.format(call=call, shown=repr(f"REPRODUCED: {test.claim_id} is violated")),
    ]
    program = "\n\n".join(part.strip("\n") for part in parts if part) + "\n"
    parse_python(program)
    return program


def _given(function: ast.FunctionDef, run: TestRun) -> dict[str, str]:
    """The arguments to call the test with: its smallest input."""
    wanted = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    found = arguments(run.smallest_input)
    if found is None or set(found) != wanted or function.args.posonlyargs:
        raise _NeedsPytestError
    if not _names_of(found.values()) <= {*NAMES_IN_INPUTS, *dir(builtins)}:
        raise _NeedsPytestError
    return found


def _names_of(expressions: Iterable[str]) -> set[str]:
    return {name for text in expressions for name in loaded(parse_python(text.strip(), mode="eval"))}


def _closure(body: Sequence[ast.stmt], function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of the file that the function needs, in their order; imports of the test libraries left out."""
    needed = loaded(_bare(function))
    kept: list[ast.stmt] = []
    grown = True
    while grown:
        grown = False
        for node in body:
            if node in kept or node is function or _is_library_import(node) or needed.isdisjoint(defined(node)):
                continue
            kept.append(node)
            needed |= loaded(node)
            grown = True
    future = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    if future:
        raise _NeedsPytestError  # it would have to stand first, before our own lines
    return sorted(kept, key=lambda node: node.lineno)


def _stand_ins(body: Sequence[ast.stmt], used: Sequence[ast.stmt], names: set[str]) -> list[str]:
    """Small replacements for what the test uses of pytest and Hypothesis."""
    foreign = {name for node in body if _is_library_import(node) for name in defined(node)} & names
    if not foreign <= set(STAND_INS):
        raise _NeedsPytestError
    for node in used:
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "pytest":
                if part.attr not in PYTEST_USED:
                    raise _NeedsPytestError
            elif _is_library_import(part):
                raise _NeedsPytestError
    return [STAND_INS[name] for name in sorted(foreign)]


def _is_library_import(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=aliases):
            return any(alias.name.partition(".")[0] in LIBRARIES for alias in aliases)
        case ast.ImportFrom(module=str(module)):
            return module.partition(".")[0] in LIBRARIES
    return False


def _bare(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function without its decorators."""
    return ast.copy_location(
        ast.FunctionDef(
            name=function.name, args=function.args, body=function.body, decorator_list=[], returns=function.returns
        ),
        function,
    )


def _text(source: str, node: ast.stmt) -> str:
    """A statement as it stands in the file, with the decorators that the node has."""
    lines = python_lines(source)
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : node.end_lineno])


def _header(test: AttackTest, run: TestRun, brief: Brief, *, needs: str) -> str:
    claim = next(claim for claim in brief.ticket.claims if claim.id == test.claim_id)
    facts = [
        f"Ticket {brief.ticket.id}, claim {claim.id}: {claim.text}",
        f"Violated in {test.name}: {run.error_type}: {run.error_message}",
        *(f"Smallest input: {line}" for line in run.smallest_input.splitlines()),
        f"Run it in the workspace: python <this file>. Needs {needs}. Exits with 1 where the claim is violated.",
    ]
    return "\n".join(f"# {line}" for fact in facts for line in _plain(fact).splitlines())


def _plain(text: str) -> str:
    """Text that is safe in a comment: every line break is one that we see, nothing is invisible."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text.replace("\r\n", "\n"))


def _path(brief: Brief) -> str:
    return f"sys.path[:0] = {list(brief.ticket.import_roots)!r}  # relative to the workspace"


def _by_pytest(attack: Attack, test: AttackTest, run: TestRun, brief: Brief) -> str:
    """A program that carries the whole file and runs one test of it."""
    return f"""\
{_header(test, run, brief, needs="pytest and hypothesis")}

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = {attack.source!r}

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, {attack.file_name!r})
    file.write_text(SOURCE, encoding="utf-8")
    roots = os.pathsep.join(os.path.abspath(root) for root in {list(brief.ticket.import_roots)!r})
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", folder]
    command += ["--import-mode=importlib", f"{{file}}::{test.name}"]
    code = subprocess.run(command, env={{**os.environ, "PYTHONPATH": roots}}).returncode
sys.exit(code)
"""
