"""The Python that a ticket's claims hold: expressions, and examples in each notation that is read."""

import doctest
import re
import warnings
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, ValidationInfo

from refute.python_syntax import parse_python, parsed_or_none
from refute.ticket.fields import printable, wrong

_MAX_EXPRESSION_CHARS: Final = 10_000
_COMMAND_LINK: Final = re.compile(
    r"\S\s*(?:->|=>|→|⇒|==)\s*\S|\S\s+(?:prints?|outputs?|shows?|gives?|writes?|exits?|fails?|succeeds?|returns?)\b"
)
"""What stands between a command and what it does."""
_RAISES: Final = re.compile(r"(?P<call>.*\S)\s+(?:raises?|throws?)\s+(?P<error>[A-Za-z_]\w*(?:\.\w+)*)", re.DOTALL)


_STATES: Final = re.compile(r"assert\b|with pytest\.raises\(")
"""How a statement begins that can fail by itself."""


def expression(value: str) -> str:
    """Check that a text is one Python expression.

    Raises:
        ValueError: with the position of the fault and, where the text is a known notation, how to write it.
    """
    if len(value) > _MAX_EXPRESSION_CHARS:
        raise wrong(value, f"a Python expression of at most {_MAX_EXPRESSION_CHARS:,} characters")
    if not value.strip():
        raise wrong(value, "a Python expression")
    text = printable(value).strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse_python(text, mode="eval")
    except SyntaxError as error:
        place = f"line {error.lineno or 1}, column {error.offset or 1}"
        raise wrong(value, f"a Python expression: {error.msg} at {place}{_rewritten(text, error.msg)}") from error
    except (ValueError, MemoryError, RecursionError) as error:
        raise wrong(value, "a Python expression that is not nested so deeply") from error
    return text


def _example(value: str, info: ValidationInfo) -> str:
    """An expression that must hold, `CALL raises ERROR`, which none can say, or a session; of a program a command."""
    if (info.context or {}).get("kind") == "cli":
        return _command_example(value)
    if value.lstrip().startswith(">>>"):
        return _session(value)
    if raising := _RAISES.fullmatch(value.strip()):
        expression(raising["call"])
        return printable(value).strip()
    return expression(value)


def _session(value: str) -> str:
    """A `>>>` session that says something: by a result, an `assert`, or an error that is expected."""
    expected = "a `>>>` session with what it shows below, or an `assert`"
    try:
        steps = doctest.DocTestParser().get_examples(printable(value))
    except ValueError as error:
        raise wrong(value, f"{expected}: {error}") from error
    if not any(step.want or _STATES.match(step.source) for step in steps):
        raise wrong(value, expected)
    return value.strip("\n")


def _command_example(value: str) -> str:
    """A command with what it prints or how it exits; whether it runs one of the ticket's programs is seen later."""
    expected = "a command with its output, such as 'python tool.py add 2 3 -> 5', 'tool.py --bad exits 2' or a session"
    text = printable(value).strip()
    session = re.match(r"[$%] \S", text) is not None or "\n" in text
    if len(text) > _MAX_EXPRESSION_CHARS or not (session or _COMMAND_LINK.search(text)):
        raise wrong(value, expected)
    return text


def _rewritten(text: str, fault: str) -> str:
    """How to write what is no expression but means one."""
    if fault.startswith("unterminated string") and "\n" in text:
        return "; in double quotes YAML makes a line break of \\n: use single quotes there"
    if "\n" in text and parsed_or_none(text) is not None:
        return "; what takes several statements is a `>>>` session"
    if text.startswith("assert "):
        return "; write it without 'assert'"
    for arrow in ("->", "=>", "→"):
        call, found, result = text.partition(arrow)
        if found:
            link = "raises" if re.fullmatch(r"\s*[\w.]*(?:Error|Exception)\s*", result) else "=="
            return f"; write {call.strip()} {link} {result.strip()}"
    return "; compare with '=='" if re.fullmatch(r"[^=<>!]+[^=<>!]=[^=].*", text, re.DOTALL) else ""


def _listed(value: Any) -> Any:
    """One text is a list of one."""
    return [value] if isinstance(value, str) else value


Examples = Annotated[list[Annotated[str, AfterValidator(_example)]], BeforeValidator(_listed)]
Expression = Annotated[str, AfterValidator(expression)]
Condition = Annotated[str, AfterValidator(lambda text: text and expression(text))]
"""Empty where there is none."""
