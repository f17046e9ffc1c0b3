"""What keeps an example from being held against the code: a doubt leaves a claim untested, never tested wrongly.

The words and names are rows of doubts.toml; here is where each kind of them is looked for.
"""

import ast
import re
from collections.abc import Collection, Iterator
from typing import Final

from refute.adversary.property.dependence import called, reads
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.sessions import Example, Step
from refute.adversary.tables import said

_COMPOUND: Final = ast.For | ast.While | ast.With | ast.If | ast.Try
_OWN_LINE: Final = re.compile(r"(?:\A|\n)[ \t]*(?:[-*•][ \t]+|\d+[.)][ \t]+)?`?\Z")
_SENTENCE_END: Final = re.compile(r"[.;:!?](?:\s|$)|\n\s*(?:[-*]|\d+\.)\s|[)\]}'\"]\s*\n")


def doubtful(text: str, start: int, end: int) -> bool:
    """Whether the words around a call speak of a condition, a negation, the past, other code, or several calls."""
    if said("operand", text[:start][-20:]) or said("behind", text[end : end + 300]):
        return True
    return said("condition", _lead(text, start)) and not _listed(text, start)


def _lead(text: str, start: int) -> str:
    """The part of the sentence before a position that bears on it."""
    paragraph = re.split(r"\n\s*\n", text[max(0, start - 300) : start])[-1]
    return _SENTENCE_END.split(paragraph)[-1]


def _listed(text: str, start: int) -> bool:
    """Whether a call begins one of several lines that begin so: a list of examples has no condition above it."""
    name = re.match(r"[\w.]+\(", text[start:])
    begun = [one.start() for one in re.finditer(re.escape(name[0]), text)] if name else []
    lines = [at for at in begun if _OWN_LINE.search(text[:at])]
    return len(lines) > 1 and start in lines


def illustrates(text: str, example: Example, namespace: Namespace) -> str:
    """Why an example of a text cannot be held against the code; empty where it can."""
    if said("open", text):
        return "shows one answer where the text allows several"
    texts = [one for step in example.steps for one in _paths(step.statement)]
    strange = {one for one in texts if texts.count(one) == 1 and not namespace.holds_file(one)}
    reasons = (_doubt(call, step.statement, strange, namespace) for step in example.steps for call in _calls(step))
    return next(filter(None, reasons), "")


def _calls(step: Step) -> Iterator[ast.Call]:
    return (node for node in ast.walk(step.statement) if isinstance(node, ast.Call))


def _doubt(call: ast.Call, statement: ast.stmt, strange: Collection[str], namespace: Namespace) -> str:
    """Why the answer of one call of an example is not the same each time, and everywhere."""
    name, outer = called(call), statement.value if isinstance(statement, ast.Expr) else statement
    function = namespace.surface.named(name)
    hangs_on = function.does.reads if function else reads(name)
    if "callers" in hangs_on:
        return f"calls `{name}`, which looks at the code that calls it"
    if "moment" in hangs_on and (call is outer or isinstance(statement, _COMPOUND)):
        return f"calls `{name}`, whose answer hangs on the moment or is left to chance"
    read = [one for one in _paths(call) if one in strange] if "files" in hangs_on else []
    return f"may read {read[0]!r}, which the ticket does not hold" if read else ""


def _paths(node: ast.AST) -> list[str]:
    """Texts that may be paths."""
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [text for text in texts if re.search(r"[/.]", text) and not re.search(r"\s", text)]
