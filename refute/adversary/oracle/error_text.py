"""What a test expects an error to say. Claims name the error more often than its words, and writers of tests guess."""

import ast
import re
from collections.abc import Iterable
from typing import Final

from refute.adversary.attack import TestRun
from refute.adversary.oracle.shown import literal

PATTERN_MISSED: Final = re.compile(r"Regex pattern did not match|Pattern '.*' not found in", re.IGNORECASE)
"""What pytest says where the error came, but not with the words that `match=` expects."""
SPEAKS: Final = frozenset(
    {
        "message", "messages", "wording", "text", "says", "saying", "tells", "telling", "names", "naming", "mentions",
        "mentioning", "explains", "explaining", "describes", "useful", "helpful", "clear", "readable", "hint", "hints",
    }
)  # fmt: skip
"""Words of a claim that may be about what an error says."""
WORD: Final = re.compile(r"[^\W_]{2,}")


def pattern_missed(raising: ast.With, run: TestRun) -> ast.expr | None:
    """The pattern of `pytest.raises(…, match=…)` where the error came and only its words were others."""
    call = raising.items[0].context_expr
    if not isinstance(call, ast.Call) or not PATTERN_MISSED.search(run.error_message):
        return None
    return next((keyword.value for keyword in call.keywords if keyword.arg == "match"), None)


def text_expected(function: ast.FunctionDef, failing: ast.stmt, pattern: ast.expr | None) -> str:
    """The words that a failing statement expects of an error's message; empty where it is about something else.

    Args:
        function: the test.
        failing: its statement that failed.
        pattern: of `match=`, where that failed.
    """
    if pattern is not None:
        found = literal(ast.unparse(pattern))
        return str(found[0]) if found else ""
    if not isinstance(failing, ast.Assert):
        return ""
    errors = set(_errors(function))
    about = any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id in {"str", "repr"}
        and len(part.args) == 1
        and ast.unparse(part.args[0]) in errors
        for part in ast.walk(failing.test)
    )
    texts = [part.value for part in ast.walk(failing.test) if isinstance(part, ast.Constant)]
    return " ".join(text for text in texts if isinstance(text, str)) if about else ""


def _errors(function: ast.FunctionDef) -> Iterable[str]:
    """How the test calls the errors that it caught."""
    for node in ast.walk(function):
        match node:
            case ast.withitem(context_expr=manager, optional_vars=ast.Name(id=name)) if "raises" in ast.unparse(
                manager
            ):
                yield f"{name}.value"
            case ast.ExceptHandler(name=str(name)):
                yield name


def gives_text(claims: Iterable[str], expected: str) -> bool:
    """Whether a claim may be what says so: it has these words, or is about what something says.

    Args:
        claims: their texts.
        expected: words of a message, or a pattern.
    """
    wanted = {word.lower() for word in WORD.findall(expected)}
    said = [{word.lower() for word in WORD.findall(claim)} for claim in claims]
    return any(wanted <= words or words & SPEAKS for words in said)
