"""What a failing test does, without what it expects: the claim's own words must lead to the same expectation."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from refute.adversary.attack import TestRun
from refute.adversary.oracle.shown import RESULT, as_result, assign, literal, raising_around, shown_code
from refute.adversary.references import ImplementationUse, defined
from refute.python_syntax import expression_or_none, parsed_or_none

MAX_CHARS: Final = 3_000
CONDITION: Final = "condition"
WHERE: Final = re.compile(
    r"^ *\+ +(?:where|and) +(?P<value>.+?) = (?:<function (?P<name>[\w.]+) at 0x[0-9a-f]+>|(?P<dotted>[\w.]+))"
    r"(?P<given>\(.*\))$",
    re.MULTILINE,
)
MISSED: Final = re.compile(r"DID NOT RAISE|did not raise", re.IGNORECASE)


class Form(StrEnum):
    """What a test expects, as far as it can be compared with an answer."""

    VALUE = "value"
    TRUTH = "truth"
    """A value that is true, or false, whatever it is otherwise."""
    RAISES = "raises"
    ENDS = "ends"
    """No exception."""
    CONDITION = "condition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A use of the implementation, and apart from it what the test expects and what came."""

    code: str
    """Python; the last line is what is asked about."""
    form: Form
    expected: Any = None
    """The value, its truth, or the exception's name."""
    observed: Any = None
    """Where it is known as plain data: the value, or the exception's name."""


def situation_of(source: str, name: str, run: TestRun, modules: Sequence[str]) -> Situation | None:
    """The situation in which a test failed; None where it cannot be told from the test's source.

    Args:
        source: the test file.
        name: of the test function.
        run: how it failed.
        modules: dotted names of the implementation's modules.
    """
    tree = parsed_or_none(source)
    body = tree.body if tree else []
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(functions) != 1:
        return None
    failing = _failing(functions[0], run)
    if failing is None:
        return None
    if not run.raised_in_implementation and isinstance(failing, ast.Assert):
        direct = _direct_call(failing, run, _ours(body, functions[0], ImplementationUse(source, modules)))
        if direct is not None:
            return direct
    form, shown, expected, observed = _question(functions[0], failing, run)
    code = shown_code(body, functions[0], failing, shown, run)
    return Situation(code=code, form=form, expected=expected, observed=observed) if len(code) <= MAX_CHARS else None


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


def _direct_call(failing: ast.Assert, run: TestRun, ours: set[str]) -> Situation | None:
    """A call with plain arguments, from pytest's explanation: `assert 27 == 26`, `where 27 = double(13)`."""
    compared = _compared(run.error_message)
    if compared is None or not isinstance(failing.test, ast.Compare):
        return None
    for actual, expected in (compared, compared[::-1]):
        for found in WHERE.finditer(run.error_message):
            call = _plain_call(f"{found['name'] or found['dotted']}{found['given']}", ours)
            value, wanted, got = map(literal, (found["value"], expected, actual))
            if call and wanted is not None and value is not None and value == got:
                return Situation(code=f"{RESULT} = {call}", form=Form.VALUE, expected=wanted[0], observed=value[0])
    return None


def _compared(message: str) -> tuple[str, str] | None:
    """Both sides of `assert 27 == 26`."""
    line = next((line for line in message.splitlines() if line.startswith("assert ")), "")
    match parsed_or_none(line):
        case ast.Module(
            body=[ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])), *_]
        ):
            return ast.unparse(left), ast.unparse(right)
    return None


def _plain_call(text: str, ours: set[str]) -> str:
    """A call of the implementation with nothing but plain data; empty where it is another."""
    call = expression_or_none(text)
    if not isinstance(call, ast.Call) or ast.unparse(call.func).partition(".")[0] not in ours:
        return ""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return ast.unparse(call) if all(literal(ast.unparse(one)) is not None for one in given) else ""


def _ours(body: Sequence[ast.stmt], function: ast.FunctionDef, use: ImplementationUse) -> set[str]:
    """Names that stand for the implementation in this test."""
    imports = [node for node in (*body, *ast.walk(function)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {name for node in imports if use.imports(node) for name in defined(node)}


def _question(function: ast.FunctionDef, failing: ast.stmt, run: TestRun) -> tuple[Form, list[ast.stmt], Any, Any]:
    """What is asked, the lines that stand for the failing statement, what the test expects, what came."""
    raising = raising_around(function, failing)
    if raising is not None:
        came = "" if MISSED.search(run.error_message) else run.error_type.rpartition(".")[2]
        inner = [as_result(node) if node is raising.body[-1] else node for node in raising.body]
        return Form.RAISES, inner, _exception(raising), came
    if run.raised_in_implementation or not isinstance(failing, ast.Assert):
        return Form.ENDS, [as_result(failing)], None, run.error_type.rpartition(".")[2]
    match failing.test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            for subject, other in ((left, right), (right, left)):
                wanted = literal(ast.unparse(_exact(other)))
                if wanted is not None and literal(ast.unparse(subject)) is None:
                    compared = _compared(run.error_message)
                    sides = compared or ("", "")
                    got = literal(sides[0] if subject is left else sides[1])
                    return Form.VALUE, [assign(RESULT, subject)], wanted[0], got[0] if got else None
        case ast.Call() | ast.Name() | ast.Attribute() | ast.Subscript():
            return Form.TRUTH, [assign(RESULT, failing.test)], True, None
        case ast.UnaryOp(op=ast.Not(), operand=(ast.Call() | ast.Name() | ast.Attribute()) as subject):
            return Form.TRUTH, [assign(RESULT, subject)], False, None
    return Form.CONDITION, [assign(CONDITION, failing.test)], True, False


def _exception(raising: ast.With) -> str:
    """Names of the classes that `pytest.raises` waits for, separated by commas."""
    call = raising.items[0].context_expr
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    kinds = given.elts if isinstance(given, ast.Tuple) else [given] if given is not None else []
    return ",".join(ast.unparse(kind).rpartition(".")[2] for kind in kinds)


def _exact(node: ast.expr) -> ast.expr:
    """The number inside `pytest.approx(…)`."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"pytest.approx", "approx"} and node.args:
        return node.args[0]
    return node
