"""Messages over a socket pair: a length, then JSON. Bounds are checked before anything is allocated or parsed."""

import json
import os
import select
import socket
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    import mmap


class CannotCarry(Exception):
    """Something of a test cannot be taken to the other process; says nothing about the code."""


class CannotCarryBack(CannotCarry):
    """The same of something that may well have come from the implementation: whose fault it is, nobody knows."""


class Malformed(Exception):
    """The other side sent what no honest one sends."""


class SubjectGone(Exception):
    """The other process has ended."""


HEADER: Final = struct.Struct("!Q")
MAX_BYTES: Final = 64 * 1024 * 1024
MAX_PARTS: Final = 6_000_000
"""Commas and brackets of one message: what bounds the memory that parsing it takes."""
CHUNK: Final = 1 << 20
SMALL: Final = 1 << 14

_write = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_read = json.loads

Message = list[Any]


class Wire:
    """One end of a connection.

    Args:
        end: of a stream socket pair; blocking.
        idle: called with the socket's descriptor to wait for input, if waiting means more than that.
    """

    strayed: "ClassVar[mmap.mmap | None]" = None
    """A byte that forked children share: 1 once one of them has tried to speak."""

    def __init__(self, end: socket.socket, idle: Callable[[int], None] | None = None) -> None:
        self._socket = end
        self._process = os.getpid()
        self._idle = idle
        self._read_ahead = b""

    def send(self, message: Message) -> None:
        """Send one message.

        Raises:
            CannotCarryBack: it is too large; nothing was sent.
            SubjectGone: nobody reads it.
        """
        if os.getpid() != self._process:  # a forked child must not speak for its parent
            if self.strayed is not None:
                self.strayed[0] = 1
            os._exit(70)
        data = _write(message).encode("ascii")
        if len(data) > MAX_BYTES or (len(data) > MAX_PARTS and _parts(data) > MAX_PARTS):
            raise CannotCarryBack(f"the value is too large to pass: {len(data)} bytes, at most {MAX_BYTES}")
        try:
            self._socket.sendall(HEADER.pack(len(data)) + data)
        except OSError as error:
            raise SubjectGone from error

    def receive(self) -> Message:
        """Wait for one message.

        Raises:
            Malformed: what came is no message, or too large.
            SubjectGone: the connection was closed.
        """
        if self._idle is not None and not self._read_ahead:
            self._idle(self._socket.fileno())
        (size,) = HEADER.unpack(self._take(HEADER.size))
        if size > MAX_BYTES:
            raise Malformed(f"a message of {size} bytes was announced, at most {MAX_BYTES} are taken")
        data = self._take(size)
        if size > MAX_PARTS and _parts(data) > MAX_PARTS:
            raise Malformed("a message has too many parts")
        try:
            message = _read(data)
        except (ValueError, RecursionError) as error:
            raise Malformed("a message is no JSON") from error
        if type(message) is not list or not message:
            raise Malformed("a message is no list")
        return message

    def has_input(self) -> bool:
        """Whether something came that nobody has read."""
        return bool(self._read_ahead) or bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _take(self, size: int) -> bytes:
        """So many bytes; a whole small message comes with its header in one system call."""
        data = self._read_ahead
        if len(data) < size:
            parts, missing = [data], size - len(data)
            while missing > 0:
                try:
                    part = self._socket.recv(min(max(missing, SMALL), CHUNK))
                except OSError as error:
                    raise SubjectGone from error
                if not part:
                    raise SubjectGone
                parts.append(part)
                missing -= len(part)
            data = b"".join(parts)
        self._read_ahead = data[size:]
        return data[:size]


def _parts(data: bytes) -> int:
    return data.count(b",") + data.count(b"[")
