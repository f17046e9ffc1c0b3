"""What a ticket changed, as diffs against the version before (`base`, `previous`)."""

import difflib
from typing import Final

from refute.adversary.attack import Brief, SourceModule

CONTEXT_LINES: Final = 12
"""Around each change, for a reader who sees nothing else of the file."""


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
    return text if len(text) <= max_chars else f"{text[:max_chars]}\n[cut: {len(text) - max_chars} characters more]"
