"""What keeps an example from being held against the code: a doubt leaves a claim untested, never tested wrongly.

The words and names are rows of doubts.toml; here is where each kind of them is looked for.
"""

import ast
import re
from typing import Final

from refute.adversary.property.dependence import called, reads
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.sessions import Example
from refute.adversary.property.tables import said

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
    for call in (node for step in example.steps for node in ast.walk(step.statement) if isinstance(node, ast.Call)):
        name = called(call)
        function = namespace.surface.named(name)
        if hangs_on := sorted(function.depends_on if function else reads(name)):
            return f"calls `{name}`, whose answer hangs on more than its arguments: {hangs_on[0]}"
    return ""
