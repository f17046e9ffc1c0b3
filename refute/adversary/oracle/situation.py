"""What a failing test does, without what it expects: the claim's own words must lead to the same expectation."""

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import SourceModule, TestRun
from refute.adversary.oracle.alone import may_stand_alone
from refute.adversary.oracle.error_text import pattern_missed, text_expected
from refute.adversary.oracle.question import CONDITION, Form, Situation, compared, question
from refute.adversary.oracle.shown import RESULT, literal, raising_around, shown_code
from refute.adversary.references import ImplementationUse, defined
from refute.adversary.suite_source import SuiteSource
from refute.python_syntax import UNPARSABLE, expression_or_none

MAX_CHARS: Final = 3_000
WHERE: Final = re.compile(
    r"^ *\+ +(?:where|and) +(?P<value>.+?) = (?:<function (?P<name>[\w.]+) at 0x[0-9a-f]+>|(?P<dotted>[\w.]+))"
    r"(?P<given>\(.*\))$",
    re.MULTILINE,
)
COMPARING: Final = frozenset({"__eq__", "__ne__", "__bool__", "__len__", "__hash__", "__contains__", "__repr__"})


def situation_of(source: str, name: str, run: TestRun, modules: Sequence[SourceModule]) -> Situation | None:
    """The situation in which a test failed; None where it cannot be told from the test's source.

    Args:
        source: the test file.
        name: of the test function.
        run: how it failed.
        modules: of the implementation.
    """
    try:
        suite = SuiteSource(source)
    except UNPARSABLE:
        return None
    body = suite.tree.body
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(functions) != 1:
        return None
    failing = _failing(functions[0], run)
    if failing is None:
        return None
    if not run.raised_in_implementation and isinstance(failing, ast.Assert):
        use = ImplementationUse(source, [one.module.name for one in modules])
        direct = _direct_call(failing, run, _ours(body, functions[0], use))
        if direct is not None and may_stand_alone(suite, name, failing, direct[1], modules):
            return direct[0]
    asked = question(functions[0], failing, run, compares=_compares(suite.closure(name)))
    code = shown_code(body, functions[0], failing, asked.shown, run)
    raising = raising_around(functions[0], failing)
    missed = pattern_missed(raising, run) if raising is not None else None
    said = text_expected(functions[0], failing, missed)
    return replace(asked.situation, code=code, error_text=said) if len(code) <= MAX_CHARS else None


def _compares(closure: Sequence[ast.stmt]) -> bool:
    """Whether objects of the test's own say themselves what they equal."""
    return any(
        isinstance(part, ast.FunctionDef) and part.name in COMPARING for node in closure for part in ast.walk(node)
    )


def _failing(function: ast.FunctionDef, run: TestRun) -> ast.stmt | None:
    """The smallest statement of the test that the traceback points to."""
    name = re.escape(function.name)
    lines = [int(line) for line in re.findall(rf"(?::| line )(\d+):? in {name}\b", run.traceback)]
    inside = [line for line in lines if function.body[0].lineno <= line <= (function.end_lineno or 0)]
    if not inside:
        return None
    found = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node is not function and node.lineno <= inside[-1] <= (node.end_lineno or 0)
    ]
    return min(found, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None)


def _direct_call(failing: ast.Assert, run: TestRun, ours: set[str]) -> tuple[Situation, ast.Call] | None:
    """A call with plain arguments, from pytest's explanation: `assert 27 == 26`, `where 27 = double(13)`."""
    sides = compared(run.error_message)
    if sides is None or not isinstance(failing.test, ast.Compare):
        return None
    for actual, expected in (sides, sides[::-1]):
        for found in WHERE.finditer(run.error_message):
            call = _plain_call(f"{found['name'] or found['dotted']}{found['given']}", ours)
            value, wanted, got = map(literal, (found["value"], expected, actual))
            if call is not None and wanted is not None and value is not None and value == got:
                if isinstance(wanted[0], bool):
                    same = "is" if isinstance(failing.test.ops[0], ast.Is) else "=="
                    code = f"{CONDITION} = {ast.unparse(call)} {same} {wanted[0]}"
                    return Situation(code=code, form=Form.CONDITION, expected=True, observed=False), call
                code = f"{RESULT} = {ast.unparse(call)}"
                asked = Situation(
                    code=code, form=Form.VALUE, expected=wanted[0], observed=value[0], seen=found["value"]
                )
                return asked, call
    return None


def _plain_call(text: str, ours: set[str]) -> ast.Call | None:
    """A call of the implementation with nothing but plain data; None where it is another."""
    call = expression_or_none(text)
    if not isinstance(call, ast.Call) or ast.unparse(call.func).partition(".")[0] not in ours:
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return call if all(literal(ast.unparse(one)) is not None for one in given) else None


def _ours(body: Sequence[ast.stmt], function: ast.FunctionDef, use: ImplementationUse) -> set[str]:
    """Names that stand for the implementation in this test."""
    imports = [node for node in (*body, *ast.walk(function)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {name for node in imports if use.imports(node) for name in defined(node)}
