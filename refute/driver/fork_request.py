"""The forkserver's side: import what every worker needs, then fork one for each order that comes over the line."""

import os
import socket

ORDER_BYTES = 16
DESCRIPTORS = 5
"""Standard input and output, events, and the stacks of both processes."""


def await_fork_request(line: socket.socket) -> tuple[int, int, int] | None:
    """Fork a worker for each order.

    Returns:
        In a worker its descriptors for events and both stacks; None in the forkserver, when nobody orders any more.
    """
    while True:
        order, descriptors, _, _ = socket.recv_fds(line, ORDER_BYTES, DESCRIPTORS)
        if not order or len(descriptors) != DESCRIPTORS:
            return None
        pid = _fork_orphan()
        if pid == 0:
            line.close()
            return _settle(descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(str(pid).encode())


def _fork_orphan() -> int:
    """A grandchild whose parent is gone, so that the supervisor, which takes orphans, can wait for it.

    Returns:
        0 in the grandchild, its process id here.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        grandchild = os.fork()
        if grandchild == 0:
            os.close(told)
            os.close(tell)
            return 0
        os.write(tell, str(grandchild).encode())
        os._exit(0)
    os.close(tell)
    os.waitpid(child, 0)
    with os.fdopen(told, "rb") as pipe:
        return int(pipe.read())


def _settle(descriptors: list[int]) -> tuple[int, int, int]:
    """Be a process like one that was started with these descriptors."""
    os.setsid()
    stdin, stdout, events, stacks, subject_stacks = descriptors
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    os.dup2(stdout, 2)
    os.close(stdin)
    os.close(stdout)
    return events, stacks, subject_stacks
