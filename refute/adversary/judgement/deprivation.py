"""Tests that fell over files or room of their own: code that is imported may have taken these away from them."""

import re
from typing import Final

from refute.adversary.attack import TestEnd, TestRun
from refute.adversary.promises import limit_reached

MISSING_THINGS: Final = frozenset(
    {
        "OSError", "FileNotFoundError", "FileExistsError", "PermissionError", "NotADirectoryError", "IsADirectoryError",
        "BlockingIOError", "ProcessLookupError", "sqlite3.OperationalError", "shutil.Error",
    }
)  # fmt: skip
"""What Python raises where files, folders, room or processes are not there."""
SCRATCH: Final = re.compile(r"(?<![\w/])/(?:tmp|dev/shm|home)(?![\w])")
"""Where a test keeps files of its own: pytest's temporary folders lie there."""
QUOTED: Final = re.compile(r"'([^']+)'")


def deprived(run: TestRun, workspace_paths: frozenset[str]) -> bool:
    """Whether an error says that a test's own files, or room for them, were not there, though they should be.

    Args:
        run: of a test that failed before it came to an answer of the implementation's.
        workspace_paths: every file of the snapshot; a test that names any other one is mistaken.
    """
    if run.end not in {TestEnd.BROKEN, TestEnd.FAILED} or run.error_type not in MISSING_THINGS:
        return False
    named = {name.removeprefix("/workspace/").removeprefix("./") for name in QUOTED.findall(run.error_message)}
    return bool(limit_reached(run) or SCRATCH.search(run.error_message) or named & workspace_paths)
