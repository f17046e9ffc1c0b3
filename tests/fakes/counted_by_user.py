"""What the kernel counts by user, so that jobs which run at once share it: inotify instances, queued signals, timers.

All jobs are one user (ADR 4, "Left"). A test whose job takes all of it holds this alone; a test whose job needs some
holds it beside others: else either would fail by the other, in another worker of the same test run.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def counted_by_user(*, taken_whole: bool) -> Iterator[None]:
    """Hold it while the block runs; waits for whoever else holds it.

    Args:
        taken_whole: the job takes all that there is.
    """
    with (Path(tempfile.gettempdir()) / f"refute-tests-{os.getuid()}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if taken_whole else fcntl.LOCK_SH)
        yield
