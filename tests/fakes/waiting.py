"""Waits for what another process brings about."""

import time
from collections.abc import Callable
from typing import Any


def wait_for(find: Callable[[], Any], *, within_s: float = 600.0, every_s: float = 0.5) -> Any:
    """What `find` finds, once it finds something; fails where it never does.

    A server or an engine that is asked twenty times a second takes half a core for its answers.
    """
    deadline = time.monotonic() + within_s
    while not (found := find()):
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(every_s)
    return found
