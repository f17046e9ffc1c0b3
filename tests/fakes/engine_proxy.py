"""A socket in front of the engine that a test can cut, as if the engine had died, without touching the real one."""

import contextlib
import socket
import threading
from pathlib import Path
from typing import Self

ENGINE_SOCKET = "/var/run/docker.sock"


class EngineProxy:
    """Forwards a unix socket to the engine's; `cut()` drops every connection and refuses new ones."""

    def __init__(self, path: Path, engine: str = ENGINE_SOCKET) -> None:
        self.path = path
        self.url = f"unix://{path}"
        self._engine = engine
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._server: socket.socket | None = None

    def __enter__(self) -> Self:
        self.restore()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def restore(self) -> None:
        """Listen (again)."""
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.path))
        self._server.listen(64)
        threading.Thread(target=self._serve, args=(self._server,), daemon=True).start()

    def cut(self) -> None:
        """The engine is gone."""
        self.path.unlink(missing_ok=True)
        with self._lock:
            for connection in [self._server, *self._open]:
                if connection is not None:
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)
                    connection.close()
            self._open.clear()

    def _serve(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = server.accept()
                engine = socket.socket(socket.AF_UNIX)
                engine.connect(self._engine)
                with self._lock:
                    self._open += [client, engine]
                threading.Thread(target=_pump, args=(client, engine), daemon=True).start()
                threading.Thread(target=_pump, args=(engine, client), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
