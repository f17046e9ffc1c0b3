"""shim"""

import contextlib


def heartbeats() -> "contextlib.AbstractContextManager[None]":
    return contextlib.nullcontext()
