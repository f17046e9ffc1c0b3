"""A connection for every thread: one side makes a socket pair and hands one end over."""

import socket
import threading
from collections.abc import Callable
from typing import Final

from refute.driver.wire import Wire

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
            socket.send_fds(self._control, [b"\0"], [theirs.fileno()])
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
                data, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
            except OSError:
                return
            if not data:
                return
            for descriptor in descriptors[:1]:
                wire = self._wrap(socket.socket(fileno=descriptor))
                threading.Thread(target=self._answer, args=(wire,), daemon=True).start()
            if not descriptors:
                self._room.release()

    def _answer(self, wire: Wire) -> None:
        try:
            self._serve(wire)
        finally:
            wire.close()
            self._room.release()
