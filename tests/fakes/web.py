"""What all web servers of tests have in common."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import TypeVar

S = TypeVar("S", bound=HTTPServer)


class Silent:
    """A handler, with `BaseHTTPRequestHandler`, that logs nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


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

    class Healthy(Silent, BaseHTTPRequestHandler):
        def do_GET(self):
            time.sleep(after_s)
            with suppress(ConnectionError):
                self.send_response(200)
                self.end_headers()

    with serving(ThreadingHTTPServer(("127.0.0.1", port), Healthy)) as server:
        yield f"http://127.0.0.1:{server.server_port}/api"
