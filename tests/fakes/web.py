"""What all web servers of tests have in common."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import TypeVar

S = TypeVar("S", bound=HTTPServer)


class Handler(BaseHTTPRequestHandler):
    """Logs nothing, and is not concerned where a client did not wait."""

    disable_nagle_algorithm = True  # headers and body are written apart: each answer would wait 40 ms

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def body(self) -> bytes:
        """What was sent."""
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def send(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Answer; `_` stands for `-` in names of headers, and those that are empty are left out."""
        told = {"content_type": "application/json", "content_length": str(len(body)), **headers}
        try:
            self.send_response(status)
            for name, value in told.items():
                if value:
                    self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def drip(self, parts: Iterable[bytes], pause: Callable[[], object]) -> None:
        """Send part after part; until `pause`, which comes between two, says that it is enough."""
        self.close_connection = True
        with suppress(OSError):
            for part in parts:
                self.wfile.write(part)
                if pause():
                    return


@contextmanager
def serving(server: S) -> Iterator[S]:
    """It answers until the block ends."""
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def answering(port: int = 0, *, after_s: float = 0.0) -> Iterator[str]:
    """A Prefect server whose health takes its time; its API's URL."""

    class Healthy(Handler):
        def do_GET(self):
            time.sleep(after_s)
            self.send(200)

    with serving(ThreadingHTTPServer(("127.0.0.1", port), Healthy)) as server:
        yield f"http://127.0.0.1:{server.server_port}/api"
