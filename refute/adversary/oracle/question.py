"""What is asked about the statement at which a test failed, and apart from it what the test expects and what came."""

import ast
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from refute.adversary.attack import TestRun
from refute.adversary.judgement.repetition import ASSERTED
from refute.adversary.oracle.error_text import pattern_missed
from refute.adversary.oracle.shown import RESULT, as_result, assign, literal, raising_around
from refute.python_syntax import parse_python, parsed_or_none

CONDITION: Final = "condition"
MISSED: Final = re.compile(r"DID NOT RAISE|did not raise", re.IGNORECASE)


class Form(StrEnum):
    """What a test expects, as far as it can be compared with an answer."""

    VALUE = "value"
    RAISES = "raises"
    """An exception, whose class the sample must name."""
    ENDS = "ends"
    """No exception."""
    CONDITION = "condition"
    """Any other condition."""

    @property
    def is_condition(self) -> bool:
        """What is true or false: a voter that says the same to all would too often be right by chance."""
        return self is not Form.VALUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A use of the implementation, and apart from it what the test expects and what came."""

    code: str
    """Python; the last line is what is asked about."""
    form: Form
    expected: Any = None
    """The value, or the exception's name."""
    observed: Any = None
    """Where it is known as plain data: the value, or the exception's name."""
    seen: str = ""
    """The value that came as pytest told it, perhaps cut in the middle; empty where it did not."""
    error_text: str = ""
    """Words that the test expects of an error's message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked, before it is known which lines of the test lead to it."""

    situation: Situation
    shown: list[ast.stmt]
    """The lines that stand for the failing statement."""


def question(function: ast.FunctionDef, failing: ast.stmt, run: TestRun, *, compares: bool) -> Asked:
    """What is asked about a failing statement; `compares`: the test's own objects may say what they equal."""
    raising = raising_around(function, failing)
    if raising is not None:
        return _raising(raising, run)
    if run.raised_in_implementation or not isinstance(failing, ast.Assert) or run.error_type not in ASSERTED:
        return _about(Form.ENDS, _tried([as_result(failing)], "ended"), observed=run.error_type.rpartition(".")[2])
    match failing.test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() as operator], comparators=[right]) if not compares:
            for subject, other in ((left, right), (right, left)):
                wanted = literal(ast.unparse(_exact(other)))
                if wanted is None or isinstance(wanted[0], bool):
                    continue
                alike = isinstance(operator, ast.Eq) or wanted == (None,)
                if alike and literal(ast.unparse(subject)) is None:
                    sides = compared(run.error_message) or ("", "")
                    seen = sides[0] if subject is left else sides[1]
                    got = literal(seen)
                    observed = got[0] if got else None
                    return _about(
                        Form.VALUE, [assign(RESULT, subject)], expected=wanted[0], observed=observed, seen=seen
                    )
    return _about(Form.CONDITION, [assign(CONDITION, failing.test)], expected=True, observed=False)


def _raising(raising: ast.With, run: TestRun) -> Asked:
    """What is asked where an error was expected: whether it comes; where it came, whether it says so."""
    inner = [*raising.body[:-1], as_result(raising.body[-1])]
    pattern = pattern_missed(raising, run)
    if pattern is not None:
        return _about(Form.CONDITION, _caught(inner, raising, pattern), expected=True, observed=False)
    came = "" if MISSED.search(run.error_message) else run.error_type.rpartition(".")[2]
    return _about(Form.RAISES, _tried(inner, "raised"), expected=_exception(raising), observed=came)


def _tried(body: list[ast.stmt], asked: Literal["ended", "raised"]) -> list[ast.stmt]:
    """Lines that ask whether others end normally, or raise."""
    raised: list[ast.stmt] = [assign(asked, ast.Constant(value=asked == "raised"))]
    ended: list[ast.stmt] = [assign(asked, ast.Constant(value=asked == "ended"))]
    handler = ast.ExceptHandler(type=ast.Name(id="BaseException", ctx=ast.Load()), name=None, body=raised)
    tried = ast.Try(body=body, handlers=[handler], orelse=ended, finalbody=[])
    return [tried, assign(CONDITION, ast.Name(id=asked, ctx=ast.Load()))]


def _caught(body: list[ast.stmt], raising: ast.With, pattern: ast.expr) -> list[ast.stmt]:
    """Lines that ask whether an error says what `match=` expects."""
    kinds = _exception(raising).split(",")
    names: list[ast.expr] = [ast.Name(id=kind or "Exception", ctx=ast.Load()) for kind in kinds]
    kind = names[0] if len(names) == 1 else ast.Tuple(elts=names, ctx=ast.Load())
    kept: list[ast.stmt] = [
        ast.Assign(
            targets=[ast.Name(id="error", ctx=ast.Store())], value=ast.Name(id="caught", ctx=ast.Load()), lineno=0
        )
    ]
    handler = ast.ExceptHandler(type=kind, name="caught", body=kept)
    tried = ast.Try(body=body, handlers=[handler], orelse=[], finalbody=[])
    return [
        tried,
        assign(CONDITION, parse_python(f"re.search({ast.unparse(pattern)}, str(error)) is not None", mode="eval").body),
    ]


def _about(form: Form, shown: list[ast.stmt], **facts: Any) -> Asked:
    return Asked(situation=Situation(code="", form=form, **facts), shown=shown)


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


def compared(message: str) -> tuple[str, str] | None:
    """Both sides of `assert 27 == 26` as they were told; the last such line, what a test says itself stands before."""
    line = next((line for line in reversed(message.splitlines()) if line.startswith("assert ")), "")
    match parsed_or_none(line):
        case ast.Module(
            body=[ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])), *_]
        ):
            return ast.unparse(left), ast.unparse(right)
        case None if line.count(" == ") == 1:  # values that were cut are no Python
            left_text, _, right_text = line.removeprefix("assert ").partition(" == ")
            return left_text, right_text
    return None
