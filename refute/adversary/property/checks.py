"""The lines of Python that check one example."""

import ast
import re
import textwrap
from typing import Final

from refute.adversary.property.namespace import Namespace
from refute.adversary.property.sessions import Example, Step, printed
from refute.adversary.property.values import Raises, Text, Value
from refute.adversary.references import last_name

_PRINTER: Final = re.compile(r"\w*print|pp")
"""`print` and those of `pprint`."""
DISAGREES: Final = 'f"expected {_shown(_expected)}, got {_shown(_got)}"'
"""What a test says where two values differ; its names have underscores, since a session may have an `expected`."""
_LIKE: Final = "_reads_like(_expected, _said)"
CHECKS: Final = ("assert", "with pytest.raises")
"""How a line begins that can fail a test by itself."""


def lines_of(example: Example, namespace: Namespace) -> list[str]:
    """All steps in order; where nothing is shown at all, the example says that its last step comes to its end."""
    parts = [_lines_of_step(step, namespace, exact=example.exact) for step in example.steps]
    last = example.steps[-1].statement
    if isinstance(last, ast.Expr) and not any(line.startswith(CHECKS) for part in parts for line in part):
        parts[-1] = [f"assert _completes(lambda: {ast.unparse(last.value)})"]
    return [line for part in parts for line in part]


def _lines_of_step(step: Step, namespace: Namespace, *, exact: bool) -> list[str]:
    if isinstance(step.statement, ast.Expr):
        return _lines_of_value(step.statement.value, step, namespace, exact=exact)
    code = ast.unparse(step.statement).splitlines()
    if isinstance(step.expected, Raises):
        return _raising(step.expected, code)
    if shown := printed(step):
        checked = _assertion(_LIKE, "_said")
        return [f"_expected = {textwrap.dedent(shown)!r}", *_transcribed(code, "None"), checked]
    return code


def _lines_of_value(  # noqa: PLR0911  # one per kind of expectation
    expression: ast.expr, step: Step, namespace: Namespace, *, exact: bool
) -> list[str]:
    code = ast.unparse(expression)
    prints = _prints(expression, namespace)
    same = "_same(_expected, _got)" if exact else "_same(_expected, _got, exact=False)"
    match step.expected:
        case None:
            return [f"assert {code}"] if isinstance(expression, ast.Compare) else [code]
        case Raises() as error:
            return _raising(error, [code])
        case Value(plain=ast.Constant(value=bool(truth))) if isinstance(expression, ast.Compare):
            return [f"assert {'' if truth else 'not '}({code})"]
        case Value() as value if not prints:
            return [*_expected(value, exact=exact), f"_got = {code}", _assertion(_compared(value, same, exact=exact))]
        case Value() as value:
            either = f"_reads_like({value.written!r}, _said)"
            if value.source != "None":  # which `print` gives, whatever it prints
                either = f"{same} or {either}"
            return [f"_expected = {value.source}", *_transcribed([f"_got = {code}"]), _assertion(either, "_said")]
        case Text(text=text) if not prints and _says_nothing(text):
            return [code]
        case Text(text=text):
            dedented = f"_expected = {textwrap.dedent(text)!r}"
            either = "_reads_like(_expected, _said) or _reads_like(_expected, str(_got))"  # as `print` shows it
            return [dedented, *_transcribed([f"_got = {code}"]), _assertion(either, "_said")]


def _raising(error: Raises, code: list[str]) -> list[str]:
    within = [f"    {line}" for line in code]
    if not error.message:
        return [f"with pytest.raises({error.name}):", *within]
    said = [f"_expected, _said = {error.message!r}, _message(_raised.value)", _assertion(_LIKE, "_said")]
    return [f"with pytest.raises({error.name}) as _raised:", *within, *said]


def _assertion(condition: str, got: str = "_got") -> str:
    return f'assert {condition}, f"expected {{_shown(_expected)}}, got {{_shown({got})}}"'


def _expected(value: Value, *, exact: bool) -> list[str]:
    return [f"_expected = {value.written!r}" if exact and _builds(value.plain) else f"_expected = {value.source}"]


def _compared(value: Value, same: str, *, exact: bool) -> str:
    if exact and _builds(value.plain):
        # What a session shows is a repr: it may look like a call that builds something else, or nothing at all.
        return f"(_reads_like(_expected, repr(_got)) or _equals(lambda: {value.source}, _got))"
    if exact and isinstance(value.plain, ast.List | ast.Tuple | ast.Dict | ast.Set):
        # What a session shows may be a class of theirs that looks like a list.
        return f"{same} or {' '.join(value.written.split())!r} == ' '.join(repr(_got).split())"
    in_brackets = isinstance(value.plain, ast.Constant) and value.written.startswith("(")
    # Whoever writes `('a')` may mean a tuple of it.
    return f"{same} or {same.replace('_expected', '(_expected,)', 1)}" if in_brackets else same


def _transcribed(code: list[str], got: str = "_got") -> list[str]:
    """Run the code and keep what doctest would compare: the printed lines, then the result's repr."""
    return [
        "with contextlib.redirect_stdout(io.StringIO()) as _printed:",
        *(f"    {line}" for line in code),
        f"_said = _transcript(_printed.getvalue(), {got})",
    ]


def _builds(value: ast.expr) -> bool:
    """Whether a value is written as the call of a class, as a dataclass shows itself."""
    return any(isinstance(node, ast.Call) and last_name(node)[:1].isupper() for node in ast.walk(value))


def _says_nothing(text: str) -> bool:
    """Prose after a call, or a default repr with an address: no promise about the result."""
    return " at 0x" in text or re.search(r"(?:[A-Za-z]{2,}[\s,.:;]+){3,}", text) is not None


def _prints(expression: ast.expr, namespace: Namespace) -> bool:
    """Whether an example shows what is printed: only where a called function prints, or gives nothing to be shown."""
    names = {last_name(node) for node in ast.walk(expression) if isinstance(node, ast.Call)}
    printers = {one.name for one in namespace.surface.callables() if one.writes_output or not one.answers}
    return not names.isdisjoint(printers) or any(map(_PRINTER.fullmatch, names))
