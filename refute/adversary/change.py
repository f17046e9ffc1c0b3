"""What a ticket changed against the version before (`base`, `previous`): as diffs, and as the lines that changed."""

import ast
import difflib
from collections.abc import Iterator
from typing import Final

from refute.adversary.attack import Brief, SourceModule
from refute.python_syntax import form_of, parsed_or_none
from refute.wording import cut_plainly

CONTEXT_LINES: Final = 12
"""Around each change, for a reader who sees nothing else of the file."""
_BODIES: Final = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
_Statement = ast.stmt | ast.ExceptHandler | ast.match_case


def diff_of(brief: Brief, one: SourceModule, *, context: int = CONTEXT_LINES) -> str:
    """A unified diff of one implementation file; empty where it did not change, or no version before is known."""
    if one.module.path not in brief.earlier:
        return ""
    before, after = brief.earlier[one.module.path].splitlines(), one.source.splitlines()
    path = one.module.path
    return "\n".join(difflib.unified_diff(before, after, f"before/{path}", path, n=context, lineterm=""))


def diffs_of(brief: Brief, *, max_chars: int, context: int = 3) -> str:
    """The diffs of all implementation files, cut plainly; empty where nothing is known of the version before."""
    text = "\n".join(diff for one in brief.modules if (diff := diff_of(brief, one, context=context)))
    return cut_plainly(text, max_chars)


def changed_lines(before: str, now: str) -> frozenset[int]:
    """Lines of the statements that are not in the version before; of one that holds others only those before them.

    Statements are compared as syntax: comments, docstrings, annotations and layout are no change.
    """
    statements = list(_statements(now))
    earlier = [_form_of(one) for one in _statements(before)]
    blocks = difflib.SequenceMatcher(None, earlier, [_form_of(one) for one in statements], autojunk=False).get_opcodes()
    changed = [one for kind, _, _, start, end in blocks if kind != "equal" for one in statements[start:end]]
    return frozenset(line for one in changed for line in _own_lines(one))


def _statements(source: str) -> Iterator[_Statement]:
    """In their order, without docstrings."""
    tree = parsed_or_none(source)
    found = [node for node in ast.walk(tree) if isinstance(node, _Statement)] if tree else []
    for node in sorted(found, key=lambda one: (_place(one).lineno, _place(one).col_offset)):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node


def _place(node: _Statement) -> ast.stmt | ast.ExceptHandler | ast.pattern:
    return node.pattern if isinstance(node, ast.match_case) else node


def _own_lines(node: _Statement) -> range:
    first, inner = _place(node).lineno, getattr(node, "body", None)
    last = inner[0].lineno - 1 if inner else _place(node).end_lineno or first
    return range(first, max(first, last) + 1)


def _form_of(node: _Statement) -> object:
    """A statement as syntax, without the statements in it."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return ("Assign", form_of([node.target]), form_of(node.value))
    return form_of(node, without=_BODIES)
