"""Faults in the text of the implementation's own files, which no test can be about."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from refute.adversary.attack import Brief, Origin, TestRun
from refute.adversary.judgement.repetition import in_one_line
from refute.python_syntax import parsed_or_none

UNREADABLE: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})
OWN_FILE: Final = re.compile(r"\((?P<file>[^()]+\.py), line \d+\)\s*\Z")
"""Where Python puts the file into the message of a SyntaxError."""


def files_at_fault(brief: Brief, origin: Origin) -> frozenset[str]:
    """Names of the implementation's files, without folders, that such an error may be about.

    A model's test could raise one itself, so for it only those count that indeed cannot be parsed.
    """
    if origin is not Origin.MODEL:
        return frozenset(path.rpartition("/")[2] for path in brief.ticket.implementation_files)
    broken = (one.module.path for one in brief.modules if parsed_or_none(one.source) is None)
    return frozenset(path.rpartition("/")[2] for path in broken)


def own_syntax_error(runs: Sequence[TestRun], files: Collection[str]) -> str:
    """A fault in the text of one of these files, told by every run; empty where there is none."""
    kinds = {run.error_type for run in runs}
    named = OWN_FILE.search(runs[0].error_message)
    ours = named is not None and named["file"].rpartition("/")[2] in files
    return in_one_line(runs[0]) if kinds <= UNREADABLE and ours else ""
