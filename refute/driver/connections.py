"""Starts the subject's process, and gives each thread a connection: one side makes two ends and hands one over."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from refute.driver.hide_test_names import without_marks
from refute.driver.wire import Wire

NAME_BYTES: Final = 64
"""A connection comes with the name of the thread that opened it."""
MOST: Final = 512
"""Connections of the other side that are open at the same time; whoever opens more waits until one is closed."""


class Connections:
    """Opens connections, and serves those that the other side opens."""

    def __init__(
        self, control: socket.socket, serve: Callable[[Wire], None], wrap: Callable[[socket.socket], Wire]
    ) -> None:
        self._control = control
        self._serve = serve
        self._wrap = wrap
        self._room = threading.Semaphore(MOST)

    def connect(self) -> Wire:
        """A connection for the calling thread."""
        ours, theirs = socket.socketpair()
        try:
            name = threading.current_thread().name.encode("utf-8", "replace")[:NAME_BYTES].ljust(NAME_BYTES, b"\0")
            socket.send_fds(self._control, [name], [theirs.fileno()])
        finally:
            theirs.close()
        return self._wrap(ours)

    def listen(self) -> None:
        """Serve what the other side opens, from now on."""
        threading.Thread(target=self._accept, daemon=True, name="refute-connections").start()

    def _accept(self) -> None:
        while True:
            self._room.acquire()
            try:
                data, descriptors, _, _ = socket.recv_fds(self._control, NAME_BYTES, 1)
            except OSError:
                return
            if not data:
                return
            name = data.rstrip(b"\0").decode("utf-8", "replace")
            for descriptor in descriptors[:1]:
                wire = self._wrap(socket.socket(fileno=descriptor))
                threading.Thread(target=self._answer, args=(wire,), daemon=True, name=name).start()
            if not descriptors:
                self._room.release()

    def _answer(self, wire: Wire) -> None:
        try:
            self._serve(wire)
        finally:
            wire.close()
            self._room.release()


ARENAS: Final = "MALLOC_ARENA_MAX"
"""The C library reserves 64 MiB of addresses for each of up to 8 arenas a processor, one for every new thread, and
addresses are what the subject's limit of memory counts: some 30 threads would be all it can have
(https://man7.org/linux/man-pages/man3/mallopt.3.html, 2026-11-22). Programs that it starts do not inherit this."""
SUBJECT: Final = str(Path(__file__).resolve().with_name("subject.py"))
Started = tuple[subprocess.Popen[bytes], socket.socket, socket.socket]


def start_subject(workspace: str, stacks: int, streams: tuple[int, int, int, int]) -> Started:
    """Start it, in a session of its own.

    Args:
        workspace: its folder.
        stacks: where the stacks of its threads go.
        streams: as of `Outlets.open`; closed here.

    Returns:
        The process, the main connection, and the one over which further ones are handed.
    """
    main, its_main = socket.socketpair()
    control, its_control = socket.socketpair()
    out, err, *texts = streams
    inherited = (its_main.fileno(), its_control.fileno(), stacks, *texts)
    with its_main, its_control:
        subject = subprocess.Popen(  # noqa: S603
            [sys.executable, "-s", "-P", "-S", "-B", SUBJECT, *map(str, inherited)],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=inherited, cwd=workspace,
            start_new_session=True, env={**without_marks(os.environ), ARENAS: "2"},
        )  # fmt: skip
    for end in streams:
        os.close(end)
    return subject, main, control
