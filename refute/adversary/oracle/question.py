"""What voters are shown of a failing test: its lines up to the failing one, without anything that it expects."""

import ast
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from refute.adversary.attack import TestRun
from refute.adversary.counterexample import arguments
from refute.adversary.judgement.repetition import ASSERTED
from refute.adversary.references import body_of, function_of, loaded, needed_for
from refute.python_syntax import expression_or_none, literal_of, parse_python, parsed_or_none

RESULT: Final = "result"
MAX_CHARS: Final = 3_000
MISSED: Final = re.compile(r"DID NOT RAISE|did not raise", re.IGNORECASE)
PATTERN_MISSED: Final = re.compile(r"Regex pattern did not match|Pattern '.*' not found in", re.IGNORECASE)
"""What pytest says where the error came, but not with the words that `match=` expects."""
ERROR_TEXT: Final = re.compile(r"\b(?:str|repr)\(\w+\.value\)")
"""What an assertion looks at that is about the message of an error."""
TRIED: Final = "try: ...\nexcept BaseException as error:\n    result = type(error).__name__\nelse:\n    result = None"
MATCHED: Final = "try: ...\nexcept {kind} as error:\n    result = re.search({pattern}, str(error)) is not None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A use of the implementation, and apart from it what the test expects and what came."""

    code: str = ""
    """Python; the line that sets `result` is what is asked about."""
    expected: Any
    """The value; None also where no exception may come."""
    raises: frozenset[str] = frozenset()
    """Names of exceptions, of which the value may be any."""
    came: str = ""
    """The value as pytest told it, perhaps cut in the middle, or the exception's name in quotes."""
    error_text: str = ""
    """Words that the test expects of an error's message."""

    @property
    def is_truth(self) -> bool:
        """Whether half of all guesses would be right."""
        return isinstance(self.expected, bool)


def literal(text: str) -> tuple[Any] | None:
    """The value of a literal, in a box since it may be None; `[1, ...]` is one that was cut short."""
    node = expression_or_none(text)
    value = None if node is None else literal_of(node)
    return None if "Ellipsis" in repr(value) else value


def situation_of(source: str, name: str, run: TestRun) -> Situation | None:
    """The situation in which a test failed; None where it cannot be told from the test's source.

    Args:
        source: the test file.
        name: of the test function.
        run: how it failed.
    """
    function = function_of(source, name)
    failing = _failing(function, run) if function is not None else None
    if function is None or failing is None:
        return None
    situation, lines = _question(failing, run)
    code = _shown(source, function, _Blanked(failing, lines), run)
    return replace(situation, code=code) if len(code) <= MAX_CHARS else None


def _failing(function: ast.FunctionDef, run: TestRun) -> ast.stmt | None:
    """The smallest statement of the test that the traceback points to, or the block around it that must raise."""
    lines = re.findall(rf"(?::| line )(\d+):? in {re.escape(function.name)}\b", run.traceback)
    inside = [line for line in map(int, lines) if function.body[0].lineno <= line <= (function.end_lineno or 0)]
    statements = [node for top in function.body for node in ast.walk(top) if isinstance(node, ast.stmt)]
    around = [node for node in statements if inside and node.lineno <= inside[-1] <= (node.end_lineno or 0)]
    smallest = min(around, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None)
    return next(filter(_raises, around), smallest)


_Asked = tuple[Situation, list[ast.stmt]]
"""A situation without its code, and what stands in the place of the failing statement."""


def _question(failing: ast.stmt, run: TestRun) -> _Asked:
    """What is asked about a failing statement, and apart from it what is expected and what came."""
    came = repr(run.error_type.rpartition(".")[2])
    match failing:
        case ast.With():
            return _raising(failing, run, "None" if MISSED.search(run.error_message) else came)
        case ast.Assert(test=test) if run.error_type in ASSERTED and not run.raised_in_implementation:
            texts = (part.value for part in ast.walk(test) if isinstance(part, ast.Constant))
            words = " ".join(text for text in texts if isinstance(text, str))
            about = words if ERROR_TEXT.search(ast.unparse(test)) else ""
            return _value(test, run) or (Situation(expected=True, came="False", error_text=about), [_assigned(test)])
    return Situation(expected=None, came=came), _filled(TRIED, [_bare(failing)])


