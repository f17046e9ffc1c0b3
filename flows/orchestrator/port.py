"""A port of this machine for a server that is about to start, which no other `refute` takes meanwhile."""

import contextlib
import socket
from collections.abc import Iterator
from typing import Final

LOOPBACK: Final = "127.0.0.1"
ATTEMPTS: Final = 20


@contextlib.contextmanager
def claimed(port: int) -> Iterator[bool]:
    """Claim a port while the block runs; whether it could be claimed.

    Prefect's server listens seconds after it was started, on a busy machine a minute: until then the port looks free,
    and a server of another state directory would be started on it too. So whoever starts one holds a name meanwhile, in
    the abstract namespace of unix(7) (2026-11-22): it belongs to the machine, as ports do, and ends with its process.
    """
    with socket.socket(socket.AF_UNIX) as claim:
        try:
            claim.bind(f"\0refute-port-{port}")
        except OSError:
            yield False
        else:
            yield True


@contextlib.contextmanager
def claimed_port(preferred: int) -> Iterator[int]:
    """A port where nothing listens on the loopback interface, claimed while the block runs.

    Args:
        preferred: taken where it is free; else the kernel chooses.

    Raises:
        OSError: there is none.
    """
    with contextlib.ExitStack() as claims:
        for wanted in (preferred, *[0] * ATTEMPTS):
            port = _free(wanted)
            if port is not None and claims.enter_context(claimed(port)):
                yield port
                return
        message = f"no free port on the loopback interface: {ATTEMPTS + 1} were tried"
        raise OSError(message)


def refusal(port: int) -> str | None:
    """Why the kernel does not give us a port of the loopback interface; None where it does."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            return error.strerror
    return None


def _free(port: int) -> int | None:
    with socket.socket() as probe:
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return None
        return int(probe.getsockname()[1])
