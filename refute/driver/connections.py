"""The subject's process: its start, a connection for each thread, its standard streams."""

import codecs
import contextlib
import io
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from refute.driver.settings import without_marks
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


def start_subject(workspace: str, hash_seed: str, stacks: int, streams: tuple[int, int]) -> Started:
    """Start it, in a session of its own.

    Args:
        workspace: its folder.
        hash_seed: if not that of this process.
        stacks: where the stacks of its threads go.
        streams: as of `Outlets.open`; closed here.

    Returns:
        The process, the main connection, and the one over which further ones are handed.
    """
    main, its_main = socket.socketpair()
    control, its_control = socket.socketpair()
    out, err = streams
    inherited = (its_main.fileno(), its_control.fileno(), stacks)
    reseeded = {"PYTHONHASHSEED": hash_seed} if hash_seed else {}
    with its_main, its_control:
        subject = subprocess.Popen(  # noqa: S603
            [sys.executable, "-s", "-P", "-S", "-B", "-u", SUBJECT, *map(str, inherited)],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=inherited, cwd=workspace,
            start_new_session=True, env={**without_marks(os.environ), **reseeded, ARENAS: "2"},
        )  # fmt: skip
    for end in streams:
        os.close(end)
    return subject, main, control


CHUNK = 65_536


class Outlets:
    """The driver's ends of the pipes for what the subject and its programs print.

    It goes to whatever the test has put in the place of `sys.stdout` and `sys.stderr`.
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[str, Any]] = {}

    def open(self) -> tuple[int, int]:
        """The subject's ends: its descriptors 1 and 2."""
        (out, out_there), (err, err_there) = os.pipe(), os.pipe()
        decoder = codecs.getincrementaldecoder("utf-8")
        self._open = {out: ("stdout", decoder("replace")), err: ("stderr", decoder("replace"))}
        for end in self._open:
            os.set_blocking(end, False)
        return out_there, err_there

    @property
    def ends(self) -> list[int]:
        """What may become readable."""
        return list(self._open)

    def pass_on(self) -> None:
        """Pass on what has come; whatever the subject printed before a message has come before it."""
        for end, (name, decoder) in list(self._open.items()):
            with contextlib.suppress(OSError):
                while data := os.read(end, CHUNK):
                    _write(getattr(sys, name), data, decoder)
                del self._open[end]  # closed


def _write(stream: Any, data: bytes, decoder: Any) -> None:
    with contextlib.suppress(ValueError, UnicodeError):  # a closed stream, or one that cannot show it
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        stream.write(decoder.decode(data)) if buffer is None else buffer.write(data)
        stream.flush()


class Input(io.TextIOBase):
    """The test's standard input, of which no more than the line that is asked for is read ahead."""

    name = "<stdin>"

    def __init__(self, ask: Callable[[str, int], str]) -> None:
        self._ask = ask

    def read(self, size: int | None = -1) -> str:
        """Read so much, or all."""
        return self._ask("read", -1 if size is None else size)

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]  # as `read`
        """Read a line."""
        return self._ask("readline", -1 if size is None else size)

    def readable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor; nothing is there."""
        return 0