def _value(test: ast.expr, run: TestRun) -> _Asked | None:
    """`assert f(3) == 4`: the side that is written out is what is expected; it is not shown."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() as op], comparators=[right]):
            told = _compared(run.error_message)
            for subject, other, came in ((left, right, told[0]), (right, left, told[1])):
                wanted = literal(ast.unparse(_exact(other)))
                alike = isinstance(op, ast.Eq) or wanted == (None,)
                if wanted and not isinstance(wanted[0], bool) and alike and literal(ast.unparse(subject)) is None:
                    return Situation(expected=wanted[0], came=came), [_assigned(subject)]
    return None


def _compared(message: str) -> tuple[str, str]:
    """Both sides of `assert 27 == 26` as they were told; the last such line, what a test says itself stands before."""
    line = next((line for line in reversed(message.splitlines()) if line.startswith("assert ")), "")
    match parsed_or_none(line):
        case ast.Module(body=[ast.Assert(test=ast.Compare(left=left, comparators=[right]))]):
            return ast.unparse(left), ast.unparse(right)
    left_text, equals, right_text = line.removeprefix("assert ").partition(" == ")  # values that were cut are no Python
    return (left_text, right_text) if equals and " == " not in right_text else ("", "")


def _raising(block: ast.With, run: TestRun, came: str) -> _Asked:
    """An error was expected: it did not come, or another one did, or it says something else."""
    inner = [*block.body[:-1], _bare(block.body[-1])]
    call = block.items[0].context_expr
    given, words = (call.args[:1], call.keywords) if isinstance(call, ast.Call) else ([], [])
    pattern = next((ast.unparse(word.value) for word in words if word.arg == "match"), "")
    if pattern and PATTERN_MISSED.search(run.error_message):
        text = "".join(map(str, literal(pattern) or ()))
        lines = MATCHED.format(kind=ast.unparse(given[0]) if given else "Exception", pattern=pattern)
        return Situation(expected=True, came="False", error_text=text), _filled(lines, inner)
    kinds = [one for kind in given for one in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
    names = [ast.unparse(kind).rpartition(".")[2] for kind in kinds] or ["Exception"]
    return Situation(expected=names[0], raises=frozenset(names), came=came), _filled(TRIED, inner)


def _filled(text: str, body: list[ast.stmt]) -> list[ast.stmt]:
    """Lines whose `try` gets a body."""
    lines = parse_python(text).body
    lines[0].body = body  # type: ignore[attr-defined]  # of a Try
    return lines


def _bare(node: ast.stmt) -> ast.stmt:
    """A statement without what it expects."""
    match node:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            return ast.Expr(value=right if literal(ast.unparse(left)) is not None else left)
        case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=value)) | ast.Assert(test=value):
            return ast.Expr(value=value)
    return node


def _exact(node: ast.expr) -> ast.expr:
    """The number inside `pytest.approx(…)`."""
    return node.args[0] if isinstance(node, ast.Call) and node.args and "approx" in ast.unparse(node.func) else node


def _raises(node: ast.stmt) -> bool:
    return isinstance(node, ast.With) and "raises" in ast.unparse(node.items[0]).partition("(")[0]


def _assigned(value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[ast.Name(id=RESULT, ctx=ast.Store())], value=value, lineno=0)


class _Blanked(ast.NodeTransformer):
    """What is asked in the place of the failing statement, other assertions without what they expect.

    Texts that do nothing are left out too: they may tell what is expected, or talk to a voter.
    """

    def __init__(self, failing: ast.stmt, asked: list[ast.stmt]) -> None:
        self.failing, self._asked = failing, asked

    def visit(self, node: ast.AST) -> Any:
        """One node; every kind is treated alike."""
        match node:
            case _ if node is self.failing:
                return self._asked
            case ast.Assert():
                return _bare(node)
            case ast.Expr(value=ast.Constant(value=str())):
                return ast.Pass()
        return self.generic_visit(node)


def _shown(source: str, function: ast.FunctionDef, blanked: _Blanked, run: TestRun) -> str:
    """The test's lines up to the failing one, the smallest input, and the file's helpers that they use."""
    last = next(at for at, node in enumerate(function.body) if blanked.failing in ast.walk(node))
    module = blanked.visit(ast.Module(body=function.body[: last + 1], type_ignores=[]))
    lines: list[ast.stmt] = [node for node in module.body if not isinstance(node, ast.Pass)]
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, rows, *_]):
                target = ast.Name(id=re.sub(r"[^\w,]", "", ast.unparse(names)), ctx=ast.Store())
                lines = [ast.For(target=target, iter=rows, body=lines, orelse=[], lineno=0)]
    others = (node for node in body_of(source) if getattr(node, "name", "") != function.name)
    helpers = needed_for(set().union(*map(loaded, lines)), others)
    told = [f"{name} = {value}" for name, value in (arguments(run.smallest_input) or {}).items()]
    return "\n".join([*(ast.unparse(blanked.visit(node)) for node in helpers), *told, *map(ast.unparse, lines)])
