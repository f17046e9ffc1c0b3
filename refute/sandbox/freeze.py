"""Stopping the world in a container, so that nothing races those who read it."""

import time
from typing import Final

from docker.errors import APIError

from refute.sandbox.connection import EngineClient

FREEZE_TIMEOUT_S: Final = 10.0
PAUSE_S: Final = 0.1


def freeze(client: EngineClient, container: str) -> None:
    """Pause a container; again and again while its processes are too busy in the kernel to be frozen.

    Control groups v1 give up on processes that are in long system calls (measured: eight that made the kernel list
    its interfaces without a pause; the next try or the one after mostly succeeds).

    Raises:
        docker.errors.APIError: the engine could not within `FREEZE_TIMEOUT_S`, or for another reason.
    """
    deadline = time.monotonic() + FREEZE_TIMEOUT_S
    while True:
        try:
            client.pause(container)
        except APIError as error:
            if "unable to freeze" not in str(error.explanation) or time.monotonic() > deadline:
                raise
        else:
            return
        time.sleep(PAUSE_S)
