"""What keeps an example from being held against the code: a doubt leaves a claim untested, never tested wrongly.

The words and names are rows of doubts.toml; here is where each kind of them is looked for.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

from refute.adversary.property.expressions import dotted
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.sessions import Example
from refute.adversary.property.tables import of_kind, said

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
    texts = [text for step in example.steps for text in set(_texts(step.statement))]
    once = {text for text in texts if texts.count(text) == 1 and not namespace.holds_file(text)}
    return next((reason for step in example.steps for reason in _reasons(step.statement, once, namespace)), "")


def _reasons(node: ast.stmt, strange: Iterable[str], namespace: Namespace) -> Iterator[str]:
    outer = node.value if isinstance(node, ast.Expr) else node
    for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
        name = dotted(call.func) or ""
        function = namespace.surface.named(name)
        rows = (row for row in of_kind("calls") if row["reads"] == "moment" and row["pattern"].fullmatch(name))
        depends_on = function.depends_on if function else {row["reads"] for row in rows}
        if "callers" in depends_on:
            yield f"calls `{name}`, which looks at the code that calls it"
        if "moment" in depends_on and (call is outer or isinstance(node, _COMPOUND)):
            yield f"calls `{name}`, whose answer hangs on the moment or is left to chance"
        if "files" in depends_on:
            for text in set(_texts(call)).intersection(strange):
                yield f"may read {text!r}, which the ticket does not hold"


def _texts(node: ast.AST) -> list[str]:
    """Texts that may be paths."""
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [text for text in texts if re.search(r"[/.]", text) and not re.search(r"\s", text)]
