"""The lines of Python that check one example."""

import ast
import re
import textwrap

from refute.adversary.property.awaiting import awaited, awaits
from refute.adversary.property.doctests import Session, Step
from refute.adversary.property.expected import Expected, Raises, Text, Value
from refute.adversary.property.expressions import is_call_of, source_of
from refute.adversary.property.namespace import Namespace

_PRINTER = re.compile(r"_?p?print|pp")
"""`print` and those of `pprint`."""
_SHOWS = 'assert {call}, f"expected {{_shown(expected)}}, got {{_shown(shown)}}"'
_DISAGREES = 'assert {call}, f"expected {{_shown(expected)}}, got {{_shown(got)}}"'


def lines_of_session(session: Session, namespace: Namespace) -> list[str]:
    """All steps in order; where nothing is shown at all, the session says that its last step comes to its end."""
    lines = [line for step in session.steps for line in lines_of_step(step, namespace)]
    *before, last = session.steps
    if any(line.startswith(("assert", "with pytest.raises")) for line in lines) or not isinstance(
        last.statement, ast.Expr
    ):
        return lines
    code = source_of(awaited(last.statement.value, namespace))
    shown = (
        [f"got = {code}", "assert _completes(lambda: got)"]
        if awaits([last.statement])
        else [f"assert _completes(lambda: {code})"]
    )
    return [*(line for step in before for line in lines_of_step(step, namespace)), *shown]


def lines_of_step(step: Step, namespace: Namespace) -> list[str]:
    """Lines for one `>>>` statement and what is shown after it."""
    if not isinstance(step.statement, ast.Expr):
        if isinstance(step.expected, Raises):
            inner = source_of(step.statement).splitlines()
            return [f"with pytest.raises({step.expected.name}):", *(f"    {line}" for line in inner)]
        return source_of(step.statement).splitlines()
    expression = step.statement.value
    if step.expected is None:
        truth = isinstance(expression, ast.Compare)
        return [f"assert {source_of(expression)}" if truth else source_of(awaited(expression, namespace))]
    return check(expression, step.expected, namespace, exact=True)


def check(  # noqa: PLR0911  # one per kind of expectation
    expression: ast.expr, expected: Expected, namespace: Namespace, *, exact: bool
) -> list[str]:
    """Lines that compare an expression with what is written down for it.

    Args:
        expression: what is evaluated.
        expected: a value, an exception or a text.
        namespace: tells async functions and such as print.
        exact: whether a list must not be a tuple.
    """
    prints = _prints(expression, namespace)
    code = source_of(awaited(expression, namespace))
    same = "_same(expected, got)" if exact else "_same(expected, got, exact=False)"
    match expected:
        case Raises(name=name):
            return [f"with pytest.raises({name}):", f"    {code}"]
        case Value(plain=ast.Constant(value=True | False)) if isinstance(expression, ast.Compare):
            return [f"assert {'' if expected.source == 'True' else 'not '}({code})"]
        case Value() if not prints:
            return _compared(code, expected, same, shown=exact)
        case Value(written=written):
            either = f"_prints_like({written!r}, shown)"
            if expected.source != "None":  # which `print` gives, whatever it prints
                either = f"{same} or {either}"
            return [f"expected = {expected.source}", *_transcribed(code), _DISAGREES.format(call=either)]
        case Text(text=text) if not prints and _says_nothing(text):
            return [code]
        case Text() if prints:
            return [*_transcribed(code), *_reads(expected)]
        case Text(text=text):
            call = "_reads_like(expected, shown)"
            return [f"expected = {textwrap.dedent(text)!r}", *_transcribed(code), _SHOWS.format(call=call)]


def _reads(expected: Value | Text) -> list[str]:
    """Compare what was printed with what is written down; nothing where nobody knows its order."""
    text = textwrap.dedent(expected.written if isinstance(expected, Value) else expected.text)
    return [f"expected = {text!r}", _SHOWS.format(call="_prints_like(expected, shown)")]


def _compared(code: str, expected: Value, same: str, *, shown: bool) -> list[str]:
    if expected.in_brackets:
        same = f"{same} or {same.replace('expected', '(expected,)', 1)}"
    if not (shown and _builds(expected.plain)):
        return [f"expected = {expected.source}", f"got = {code}", _DISAGREES.format(call=same)]
    # What a session shows is a repr: it may look like a call that builds something else, or nothing at all.
    either = f"(_reads_like({expected.written!r}, repr(got)) or _equals(lambda: {expected.source}, got))"
    return [f"expected = {expected.written!r}", f"got = {code}", _DISAGREES.format(call=either)]


def _transcribed(code: str) -> list[str]:
    """Run the call and keep what doctest would compare: the printed lines, then the result's repr."""
    return [
        "with contextlib.redirect_stdout(io.StringIO()) as printed:",
        f"    got = {code}",
        "shown = _transcript(printed.getvalue(), got)",
    ]


def _builds(value: ast.expr) -> bool:
    """Whether a value is written as the call of a class, as a dataclass shows itself."""
    calls = [is_call_of(node) or "" for node in ast.walk(value) if isinstance(node, ast.Call)]
    return any(name.rpartition(".")[2][:1].isupper() for name in calls)


def _says_nothing(text: str) -> bool:
    """Prose after a call, or a default repr with an address: no promise about the result."""
    return " at 0x" in text or re.search(r"(?:[A-Za-z]{2,}[\s,.:;]+){3,}", text) is not None


def _prints(expression: ast.expr | ast.stmt, namespace: Namespace) -> bool:
    """Whether an example shows what is printed: only where a called function prints at all."""
    called = {is_call_of(node) or "" for node in ast.walk(expression) if isinstance(node, ast.Call)}
    names = {name.rpartition(".")[2] for name in called}
    printers = {function.name for function in namespace.surface.callables() if function.writes_output}
    return not names.isdisjoint(printers) or any(map(_PRINTER.fullmatch, names))
