"""A pytest file per refutation, with the one test and what it needs: it shows the disagreement, wherever it is run."""

import ast
import contextlib
from collections.abc import Iterable
from typing import Final

from refute.adversary.attack import Attack, AttackTest, Brief, TestRun
from refute.adversary.counterexample import arguments
from refute.adversary.judgement.repetition import ASSERTED
from refute.adversary.property.draft import NotTested
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import Surface
from refute.adversary.references import loaded, needed_for
from refute.adversary.suite_source import lines_of
from refute.guardrails.plain_text import printable
from refute.python_syntax import parse_python, python_lines

RUN: Final = '''\
import os
import sys
from pathlib import Path

CLAIM = {claim!r}
FAILED_WITH = {errors!r}
FILES = {files!r}
IMPORT_ROOTS = {roots!r}
PACKAGES = {packages!r}


def stop(why):
    """Nothing can be said about the claim."""
    print(why, file=sys.stderr)
    if __name__ == "__main__":
        raise SystemExit(2)
    pytest.exit(why, returncode=2)


def find_workspace():
    """Where the code is: as told, else here or above, else where it was verified."""
    if __name__ == "__main__" and sys.argv[1:]:
        os.environ["REFUTE_WORKSPACE"] = sys.argv[1]
    told = os.environ.get("REFUTE_WORKSPACE")
    places = [Path(told)] if told else [Path.cwd(), *Path.cwd().parents, Path({workspace!r})]
    for place in places:
        if all((place / file).is_file() for file in FILES):
            return place.resolve()
    return stop(f"cannot import; run it in the workspace: there is no {{', '.join(FILES)}} in {{places[0]}}")


def run():
    """Exit code: 1 where the claim is violated, 0 where it holds, 2 where neither can be said."""
    errors = []

    class Watch:
        def pytest_runtest_makereport(self, item, call):
            errors.extend([call.excinfo.value] if call.excinfo else [])

    sys.dont_write_bytecode = True
    file = os.path.abspath(__file__)
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", os.path.dirname(file)]
    code = pytest.main([*options, "--import-mode=importlib", file], plugins=[Watch()])
    kinds = {{type(error).__name__ for error in errors}}
    if code == 0:
        print(f"NOT REPRODUCED: {{CLAIM}} holds here")
        return 0
    if kinds & {{*FAILED_WITH}}:
        print(f"REPRODUCED: {{CLAIM}} is violated", file=sys.stderr)
        return 1
    if any(isinstance(error, ImportError) for error in errors):
        return stop("cannot import; run it in the workspace, with what the code requires installed")
    return stop(f"NOT REPRODUCED: got {{', '.join(sorted(kinds)) or 'no result'}}, expected {{FAILED_WITH[0]}}")


try:
    {imports}
except ImportError as error:
    stop(f"{{error}}; install it: python -m pip install pytest hypothesis")
WORKSPACE = find_workspace()
if __name__ == "__main__":
    raise SystemExit(run())
os.chdir(WORKSPACE)
sys.path[:0] = [str(WORKSPACE / root) for root in IMPORT_ROOTS]
for name, module in list(sys.modules.items()):
    file = getattr(module, "__file__", None)
    if name.partition(".")[0] in PACKAGES and file and WORKSPACE not in Path(file).parents:
        del sys.modules[name]  # pytest's own pluggy, for one
'''
RUNNING: Final = frozenset({"pytest", "hypothesis", "__main__"})
"""Modules that a reproducer runs by; never those of the code."""


def write_reproducer(attack: Attack, test: AttackTest, run: TestRun, brief: Brief) -> str:
    """The file for one refuting test.

    What Hypothesis draws is tried after the smallest input, where that can be written down.

    Args:
        attack: holds the test's source.
        test: the refuting test.
        run: how it failed, with the smallest input.
        brief: names the claim, the files and the import roots.

    Returns:
        Python source, for `python FILE [WORKSPACE]` and `pytest FILE`. Run by Python it exits with 1 where the test
        fails as it did, with 0 where it passes, with 2 where the code is not found or the test fails otherwise.
    """
    body = parse_python(attack.source).body
    function = next(node for node in reversed(body) if isinstance(node, ast.FunctionDef) and node.name == test.name)
    kept = needed_for(loaded(function), (node for node in body if getattr(node, "name", "") != test.name))
    needed = "\n".join(map(ast.unparse, [*kept, function]))
    given = _given(function, run)
    values = ", ".join(f"{name}={value}" for name, value in given.items())
    future = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    parts = [
        _header(test, run, brief),
        *(_text(attack.source, node) for node in future),
        _preamble(test, run, brief, needs=["pytest", "hypothesis"] if "hypothesis" in needed else ["pytest"]),
        "\n".join(_imports(given.values())),
        *(_text(attack.source, node) for node in kept if node not in future),
        (f"@hypothesis.example({values})\n" if given else "") + _text(attack.source, function),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _given(function: ast.FunctionDef, run: TestRun) -> dict[str, str]:
    """The smallest input of a test that draws its own; empty where it cannot be written as Python."""
    found = arguments(run.smallest_input) or {}
    wanted = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    drawn = any("given" in loaded(one) for one in function.decorator_list)
    with contextlib.suppress(NotTested):
        _imports(found.values())
        return found if drawn and found.keys() <= wanted else {}
    return {}


def _imports(values: Iterable[str]) -> tuple[str, ...]:
    """What reprs of generated values use. Raises NotTested: a name is nobody's that is known."""
    trees = [parse_python(value.strip(), mode="eval") for value in values]
    return Namespace(surface=Surface(faces=())).resolve(trees).imports


def _text(source: str, node: ast.stmt) -> str:
    """A statement as it stands in the file, with the decorators that the node has."""
    first, last = lines_of(node)
    return "\n".join(python_lines(source)[first - 1 : last])


def _preamble(test: AttackTest, run: TestRun, brief: Brief, *, needs: Iterable[str]) -> str:
    kind = run.error_type.rpartition(".")[2]
    return RUN.format(
        claim=str(test.claim_id),
        errors=sorted(ASSERTED) if kind in ASSERTED else [kind],
        files=list(brief.ticket.implementation_files),
        roots=list(brief.ticket.import_roots),
        packages=sorted({one.module.name.partition(".")[0] for one in brief.modules} - RUNNING),
        workspace=str(brief.ticket.workspace),
        imports="\n    ".join(f"import {name}" for name in needs),
    )


def _header(test: AttackTest, run: TestRun, brief: Brief) -> str:
    claim = next(claim for claim in brief.ticket.claims if claim.id == test.claim_id)
    facts = [
        f"Ticket {brief.ticket.id}, claim {claim.id}: {claim.text}",
        f"Violated in {test.name}, at the end of this file: {run.error_type}: {run.error_message}",
        *(f"Smallest input: {line}" for line in run.smallest_input.splitlines()),
        "Run it: python FILE [WORKSPACE], or pytest FILE (in the workspace, or with REFUTE_WORKSPACE=…)",
        "Exit code: 1 reproduced, 0 the claim holds, 2 the code was not found or the test ended in another way",
    ]
    return "\n".join(f"# {line}" for fact in facts for line in printable(fact).splitlines())
