"""What keeps an example from being held against the code: a doubt leaves a claim untested, never tested wrongly.

The words and names are rows of doubts.toml; here is where each kind of them is looked for.
"""

import ast
import functools
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from typing import Any, Final

from refute.adversary.property.doctests import COMPOUND
from refute.adversary.property.expected import Expected, Raises, Text, Value
from refute.adversary.property.expressions import dotted
from refute.adversary.property.namespace import Namespace

OWN_LINE: Final = re.compile(r"(?:\A|\n)[ \t]*(?:[-*•][ \t]+|\d+[.)][ \t]+)?`?\Z")
_HEADING: Final = re.compile(
    r"(?:\A|\n)[ \t#*_]*(?:some |for |usage )?(?:examples?|instance|usage|samples?|test ?cases?|doctests?)"
    r"(?: usages?| calls?)?[ \t*_\d]*(?=\n)",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.;:!?](?:\s|$)|\n\s*(?:[-*]|\d+\.)\s|[)\]}'\"]\s*\n")
_SAYS_ONLY: Final = re.compile(r",? (?:so|hence|thus|therefore|e\.g\.|i\.e\.|for example|for instance),? ")


@functools.cache
def doubts() -> tuple[dict[str, Any], ...]:
    """The rows of doubts.toml, their patterns compiled."""
    text = resources.files("refute.adversary.property").joinpath("doubts.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["doubt"]
    return tuple({**row, "pattern": re.compile(row["pattern"], re.IGNORECASE)} for row in rows)


def said(kind: str, text: str) -> bool:
    """Whether a text holds words of this kind."""
    return any(row["pattern"].search(text) for row in doubts() if row["kind"] == kind)


def doubtful(text: str, start: int) -> bool:
    """Whether the words that lead up to a position speak of a condition, a negation, the past or other code."""
    return said("condition", _lead(text, start))


def _lead(text: str, start: int) -> str:
    """The part of the sentence before a position that bears on it."""
    paragraph = re.split(r"\n\s*\n", text[max(0, start - 300) : start])[-1]
    sentence = _SENTENCE_END.split(_HEADING.split(paragraph)[-1])[-1]
    return _SAYS_ONLY.split(sentence)[-1]


def left_open(text: str, expected: Iterable[Expected | None]) -> bool:
    """Whether a text allows other answers than those shown: another order, or another one of several.

    Yes, no and nothing at all are the only answers of their kind, and a value without items has no order.
    """
    shown = [one for one in expected if isinstance(one, Value | Text) and not _is_nothing(one)]
    ordered = [one for one in shown if isinstance(one, Text) or not isinstance(one.plain, ast.Constant | ast.UnaryOp)]
    several = [one for one in shown if not (isinstance(one, Value) and one.source == "True")]
    return bool((ordered and said("order", text)) or (several and said("several", text)))


def illustrates(checks: Sequence[tuple[ast.AST, Expected | None]], namespace: Namespace) -> str:
    """Why an example cannot be held against the code; empty where it can.

    Args:
        checks: its statements or expressions in order, each with what is written down for it.
        namespace: knows the implementation and the ticket's files.
    """
    return next((reason for node, expected in checks for reason in _reasons(node, expected, checks, namespace)), "")


def _reasons(
    node: ast.AST,
    expected: Expected | None,
    checks: Sequence[tuple[ast.AST, Expected | None]],
    namespace: Namespace,
) -> Iterator[str]:
    outer = node.value if isinstance(node, ast.Expr) else node
    for call in ast.walk(node):
        function = namespace.surface.named(dotted(call.func) or "") if isinstance(call, ast.Call) else None
        if function is None:
            continue
        if "callers" in function.depends_on:
            yield f"`{function.qualified}` looks at the code that calls it, which is no test in the example"
        if "moment" in function.depends_on and (call is outer or isinstance(node, COMPOUND)):
            yield f"what `{function.qualified}` gives hangs on the moment or is left to chance"
        if "files" in function.depends_on and not (isinstance(expected, Raises) or _is_nothing(expected)):
            for text in _texts(call):
                if not namespace.holds_file(text) and sum(text in _texts(other) for other, _ in checks) == 1:
                    yield f"the example may read {text!r}, which the ticket does not hold"


def _texts(node: ast.AST) -> list[str]:
    """Texts that may be paths."""
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [text for text in texts if re.search(r"[/.]", text) and not re.search(r"\s", text)]


def _is_nothing(expected: Expected | None) -> bool:
    """None, False, 0 and empty values: what is said of a file that is not there, or of an answer that there is none."""
    match expected:
        case Value(plain=ast.Constant(value=value)):
            return not value
        case Value(plain=ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[])):
            return True
        case _:
            return False
