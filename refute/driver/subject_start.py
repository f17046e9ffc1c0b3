"""Starts the subject's process."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final

from refute.driver.hide_test_names import without_marks

ARENAS: Final = "MALLOC_ARENA_MAX"
"""The C library reserves 64 MiB of addresses for each of up to 8 arenas a processor, one for every new thread, and
addresses are what the subject's limit of memory counts: some 30 threads would be all it can have
(https://man7.org/linux/man-pages/man3/mallopt.3.html, 2026-11-22). Programs that it starts do not inherit this."""
SUBJECT: Final = str(Path(__file__).resolve().with_name("subject.py"))
Started = tuple[subprocess.Popen[bytes], socket.socket, socket.socket, dict[int, int]]


def start_subject(workspace: str, stacks: int) -> Started:
    """Start it, in a session of its own.

    Returns:
        The process, the main connection, the one over which further ones are handed, and the descriptors of its
        output (1) and errors (2).
    """
    main, its_main = socket.socketpair()
    control, its_control = socket.socketpair()
    out, its_out = os.pipe()
    err, its_err = os.pipe()
    inherited = (its_main.fileno(), its_control.fileno(), stacks)
    subject = subprocess.Popen(  # noqa: S603
        [sys.executable, "-s", "-P", "-S", "-B", SUBJECT, *map(str, inherited)],
        stdin=subprocess.DEVNULL, stdout=its_out, stderr=its_err, pass_fds=inherited, cwd=workspace,
        start_new_session=True, env={**without_marks(os.environ), ARENAS: "2"},
    )  # fmt: skip
    for end in (its_main, its_control):
        end.close()
    for descriptor in (its_out, its_err):
        os.close(descriptor)
    for descriptor in (out, err):
        os.set_blocking(descriptor, False)
    return subject, main, control, {1: out, 2: err}
